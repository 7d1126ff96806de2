/** From the start of the process to its first healthy answer, on a database that is there already. */
import type { Engine } from './database.ts';
import { startLedgerProcess } from './ledger-process.ts';
import type { Report } from './report.ts';

export async function measureStart(engine: Engine, rounds: number, report: Report): Promise<void> {
  const { url, folder, db } = await engine.create('start');
  await db.close();
  const took: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const ledger = await startLedgerProcess(url, folder);
    if (round > 0) took.push(ledger.healthy_after_ms); // the first reads the program from disk
    await ledger.stop();
  }
  report.add({ name: 'start to healthy', on: engine.name, unit: 'ms', rounds: took });
}
