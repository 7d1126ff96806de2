/** The README's five minutes, run as they stand there, and its test command is what CI runs. */
import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from './kit/folders.ts';
import { startUp } from './kit/process.ts';

const README = readFileSync('README.md', 'utf8');
const blocks = [...README.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1]!);
const [fiveMinutes = '', proofLines = ''] = [
  ...README.matchAll(/<!-- readme\.test\.ts runs this block -->\n```sh\n([\s\S]*?)```/g),
].map((match) => match[1]!);

describe('the README', () => {
  const folder = temporaryFolder('readme');
  let started: Awaited<ReturnType<typeof startUp<{ ledger_url: string }>>>;

  before(async () => {
    started = await startUp(join(folder, 'data'));
  });
  after(async () => assert.equal(await started.stop(), 0, 'up drains and exits 0'));

  test('its two commands are npm ci and npm start', () => {
    assert.equal(blocks[0], 'npm ci\nnpm start\n');
  });

  test('its five minutes end in a receipt, a chain and a deliverable that verify offline', async () => {
    const script = `${fiveMinutes}${proofLines}`
      .replaceAll('http://127.0.0.1:8080', started.standing.ledger_url)
      .replaceAll('./data/', `${folder}/data/`)
      .replaceAll('./rcpt', resolve('rcpt'));
    const { stdout } = await promisify(execFile)('sh', ['-eu', '-c', script], { cwd: folder });
    assert.match(stdout, /receipt\.json: OK/);
    assert.match(stdout, /chain\.ndjson: OK/);
    assert.match(stdout, /INCLUSION/i);
    const receipt = JSON.parse(readFileSync(join(folder, 'receipt.json'), 'utf8'));
    assert.equal(receipt.schema, 'service.receipt/v1');
    const exported = readFileSync(join(folder, 'chain.ndjson'), 'utf8').trim().split('\n');
    assert.equal(JSON.parse(exported.at(-1)!).receipt_sha256, receipt.receipt_sha256);
    const output_sha256 = createHash('sha256')
      .update(readFileSync(join(folder, 'deliverable.txt')))
      .digest('hex');
    assert.equal(receipt.execution.output_sha256, output_sha256);
    assert.ok(stdout.includes(`${output_sha256}\n${output_sha256}  deliverable.txt\n`), stdout);
    assert.match(stdout, /deliverable\.txt: OK\. This file is the sealed output\./);
  });

  test('its test command is the one CI runs', () => {
    const command = blocks.find((block) => block.includes('npm test'))?.trim();
    assert.ok(command !== undefined);
    assert.ok(readFileSync('.ci/run', 'utf8').split('\n').includes(`${command} && npm run test:full`));
  });

  test('its links lead to files that are there', () => {
    for (const [, target] of README.matchAll(/\]\(([^)#]+)\)/g))
      if (!target!.startsWith('http')) assert.ok(existsSync(target!), `${target} is not there`);
  });
});
