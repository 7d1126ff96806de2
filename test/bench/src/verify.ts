/** Verification of a whole chain beside reading and hashing the same rows; what it holds in memory; the offline verifier. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Database, Engine } from './database.ts';
import { HOME, startLedgerProcess } from './ledger-process.ts';
import { median } from './numbers.ts';
import type { Tenant } from './prepare.ts';
import type { Report } from './report.ts';

export interface VerifySizes {
  rounds: number;
}

/** A chain in the database, with the number of its receipts. */
export interface Chain {
  tenant: Tenant;
  receipts: number;
}

export async function measureVerify(
  engine: Engine,
  { url, folder }: Database,
  short: Chain,
  long: Chain,
  sizes: VerifySizes,
  report: Report,
): Promise<void> {
  const ledger = await startLedgerProcess(url, folder);
  try {
    await verifyChain(ledger.port, short.tenant.api_key); // to warm up
    const verified: number[] = [];
    const read: number[] = [];
    const cpu: number[] = [];
    const peaks = { short: 0, long: 0 };
    for (let round = 0; round < sizes.rounds; round++) {
      read.push(await readAndHash(url, long));
      ledger.forgetPeak();
      await verifyChain(ledger.port, short.tenant.api_key);
      peaks.short = Math.max(peaks.short, ledger.memory().peak);
      ledger.forgetPeak();
      const before = ledger.cpu().all_us;
      const { receipts_checked, seconds } = await verifyChain(ledger.port, long.tenant.api_key);
      if (receipts_checked !== long.receipts)
        throw new Error(`verified ${receipts_checked} of ${long.receipts} receipts`);
      verified.push(seconds);
      cpu.push((ledger.cpu().all_us - before) / receipts_checked);
      peaks.long = Math.max(peaks.long, ledger.memory().peak);
    }
    report.add({
      name: `verify ${long.receipts} receipts`,
      on: engine.name,
      unit: 's',
      rounds: verified,
      against: { name: 'read and hash', rounds: read },
      aim: '≤ 2',
      also: {
        'read and hash s': median(read),
        'receipts/s': long.receipts / median(verified),
        'server µs per receipt': median(cpu),
      },
    });
    const memory = { name: 'memory resident', unit: 'MB', aim: '< 400' };
    report.add({ ...memory, on: `${engine.name}, verifying ${short.receipts}`, rounds: [peaks.short / 1e6] });
    report.add({ ...memory, on: `${engine.name}, verifying ${long.receipts}`, rounds: [peaks.long / 1e6] });
    await offline(engine, ledger.port, folder, long, report);
  } finally {
    await ledger.stop();
  }
}

/** Throws unless the chain is whole. */
export async function verifyChain(
  port: number,
  api_key: string,
): Promise<{ receipts_checked: number; seconds: number }> {
  const began = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/ledger/verify`, {
    headers: { authorization: `Bearer ${api_key}` },
  });
  const report = (await response.json()) as { ok: boolean; receipts_checked: number };
  if (!report.ok) throw new Error(`the chain does not verify: ${JSON.stringify(report)}`);
  return { receipts_checked: report.receipts_checked, seconds: (performance.now() - began) / 1000 };
}

async function readAndHash(url: string, { tenant, receipts }: Chain): Promise<number> {
  const script = fileURLToPath(new URL('read-and-hash.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    script,
    url,
    tenant.organization_id,
  ]);
  const read = JSON.parse(stdout) as { receipts: number; seconds: number };
  if (read.receipts !== receipts) throw new Error(`read ${read.receipts} of ${receipts} receipts`);
  return read.seconds;
}

/** The export as an auditor takes it, and `./rcpt verify` over it. */
async function offline(
  engine: Engine,
  port: number,
  folder: string,
  { tenant, receipts }: Chain,
  report: Report,
): Promise<void> {
  const file = join(folder, 'chain.ndjson');
  const began = performance.now();
  const headers = { authorization: `Bearer ${tenant.api_key}`, accept: 'application/x-ndjson' };
  const response = await fetch(`http://127.0.0.1:${port}/ledger`, { headers });
  await pipeline(Readable.fromWeb(response.body as never), createWriteStream(file));
  const exported = (performance.now() - began) / 1000;
  report.add({
    name: `export ${receipts} receipts`,
    on: engine.name,
    unit: 's',
    rounds: [exported],
    also: { 'receipts/s': receipts / exported },
  });
  if (!existsSync(join(HOME, 'packages/proof/src/bin.ts'))) return report.say('no offline verifier here yet');
  const verifying = performance.now();
  const child = spawn(join(HOME, 'rcpt'), ['verify', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the offline verifier ended with ${code}`);
  const seconds = (performance.now() - verifying) / 1000;
  report.add({
    name: `verify ${receipts} offline`,
    on: engine.name,
    unit: 's',
    rounds: [seconds],
    also: { 'receipts/s': receipts / seconds },
  });
}
