/** A witness in the process of the test. */
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatVerifierKey, parseVerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { openKey } from '../../src/key.ts';
import { openRecord, type WitnessRecord } from '../../src/record.ts';
import { createWitnessServer, drain } from '../../src/server.ts';

export interface ServingWitness {
  url: string;
  vkey: string;
  record: WitnessRecord;
  /** It watches these logs, too. */
  watch(...vkeys: string[]): void;
  /** Nobody answers under its address until `resume`. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}

export async function serveWitness(name: string): Promise<ServingWitness> {
  const folder = mkdtempSync(join(tmpdir(), 'witness-'));
  const record = openRecord(join(folder, 'record.db'));
  const key = openKey(folder, name, record);
  const logs: ReturnType<typeof parseVerifierKey>[] = [];
  const now = () => Math.floor(Date.now() / 1000);
  let port = 0;
  let server = await listen();

  async function listen() {
    const started = createWitnessServer({ key, logs, record, now }, () => undefined);
    await new Promise<void>((resolve, reject) =>
      started.once('error', reject).listen(port, '127.0.0.1', () => resolve()),
    );
    port = (started.address() as AddressInfo).port;
    return started;
  }

  return {
    url: `http://127.0.0.1:${port}`,
    vkey: formatVerifierKey(key.public),
    record,
    watch: (...vkeys) => void logs.push(...vkeys.map(parseVerifierKey)),
    pause: () => drain(server),
    async resume() {
      server = await listen();
    },
    async close() {
      await drain(server);
      record.close();
      rmSync(folder, { recursive: true });
    },
  };
}
