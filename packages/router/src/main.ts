/** `./rcpt router`: the compute router in the foreground. */
import { runService } from '@rcpt/service/lifecycle.ts';
import { readRouterConfig } from './config.ts';
import { startRouter } from './start.ts';
import { VERSION } from './version.ts';

await runService('router', VERSION, process.env, readRouterConfig, startRouter);
