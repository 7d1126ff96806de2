/** `./rcpt router`: the compute router in the foreground. */
import { runService } from '@rcpt/service/process/lifecycle.ts';
import { ROUTER_HELP, readRouterConfig } from './config.ts';
import { startRouter } from './start.ts';
import { VERSION } from './version.ts';

const router = {
  name: 'router',
  version: VERSION,
  help: ROUTER_HELP,
  readConfig: readRouterConfig,
  start: startRouter,
};
await runService(router, process.argv.slice(2), process.env);
