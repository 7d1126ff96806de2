/** The parts that can be looked at by themselves: options, lines, names of artifacts, GPUs, S3. */
import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { createLineSplitter, LONGEST_LINE } from '../src/logs/lines.ts';
import { openComplete, openSpool } from '../src/logs/spool.ts';
import { detectMachine, skusOf } from '../src/machine.ts';
import { readOptions, UsageError, wordsOf } from '../src/options.ts';
import { findArtifacts, typeOf } from '../src/run/artifacts.ts';
import { openStore } from '../src/store.ts';

// The same values every time; TEST_SEED=<number> tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

const folder = mkdtempSync(join(tmpdir(), 'worker-parts-'));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('the command line', () => {
  const given = ['--router', 'http://127.0.0.1:8088', '--exec', 'batch=true'];

  test('names what is wrong in one line', () => {
    const wrong: [string[], RegExp][] = [
      [[], /^--router: got nothing/],
      [['--router', 'ftp://x', '--exec', 'batch=true'], /^--router: got "ftp:\/\/x"/],
      [['--router', 'http://x'], /^--exec: got nothing/],
      [[...given, '--exec', 'cook=true'], /^--exec: got "cook=true"/],
      [[...given, '--exec', 'eval='], /^--exec: got "eval="/],
      [[...given, '--exec', "eval=echo 'open"], /^--exec: a quote/],
      [[...given, '--concurrency', '0'], /^--concurrency: got "0"/],
      [[...given, '--node', 'a b'], /^--node: got "a b"/],
      [[...given, '--artifacts', 'ftp:x'], /^--artifacts: takes/],
      [[...given, '--what'], /--what/],
    ];
    for (const [args, words] of wrong)
      assert.throws(
        () => readOptions(args, {}),
        (error: Error) => error instanceof UsageError && words.test(error.message),
        args.join(' '),
      );
  });

  test('a command is split into words as a shell would, and files are found from elsewhere too', () => {
    assert.deepEqual(wordsOf(`node "a b.ts" --x='1 "2"' \\$HOME "say \\"hi\\"" ''`), [
      'node',
      'a b.ts',
      '--x=1 "2"',
      '$HOME',
      'say "hi"',
      '',
    ]);
    const options = readOptions([...given, '--exec', 'fine_tune=node package.json --file none.ts'], {});
    assert.deepEqual(options?.executors.get('fine_tune'), ['node', resolve('package.json'), '--file', 'none.ts']);
  });

  test('the environment of a command has none of the services’ variables', () => {
    const environment = {
      PATH: '/bin',
      ROUTER_ENROLLMENT_TOKEN: 'e',
      LEDGER_API_KEY: 'k',
      AWS_SECRET_ACCESS_KEY: 's',
      HOME: '/root',
    };
    const options = readOptions(given, environment);
    assert.deepEqual(options?.environment, { PATH: '/bin', HOME: '/root' });
    assert.equal(options?.enrollment_token, 'e');
  });
});

describe('lines', () => {
  const split = (pieces: Buffer[]) => {
    const splitter = createLineSplitter();
    return [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()];
  };

  test('are the same however the bytes arrive', () => {
    const text = fc
      .array(fc.constantFrom('a', '€', '😀', '\n', '\r\n', '\r', ' '), { maxLength: 60 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat(80)), (whole, cuts) => {
        const bytes = Buffer.from(whole);
        const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        const expected = whole.split(/\r\n|\n|\r/);
        if (expected.at(-1) === '') expected.pop();
        assert.deepEqual(split(at.slice(1).map((end, i) => bytes.subarray(at[i], end))), expected);
      }),
    );
  });

  test('that never end are cut between characters, and nothing of them is lost', () => {
    const whole = `${'😀'.repeat(LONGEST_LINE)}a`;
    const lines = split(
      [
        ...Buffer.from(whole)
          .toString('binary')
          .match(/[\s\S]{1,9999}/g)!,
      ].map((part) => Buffer.from(part, 'binary')),
    );
    assert.ok(lines.length > 1 && lines.every((line) => line.length <= LONGEST_LINE && line.isWellFormed()));
    assert.equal(lines.join(''), whole);
  });

  test('come out of the spool in the chunks that went in, also when it is read while it is written', async () => {
    const path = join(folder, 'log.jsonl');
    const spool = await openSpool(path);
    const reading = (async () => {
      const chunks = [];
      for (let chunk = await spool.reader.next(AbortSignal.timeout(120_000)); chunk !== null; ) {
        chunks.push(chunk);
        chunk = await spool.reader.next(AbortSignal.timeout(120_000));
      }
      return chunks;
    })();
    for (let i = 0; i < 5_000; i++) await spool.add(i % 7 === 0 ? 'stderr' : 'stdout', [`${i} ${'x'.repeat(i % 100)}`]);
    await spool.close();
    const chunks = await reading;
    assert.deepEqual(
      chunks.map(({ sequence }) => sequence),
      chunks.map((_, i) => i),
    );
    assert.deepEqual(
      chunks.flatMap(({ lines }) => lines).map((line) => Number.parseInt(line, 10)),
      Array.from({ length: 5_000 }, (_, i) => i),
    );
    await spool.reader.close();

    const isRetryable = await openComplete(path, 0);
    assert.deepEqual(await isRetryable.next(AbortSignal.timeout(120_000)), chunks[0]);
    const rest = await openComplete(path, isRetryable.position);
    assert.deepEqual(await rest.next(AbortSignal.timeout(120_000)), chunks[1]);
    await Promise.all([isRetryable.close(), rest.close()]);
  });
});

describe('artifacts', () => {
  test('are regular files; a link leads nowhere', async () => {
    const artifacts = join(folder, 'artifacts');
    mkdirSync(join(artifacts, 'checkpoint'), { recursive: true });
    writeFileSync(join(artifacts, 'checkpoint', 'step-1.bin'), 'x');
    writeFileSync(join(artifacts, 'a.txt'), 'x');
    symlinkSync('/etc/passwd', join(artifacts, 'link'));
    symlinkSync('/etc', join(artifacts, 'etc'));
    assert.deepEqual(
      (await findArtifacts(artifacts)).map(({ name }) => name),
      ['a.txt', 'checkpoint/step-1.bin'],
    );
  });

  test('say by folder or name what they are', () => {
    const types = [
      'model.json',
      'out/adapter.safetensors',
      'dataset/x.bin',
      'rows.csv',
      'report.txt',
      'train.log',
      'metrics.json',
      'notes.txt',
      'step.ckpt',
    ];
    assert.deepEqual(types.map(typeOf), [
      'model',
      'model',
      'dataset',
      'dataset',
      'report',
      'log',
      'metrics',
      'other',
      'checkpoint',
    ]);
  });

  test('are stored in S3 under their key, with their hash, large ones in parts', async () => {
    const objects = new Map<string, Buffer>();
    const parts = new Map<string, Buffer>();
    const server = createServer(async (request, response) => {
      const url = new URL(request.url!, 'http://s3');
      const body: Buffer[] = [];
      for await (const piece of request) body.push(piece);
      const bytes = Buffer.concat(body);
      const part = url.searchParams.get('partNumber');
      if (request.method === 'POST' && url.searchParams.has('uploads'))
        return void response.end(
          '<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>',
        );
      if (request.method === 'POST') {
        objects.set(url.pathname, Buffer.concat([...parts.keys()].sort().map((key) => parts.get(key)!)));
        return void response.end('<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>');
      }
      if (part === null) objects.set(url.pathname, bytes);
      else parts.set(part, bytes);
      response.setHeader('etag', `"${createHash('md5').update(bytes).digest('hex')}"`);
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' });
    const store = openStore(
      `s3://models/lab?endpoint=http://127.0.0.1:${(server.address() as AddressInfo).port}&region=eu-central-1`,
    );
    try {
      for (const [name, size] of [
        ['small.bin', 1_000],
        ['large.bin', 20_000_000],
      ] as const) {
        const path = join(folder, name);
        writeFileSync(path, Buffer.alloc(size, name));
        const file = { path, byte_size: size, sha256: 'f'.repeat(64) };
        await store.putFile(`job_1/1/${name}`, file, AbortSignal.timeout(120_000));
        assert.equal(store.addressOf(`job_1/1/${name}`), `s3://models/lab/job_1/1/${name}`);
        assert.ok(objects.get(`/models/lab/job_1/1/${name}`)?.equals(readFileSync(path)), name);
      }
      assert.equal(parts.size, 2);
    } finally {
      store.close();
      server.close();
      server.closeAllConnections();
    }
  });
});

describe('the machine', () => {
  test('NVIDIA GPUs are found by nvidia-smi, and those with a price become SKUs', async () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const table =
      'NVIDIA GeForce RTX 5090, 32607, 512, 7, 41\\nNVIDIA RTX PRO 6000 Blackwell Workstation Edition, 97887, 0, [N/A], 38\\nTesla K80, 11441, 0, 0, 30\\n';
    writeFileSync(join(bin, 'nvidia-smi'), `#!/bin/sh\nprintf '${table}'\n`);
    chmodSync(join(bin, 'nvidia-smi'), 0o755);
    const path = process.env.PATH;
    process.env.PATH = `${bin}:${path}`;
    try {
      const machine = await detectMachine(process.env);
      assert.deepEqual(machine.gpus[1], {
        name: 'NVIDIA RTX PRO 6000 Blackwell Workstation Edition',
        memory_mib: 97_887,
        memory_used_mib: 0,
        utilization_percent: null,
        temperature_celsius: 38,
      });
      assert.deepEqual(skusOf(machine), ['rog_astral_5090_32gb', 'rtx6000_blackwell_96gb']);
      assert.ok(machine.cpu_count > 0 && machine.memory_bytes > 0);
    } finally {
      process.env.PATH = path;
    }
  });
});
