/** A ledger with two organizations, and in the victim's all that is asked for while it is attacked. */
import { type Tenant, tenantOf } from '../../../packages/ledger/test/kit/running.ts';
import { runAt } from '../../../packages/ledger/test/kit/story.ts';
import type { Fresh } from '../../kit/engines.ts';
import { approveMany, mintMany, openWorkshop } from '../load.ts';
import { type LedgerProcess, settingsOf, startLedgerProcess, temporaryFolder } from '../process.ts';
import type { Kind, Request, Victim } from './pace.ts';

export interface Tenants {
  ledger: LedgerProcess;
  victim: Victim;
  attacker: Tenant;
}

/** More than a whole measurement asks for. */
const PREPARED = 440;
const UPLOADS_PER_RUN = 25;
const FILE = 'A line of the log, as agents write them.\n'.repeat(50);

export async function openTenants(
  { db, url }: Pick<Fresh, 'db' | 'url'>,
  changed: Record<string, string> = {},
): Promise<Tenants> {
  const settings = {
    ...settingsOf(url, temporaryFolder()),
    // Readers come from addresses of their own.
    LEDGER_TRUST_PROXY: '127.0.0.1',
    ...changed,
  };
  const first = await startLedgerProcess(settings);
  const workshop = await openWorkshop(first, db);
  const shared: string[] = [];
  await mintMany(first, workshop.tenant, await approveMany(db, workshop, PREPARED), (_, answer) => {
    shared.push(new URL(JSON.parse(answer!.text).share_url).pathname);
    return true;
  });
  const runs: string[] = [];
  while (runs.length < PREPARED / UPLOADS_PER_RUN) runs.push(await runAt(workshop.tenant, 'Inputs'));
  const approved = await approveMany(db, workshop, PREPARED);
  await first.stop();
  // What is started now has drawn none of them, and makes copies of none.
  await db.run('delete from outbox');
  const ledger = await startLedgerProcess(settings);
  const { keys } = workshop.tenant;
  return {
    ledger,
    victim: { url: ledger.url, next: requestsOf({ keys, shared, runs, approved }) },
    attacker: await tenantOf(ledger.call, 'Attacker'),
  };
}

interface Prepared {
  keys: Tenant['keys'];
  /** `/share/…`, drawn by nothing yet. */
  shared: string[];
  runs: string[];
  approved: string[];
}

function requestsOf({ keys, shared, runs, approved }: Prepared): Victim['next'] {
  const asked: Record<Kind, number> = { organization: 0, upload: 0, mint: 0, page: 0, pdf: 0 };
  const as = (key: string) => ({ authorization: `Bearer ${key}` });
  const reader = (i: number) => ({ 'x-forwarded-for': `198.51.${i >> 8}.${i & 255}` });
  const requests: Record<Kind, (i: number) => Request> = {
    organization: () => ({ method: 'GET', path: '/organization', headers: as(keys.auditor), wanted: 200 }),
    upload: (i) => ({
      method: 'POST',
      path: `/runs/${taken(runs, Math.floor(i / UPLOADS_PER_RUN))}/evidence`,
      ...formOf(`${i}.log`, FILE + i, as(keys.agent)),
      wanted: 201,
    }),
    mint: (i) => ({
      method: 'POST',
      path: `/runs/${taken(approved, i)}/receipt`,
      headers: as(keys.approver),
      wanted: 201,
    }),
    page: (i) => ({
      method: 'GET',
      path: taken(shared, i),
      headers: { accept: 'text/html', ...reader(i) },
      wanted: 200,
    }),
    pdf: (i) => ({ method: 'GET', path: `${taken(shared, i)}/pdf`, headers: reader(i), wanted: 200 }),
  };
  return (kind) => requests[kind](asked[kind]++);
}

function taken(prepared: string[], i: number): string {
  const one = prepared[i];
  if (one === undefined) throw new RangeError(`only ${prepared.length} are prepared`);
  return one;
}

function formOf(name: string, content: string, headers: Record<string, string>) {
  const body = `--b\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: text/plain\r\n\r\n${content}\r\n--b--\r\n`;
  return {
    headers: {
      ...headers,
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': String(Buffer.byteLength(body)),
    },
    body,
  };
}
