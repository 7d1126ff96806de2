/** The first demonstration: a benchmark of this machine, taken from Inputs to a receipt. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ledgerClient } from '@rcpt/contract/client/ledger.ts';
import type { FlightSheet } from '@rcpt/contract/ledger/flight-sheet.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import { type Demo, saveDemo } from './demo.ts';
import { measureMachine } from './measure.ts';

const SHEET = fileURLToPath(new URL('../../../ledger/flight-sheets/machine-benchmark.json', import.meta.url));

type Say = (line: string) => void;

/** Once: a Run that a crash left without a receipt is opened anew. */
export async function demonstrateBenchmark(data: string, demo: Demo, base_url: string, say: Say): Promise<Demo> {
  if (demo.receipt_id !== undefined) return demo;
  const finished = { ...demo, ...(await benchmarkRun(demo, data, base_url, say)) };
  saveDemo(data, finished);
  return finished;
}

async function benchmarkRun(
  demo: Demo,
  data: string,
  base_url: string,
  say: (line: string) => void,
): Promise<Partial<Demo>> {
  const [owner, agent, approver] = [demo.owner_key, demo.agent_key, demo.approver_key].map((token) =>
    ledgerClient({ base_url, token }),
  ) as [ReturnType<typeof ledgerClient>, ReturnType<typeof ledgerClient>, ReturnType<typeof ledgerClient>];
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
    provider: 'local',
    output: benchmark as unknown as JsonObject,
  });
  say(
    `Execution   ${benchmark.measurements.map((m) => `${m.name} ${Math.round(m.rate_per_second).toLocaleString('en')}/s`).join(', ')}`,
  );
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
