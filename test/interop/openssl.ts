/** What `openssl` alone verifies: the commands are those of docs/spec.md §33.1 and §36, run as they stand there. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatVerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { bundleOf, signedBytesOf, statementOf } from '@rcpt/proof/statement.ts';
import { type MadeLog, type Signer, signer } from './made.ts';
import { type Case, run, type Suite, versionOf } from './tool.ts';

const SPECIFICATION = join(import.meta.dirname, '..', '..', 'docs', 'spec.md');
const VECTORS = join(import.meta.dirname, '../../vectors/valid');

/** A block of commands, with the files that lie where it runs. */
export interface OpensslCase extends Case {
  block: string;
  key: string;
  files: Record<string, string | Uint8Array>;
}

export function opensslSuite(cases: OpensslCase[], folder: string): Suite {
  return {
    tool: 'openssl',
    cases,
    async lacks() {
      const version = await versionOf('openssl', 'version');
      if (version === null) return 'there is no openssl';
      return /^OpenSSL [3-9]/.test(version) ? null : `its openssl is ${version}, and Ed25519 takes OpenSSL 3`;
    },
    async judge() {
      const answers = new Map();
      for (const [i, { name, block, key, files }] of cases.entries()) {
        const place = join(folder, `openssl-${i}`);
        mkdirSync(place);
        for (const [file, bytes] of Object.entries(files)) writeFileSync(join(place, file), bytes);
        const commands = `set -eu\n${commandsOf('key')}${commandsOf(block)}`;
        const { code, stdout, stderr } = await run('sh', ['-c', commands], { cwd: place, env: { KEY: key } });
        answers.set(name, { holds: code === 0, why: `${stdout}${stderr}` });
      }
      return answers;
    },
  };
}

/** The commands that follow this mark in the specification. */
export function commandsOf(block: string): string {
  const [, commands] =
    new RegExp(`<!-- run: ${block} -->\n\`\`\`sh\n([^]*?)\`\`\``).exec(readFileSync(SPECIFICATION, 'utf8')) ?? [];
  if (commands === undefined) throw new Error(`docs/spec.md has no commands called ${block}`);
  return commands;
}

export async function madeCases(made: MadeLog): Promise<OpensslCase[]> {
  const receipt = readFileSync(join(VECTORS, 'receipt--generic.json'));
  const other = readFileSync(join(VECTORS, 'receipt--eval.json'));
  const own = formatVerifierKey(made.log.key);
  const stranger = signer(made.log.key.name, 1);
  const statement = statementBy(made.log, receipt);
  const forged = statementBy(stranger, receipt);
  const checkpoint = await made.checkpointOf(made.records.length, true);
  const altered = checkpoint.replace(`\n${made.records.length}\n`, '\n69999\n');
  const stated = { block: 'statement', key: own };
  const signed = { block: 'checkpoint', key: own };
  return [
    { name: 'a statement', holds: true, ...stated, files: { 'statement.json': statement, 'receipt.json': receipt } },
    {
      name: 'a statement about another receipt',
      holds: false,
      ...stated,
      files: { 'statement.json': statement, 'receipt.json': other },
    },
    {
      name: 'a statement signed by another key',
      holds: false,
      ...stated,
      files: { 'statement.json': forged, 'receipt.json': receipt },
    },
    { name: 'a checkpoint with a cosignature', holds: true, ...signed, files: { checkpoint } },
    { name: 'a checkpoint whose size was changed', holds: false, ...signed, files: { checkpoint: altered } },
    {
      name: 'a checkpoint, of another key',
      holds: false,
      ...signed,
      key: formatVerifierKey(stranger.key),
      files: { checkpoint },
    },
  ];
}

function statementBy(log: Signer, receipt: Uint8Array): string {
  const statement = statementOf(receipt, log.key.name);
  return bundleOf(statement, log.key.key, log.sign(signedBytesOf(statement)));
}
