/** The router as operators run it: `./rcpt router` in a process of its own, which a test may kill at any moment. */
import { type Rcpt, type Service, startRcpt, startService } from '../../../../test/kit/process.ts';

export type RouterProcess = Service;

/** A test machine may be busy with others: that is not what is tested here. */
const USUAL = { ROUTER_PORT: '0', ROUTER_OVERLOAD_DELAY_MS: '60000' };

/** Not listening yet. */
export function spawnRouter(environment: Record<string, string>): Rcpt {
  return startRcpt(['router'], { ...process.env, ...USUAL, ...environment });
}

/** Resolves once it listens; throws what it said when it does not. */
export function startRouterProcess(environment: Record<string, string>): Promise<RouterProcess> {
  return startService('router', { ...process.env, ...USUAL, ...environment });
}
