/** One mint after another on a short chain and on a long one: the length must not be felt. */
import type { Database, Engine } from './database.ts';
import { startLedgerProcess } from './ledger-process.ts';
import { answer } from './load.ts';
import { mintRequests } from './mint.ts';
import { percentile } from './numbers.ts';
import { chainOf, found, type Tenant } from './prepare.ts';
import { quiet } from './quiet.ts';
import type { Report } from './report.ts';

export interface ScaleSizes {
  rounds: number;
  mints_per_round: number;
  short: number;
  long: number;
}

export async function measureScale(
  engine: Engine,
  long: { database: Database; tenant: Tenant },
  sizes: ScaleSizes,
  report: Report,
): Promise<void> {
  const database = await engine.create('short');
  const tenant = await found(database.db, 'Short Chain');
  await chainOf(database.db, tenant, sizes.short, () => {});
  const sides = [];
  for (const side of [{ database, tenant }, long]) {
    const requests = await mintRequests(side.database.db, [side.tenant], (sizes.rounds + 1) * sizes.mints_per_round);
    const ledger = await startLedgerProcess(side.database.url, side.database.folder);
    sides.push({ ...side, requests, ledger, p50s: [] as number[], p99s: [] as number[] });
  }
  try {
    for (let round = 0; round <= sizes.rounds; round++)
      for (const { database, ledger, requests, p50s, p99s } of sides) {
        await quiet(ledger, database.db);
        const { latencies } = await answer(ledger.port, 1, requests.splice(0, sizes.mints_per_round));
        if (round === 0) continue; // to warm up
        p50s.push(percentile(latencies, 0.5));
        p99s.push(percentile(latencies, 0.99));
      }
    const [few, many] = sides as [(typeof sides)[0], (typeof sides)[0]];
    const name = 'mint latency, one at a time';
    report.add({
      name,
      on: `${engine.name}, ${sizes.short} receipts`,
      unit: 'ms',
      rounds: few.p50s,
      also: { 'p99 ms': percentile(few.p99s, 0.5) },
    });
    report.add({
      name,
      on: `${engine.name}, ${sizes.long} receipts`,
      unit: 'ms',
      rounds: many.p50s,
      against: { name: `at ${sizes.short}`, rounds: few.p50s },
      aim: '≤ 1.2',
      also: { 'p99 ms': percentile(many.p99s, 0.5) },
    });
  } finally {
    for (const { ledger } of sides) await ledger.stop();
    await database.db.close();
  }
}
