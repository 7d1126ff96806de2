/** Our ledger submits, as it does to every witness, to `filippo.io/torchwood`'s litewitness, and accepts its cosignatures. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { toBase64 } from '@rcpt/proof/log/bytes.ts';
import { emptyRoot } from '@rcpt/proof/log/merkle.ts';
import { formatVerifierKey, parseVerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { submitToWitness } from '../../packages/ledger/src/witnesses/exchange.ts';
import { createLog, type TestLog } from '../../packages/witness/test/kit/log.ts';
import { ownPort } from '../kit/own-port.ts';
import { until } from '../kit/until.ts';
import { signer } from './made.ts';
import { type Answer, run, type Suite, versionOf } from './tool.ts';

const MODULE = join(import.meta.dirname, 'litewitness');
const NAME = 'witness.example/lite';

/** As its database begins; its own command for that is of a module that not every machine can fetch. */
const SCHEMA = `
create table log (origin text primary key, tree_size integer not null, tree_hash text not null);
create table key (origin text not null, key text not null, foreign key (origin) references log (origin));
create table bastion (origin text not null, bastion text not null, foreign key (origin) references log (origin));
`;

interface Sent {
  name: string;
  holds: boolean;
  old_size: number;
  size: number;
  log: TestLog;
  /** Other than the witness's own. */
  key?: string;
}

export function litewitnessSuite(folder: string): Suite {
  const built = join(folder, 'litewitness');
  const log = createLog('ledger.example/org/org_1');
  const stranger = formatVerifierKey(signer(NAME, 4).key);
  const cases: Sent[] = [
    { name: 'the first checkpoint', holds: true, log, old_size: 0, size: 5 },
    { name: 'the same one again', holds: true, log, old_size: 5, size: 5 },
    { name: 'one that extends it', holds: true, log, old_size: 5, size: 257 },
    { name: 'one held against another key', holds: false, log, old_size: 257, size: 257, key: stranger },
    { name: 'one from a size that it has passed', holds: false, log, old_size: 5, size: 258 },
    { name: 'a rewritten log', holds: false, log: log.fork(0), old_size: 257, size: 300 },
    { name: 'a log whose end was cut off and grew again', holds: false, log: log.fork(250), old_size: 257, size: 300 },
    { name: 'a log of another key', holds: false, log: createLog(log.key.name), old_size: 257, size: 300 },
    { name: 'the log itself, after all that', holds: true, log, old_size: 257, size: 300 },
  ];
  return {
    tool: 'filippo.io/torchwood’s litewitness, our ledger’s submissions',
    cases,
    lacks: () => lacks(built, folder),
    async judge() {
      const running: ChildProcess[] = [];
      try {
        const { url, vkey } = await startLitewitness(built, folder, log, running);
        const answers = new Map<string, Answer>();
        for (const sent of cases) answers.set(sent.name, await send(sent, url, vkey));
        return answers;
      } finally {
        for (const child of running.reverse()) child.kill();
      }
    },
  };
}

async function send({ log, old_size, size, key }: Sent, url: string, vkey: string): Promise<Answer> {
  const checkpoint = await log.checkpoint(size);
  const proof = await log.proof(old_size, size);
  const reply = await submitToWitness(
    { url, key: parseVerifierKey(key ?? vkey), old_size, proof, checkpoint },
    { only_public: false, signal: new AbortController().signal },
  );
  return { holds: reply.kind === 'cosigned', why: JSON.stringify(reply) };
}

async function lacks(built: string, folder: string): Promise<string | null> {
  if ((await versionOf('go', 'version')) === null) return 'there is no go';
  for (const command of ['ssh-agent', 'ssh-add', 'ssh-keygen'])
    if ((await run('/bin/sh', ['-c', `command -v ${command}`], { cwd: folder })).code !== 0)
      return `there is no ${command}, which holds its key`;
  const env = { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly' };
  const words = ['build', '-o', built, 'filippo.io/torchwood/cmd/litewitness'];
  const { code, stderr } = await run('go', words, { cwd: MODULE, env });
  return code === 0 ? null : `go cannot build it: ${stderr.trim().split('\n').at(-1)}`;
}

/** Its key is held by an agent of its own. */
async function startLitewitness(
  built: string,
  folder: string,
  log: TestLog,
  running: ChildProcess[],
): Promise<{ url: string; vkey: string }> {
  const [key, agent, database] = ['lite-key', 'lite-agent', 'lite.db'].map((file) => join(folder, file)) as [
    string,
    string,
    string,
  ];
  watch(database, log);
  await done('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  const fingerprint = /SHA256:\S+/.exec(await done('ssh-keygen', ['-lf', key]))![0];
  running.push(spawn('ssh-agent', ['-D', '-a', agent], { stdio: 'ignore' }));
  await until('the agent', () => existsSync(agent));
  await done('ssh-add', ['-q', key], { SSH_AUTH_SOCK: agent });
  const listen = `127.0.0.1:${await ownPort()}`;
  const words = ['-db', database, '-key', fingerprint, '-listen', listen, '-name', NAME, '-ssh-agent', agent];
  const child = spawn(built, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  running.push(child);
  let vkey = '';
  for await (const line of createInterface({ input: child.stderr })) {
    vkey ||= /vkey=(\S+)/.exec(line)?.[1] ?? '';
    if (line.includes('msg=listening')) break;
  }
  await until('litewitness', () =>
    fetch(`http://${listen}/`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return { url: `http://${listen}`, vkey };

  async function done(command: string, args: string[], env: Record<string, string> = {}): Promise<string> {
    const { code, stdout, stderr } = await run(command, args, { cwd: folder, env });
    if (code !== 0) throw new Error(`${command}: ${stderr}`);
    return stdout;
  }
}

function watch(database: string, { key, vkey }: TestLog): void {
  const db = new DatabaseSync(database);
  db.exec(SCHEMA);
  db.prepare('insert into log values (?, 0, ?)').run(key.name, toBase64(emptyRoot()));
  db.prepare('insert into key values (?, ?)').run(key.name, vkey);
  db.close();
}
