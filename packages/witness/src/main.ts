/** `./rcpt witness`: a witness in the foreground. */
import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { WrongUse } from '@rcpt/proof/cli-arguments.ts';
import { formatVerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { NotThisWitness, openKey } from './key.ts';
import { HELP, type Options, readOptions } from './options.ts';
import { openRecord, type WitnessRecord } from './record.ts';
import { createWitnessServer, drain, type Log } from './server.ts';

const log: Log = (level, msg, facts) => {
  const line = { level, time: new Date().toISOString(), service: 'witness', ...facts, msg };
  process.stderr.write(`${JSON.stringify(line)}\n`);
};

await main(process.argv.slice(2));

async function main(args: string[]): Promise<void> {
  try {
    const options = readOptions(args);
    if (options === null) process.stdout.write(HELP);
    else await run(options);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const wrong_use = error instanceof WrongUse;
    if (!wrong_use && !(error instanceof NotThisWitness) && code === undefined) throw error;
    process.stderr.write(`rcpt witness: ${message}${wrong_use ? '. See ./rcpt witness --help' : ''}\n`);
    process.exit(wrong_use ? 2 : 1);
  }
}

async function run({ name, logs, data, host, port }: Options): Promise<void> {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const record = openOwnRecord(data);
  const key = openKey(data, name, record);
  const now = () => Math.floor(Date.now() / 1000);
  const server = createWitnessServer({ key, logs, record, now }, log);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  process.stdout.write(`${formatVerifierKey(key.public)}\n`);

  let draining = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, async () => {
      if (draining) return;
      draining = true;
      log('info', 'draining', { signal });
      await drain(server);
      record.close();
      log('info', 'drained', {});
    });
  const { port: listening } = server.address() as AddressInfo;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${listening}`;
  log('info', 'listening', { url, pid: process.pid, origins: [...new Set(logs.map(({ name }) => name))] });
}

function openOwnRecord(data: string): WitnessRecord {
  try {
    return openRecord(join(data, 'record.db'));
  } catch (error) {
    const { message } = error as Error;
    const said = message.includes('locked') ? 'another witness runs on it; a key has one' : message;
    throw new NotThisWitness(`--data: ${data} cannot be used: ${said}`);
  }
}
