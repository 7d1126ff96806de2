/** A benchmark of the machine it runs on: really measured, with a raw log line for every second of work. */

import { closeSync, fdatasyncSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { canonicalize } from '@rcpt/proof/canonical.ts';
import { GENESIS_HASH } from '@rcpt/proof/chain.ts';
import { sha256Hex } from '@rcpt/proof/sha256.ts';

export interface Measurement {
  name: 'sha256' | 'canonicalize' | 'disk_sync';
  /** Operations done. */
  count: number;
  /** What one operation is. */
  unit: string;
  duration_seconds: number;
  rate_per_second: number;
}

export interface Benchmark {
  machine: { cpu: string; cores: number; memory_bytes: number; platform: string; node: string };
  measurements: Measurement[];
  started_at: string;
  finished_at: string;
}

/** Takes about three seconds. `log` gets raw lines: one per slice of work, with the clock as it was read. */
export async function measureMachine(folder: string, log: (line: string) => void): Promise<Benchmark> {
  const started_at = new Date().toISOString();
  const block = new Uint8Array(65_536).map((_, i) => i % 251);
  const record = {
    schema: 'service.receipt/v1',
    org_seq: 7,
    parent_hash: GENESIS_HASH,
    inputs: { task: 'measure', sizes: [1, 2.5, 1e-7] },
  };
  const measurements = [
    await measure('sha256', 'hash of 65536 bytes', () => void sha256Hex(block), log),
    await measure('canonicalize', 'canonical JSON of a small record', () => void canonicalize(record), log),
    await measureDisk(folder, log),
  ];
  const cpu = cpus();
  return {
    machine: {
      cpu: cpu[0]?.model.trim() || 'unknown',
      cores: cpu.length,
      memory_bytes: totalmem(),
      platform: `${platform()} ${release()}`,
      node: process.version,
    },
    measurements,
    started_at,
    finished_at: new Date().toISOString(),
  };
}

async function measureDisk(folder: string, log: (line: string) => void): Promise<Measurement> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `.sync-${process.pid}`);
  const file = openSync(path, 'w', 0o600);
  const line = 'x'.repeat(1_500);
  try {
    return await measure(
      'disk_sync',
      'append of 1500 bytes, synced to disk',
      () => {
        writeSync(file, line);
        fdatasyncSync(file);
      },
      log,
    );
  } finally {
    closeSync(file);
    rmSync(path, { force: true });
  }
}

const SLICES = 5;
const SLICE_MS = 200;

async function measure(
  name: Measurement['name'],
  unit: string,
  operation: () => void,
  log: (line: string) => void,
): Promise<Measurement> {
  let count = 0;
  let elapsed = 0;
  for (let slice = 1; slice <= SLICES; slice++) {
    const began = performance.now();
    let done = 0;
    do {
      operation();
      done++;
    } while (performance.now() - began < SLICE_MS);
    const took = performance.now() - began;
    count += done;
    elapsed += took;
    log(`${new Date().toISOString()} ${name} slice ${slice}/${SLICES}: ${done} operations in ${took.toFixed(3)} ms`);
    await new Promise((lap) => setImmediate(lap));
  }
  const duration_seconds = Math.round(elapsed * 1_000) / 1_000_000;
  return {
    name,
    count,
    unit,
    duration_seconds,
    rate_per_second: Math.round((count / duration_seconds) * 1_000) / 1_000,
  };
}
