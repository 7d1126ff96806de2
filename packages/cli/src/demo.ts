/**
 * The first start's demonstration: an organization, and one real piece of work taken from Inputs to a verified receipt.
 * What was reached is kept in `<data>/demo.json` (0600: it holds keys), so that a second start finds it as it was.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ledgerClient } from '@rcpt/contract/client.ts';
import type { FlightSheet } from '@rcpt/contract/ledger/flight-sheet.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import { type Benchmark, measureMachine } from './measure.ts';

const SHEET = fileURLToPath(new URL('../../ledger/flight-sheets/machine-benchmark.json', import.meta.url));

export interface Demo {
  organization_id: string;
  owner_key: string;
  agent_key: string;
  approver_key: string;
  auditor_key: string;
  run_id?: string;
  receipt_id?: string;
  share_url?: string;
  outcome?: string;
  score_100?: number;
  measurements?: Benchmark['measurements'];
}

/** A crash at any step is taken up at the next start: keys that exist are used, a Run without receipt is opened anew. */
export async function demonstrate(data: string, base_url: string, admin_token: string, say: (line: string) => void): Promise<Demo> {
  const file = join(data, 'demo.json');
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Demo) : null;
  const demo = known ?? (await found(base_url, admin_token));
  if (known === null) keep(file, demo);
  if (demo.receipt_id !== undefined) return demo;
  const finished = { ...demo, ...(await benchmarkRun(demo, data, base_url, say)) };
  keep(file, finished);
  return finished;
}

async function found(base_url: string, admin_token: string): Promise<Demo> {
  const { organization_id, api_key } = await ledgerClient({ base_url, token: admin_token }).createOrganization({ name: 'Demo Workshop' });
  const owner = ledgerClient({ base_url, token: api_key });
  const key = async (role: 'agent' | 'approver' | 'auditor') => (await owner.createKey({ role, label: `demo ${role}` })).api_key;
  return {
    organization_id,
    owner_key: api_key,
    agent_key: await key('agent'),
    approver_key: await key('approver'),
    auditor_key: await key('auditor'),
  };
}

async function benchmarkRun(demo: Demo, data: string, base_url: string, say: (line: string) => void): Promise<Partial<Demo>> {
  const [owner, agent, approver] = [demo.owner_key, demo.agent_key, demo.approver_key].map((token) => ledgerClient({ base_url, token })) as
    [ReturnType<typeof ledgerClient>, ReturnType<typeof ledgerClient>, ReturnType<typeof ledgerClient>];
  const sheet = JSON.parse(readFileSync(SHEET, 'utf8')) as FlightSheet;
  await owner.publishFlightSheet(sheet);

  say('Inputs      a benchmark of this machine, against the flight sheet machine-benchmark');
  const { id } = await agent.openRun({
    lane: 'eval',
    title: `Benchmark of ${hostname()}`,
    inputs: { flight_sheet: { name: sheet.name, version: sheet.version }, machine: hostname() },
  });
  const log: string[] = [];
  const benchmark = await measureMachine(data, (line) => log.push(line));
  const evidence = await agent.attachEvidence(id, {
    kind: 'log',
    label: 'Raw benchmark log',
    content: `${log.join('\n')}\n`,
    content_type: 'text/plain; charset=utf-8',
  });
  say(`Evidence    the raw log, SHA-256 ${evidence.sha256.slice(0, 16)}…`);
  await agent.postExecution(id, {
    agent_name: 'machine-benchmark',
    model_name: 'none',
    provider: 'this machine',
    output: benchmark as unknown as JsonObject,
  });
  say(`Execution   ${benchmark.measurements.map((m) => `${m.name} ${Math.round(m.rate_per_second).toLocaleString('en')}/s`).join(', ')}`);
  const { checks } = await agent.runChecks(id);
  say(`Checks      ${checks.filter((check) => check.status === 'pass').length} of ${checks.length} rules passed`);
  const verdict = await agent.giveVerdict(id);
  say(`Verdict     ${verdict.outcome}, ${verdict.score_100} of 100`);
  await approver.approve(id, 'approved', 'Approved by the demonstration itself.');
  say('Approval    approved by the demo approver');
  const receipt = await approver.mint(id);
  say(`Receipt     ${receipt.receipt_id}`);
  const { outcome, score_100 } = verdict;
  const { receipt_id, share_url } = receipt;
  return { run_id: id, receipt_id, share_url, outcome, score_100, measurements: benchmark.measurements };
}

function keep(file: string, demo: Demo): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
