/** Every page of the console, with something on it. */
import { ledgerClient } from '@rcpt/contract/client/ledger.ts';
import { routerClient } from '@rcpt/contract/client/router.ts';
import type { House } from './house.ts';

/** A name for the picture, and the address. */
export async function everyPage({ ledger_url, router_url, demo }: House): Promise<(readonly [string, string])[]> {
  const auditor = ledgerClient({ base_url: ledger_url, token: demo.auditor_key });
  const router = routerClient({ base_url: router_url });
  const [{ runs }, workers] = await Promise.all([auditor.listRuns(), router.listWorkers()]);
  const sealed = runs.find(({ lane }) => lane === 'eval')!;
  return [
    ['home', '/'],
    ['runs', '/runs'],
    ['run', `/runs/${sealed.id}`],
    ['receipts', '/receipts'],
    ['receipt', `/receipts/${sealed.receipt_id}`],
    ['ledger', '/ledger'],
    ['activity', '/activity'],
    ['compute', '/compute'],
    ['jobs', '/compute/jobs'],
    ['job', `/compute/jobs/${demo.training.job_id}`],
    ['worker', `/compute/workers/${workers[0]!.id}`],
    ['quotes', '/compute/quotes'],
    ['compute-members', '/compute/members'],
    ['datasets', '/compute/datasets'],
    ['organization', '/settings/organization'],
    ['members', '/settings/members'],
    ['keys', '/settings/keys'],
    ['flight-sheets', '/settings/flight-sheets'],
    ['witnesses', '/settings/witnesses'],
    ['agent-profiles', '/settings/agent-profiles'],
  ];
}
