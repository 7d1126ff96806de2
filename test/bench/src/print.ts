/** What a shared link costs: the page and the PDF, each of a receipt that was not asked for before. */
import type { Engine } from './database.ts';
import { startLedgerProcess } from './ledger-process.ts';
import { answer, request } from './load.ts';
import { percentile } from './numbers.ts';
import { chainOf, found } from './prepare.ts';
import type { Report } from './report.ts';

export interface PrintSizes {
  rounds: number;
  pages_per_round: number;
  pdfs_per_round: number;
}

const CONNECTIONS = 8;

export async function measurePrint(engine: Engine, sizes: PrintSizes, report: Report): Promise<void> {
  const { url, folder, db } = await engine.create('print');
  const tenant = await found(db, 'Printed Chain');
  const rounds = sizes.rounds + 1;
  await chainOf(db, tenant, rounds * Math.max(sizes.pages_per_round, sizes.pdfs_per_round), () => {});
  const tokens = await db.all<{ share_token: string }>('select share_token from receipts where organization_id = $1', [
    tenant.organization_id,
  ]);
  await db.close();
  const ledger = await startLedgerProcess(url, folder);
  const kinds = [
    { name: 'share page', path: '', per_round: sizes.pages_per_round, headers: { accept: 'text/html' } },
    { name: 'share PDF', path: '/pdf', per_round: sizes.pdfs_per_round, headers: {} as Record<string, string> },
  ];
  try {
    for (const { name, path, per_round, headers } of kinds) {
      const requests = tokens.map(({ share_token }) => request('GET', `/share/${share_token}${path}`, headers));
      const rates: number[] = [];
      const latencies: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const answers = await answer(ledger.port, CONNECTIONS, requests.splice(0, per_round));
        if (round === 0) continue; // to warm up
        rates.push(per_round / answers.seconds);
        latencies.push(...answers.latencies);
      }
      const also = { 'p50 ms': percentile(latencies, 0.5), 'p99 ms': percentile(latencies, 0.99) };
      report.add({ name, on: engine.name, unit: '/s', rounds: rates, also });
    }
    report.add({
      name: 'memory resident',
      on: `${engine.name}, printing`,
      unit: 'MB',
      aim: '< 400',
      rounds: [ledger.memory().peak / 1e6],
    });
  } finally {
    await ledger.stop();
  }
}
