/** `npm start` as a person meets it: the first start, a second one, a crash in between, a port that is taken. */
import { strict as assert } from 'node:assert';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ledgerClient } from '@rcpt/contract/client/ledger.ts';
import { routerClient } from '@rcpt/contract/client/router.ts';
import { Price } from '@rcpt/contract/prices.ts';
import type { Demo } from '../src/demo/demo.ts';
import { ownPrice, pricesFile } from '../src/demo/own-machine.ts';

// Not through the launcher: a SIGKILL has to hit the process itself.
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

const folders: string[] = [];
const started: ChildProcess[] = [];
after(() => {
  for (const child of started) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'up-'));
  folders.push(folder);
  return folder;
}

interface Up {
  child: ChildProcess;
  said: string[];
  /** Once all it said has come. */
  ended: Promise<number | null>;
  /** Resolves with what `--json` printed. */
  stands: Promise<{ ledger_url: string; router_url: string; demo: Demo; sign_in_url: string }>;
  /** Resolves once it has said so, or stands: it has said so before it was killed the last time. */
  says(words: string): Promise<void>;
}

function startUp(data: string, environment: Record<string, string> = {}): Up {
  // A test machine may be busy with others: that is not what is tested here.
  const patience = { LEDGER_OVERLOAD_DELAY_MS: '60000', ROUTER_OVERLOAD_DELAY_MS: '60000' };
  const env = { ...process.env, LEDGER_PORT: '0', ROUTER_PORT: '0', ...patience, ...environment };
  const child = spawn(process.execPath, [MAIN, 'up', '--data', data, '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  const said: string[] = [];
  const lines = createInterface({ input: child.stderr! });
  lines.on('line', (line) => said.push(line));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const stands = Promise.race([
    once(createInterface({ input: child.stdout! }), 'line').then(([line]) => JSON.parse(String(line))),
    ended.then(() => Promise.reject(new Error(`up ended: ${said.join('\n')}`))),
  ]);
  stands.catch(() => undefined);
  return {
    child,
    said,
    ended,
    stands,
    async says(words) {
      let standing = false;
      const isStanding = stands.then(() => {
        standing = true;
      });
      isStanding.catch(() => undefined);
      while (!standing && !said.some((line) => line.startsWith(words)))
        await Promise.race([once(lines, 'line'), isStanding]);
    },
  };
}

async function stop({ child, ended }: Up): Promise<number | null> {
  child.kill('SIGTERM');
  return ended;
}

/** Processes whose environment names this folder. */
function processesOf(data: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`:${data}/`);
      } catch {
        return false;
      }
    });
}

/** A process that was told to end takes its moment. */
async function noProcessesOf(data: string, when: string): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (processesOf(data).length > 0) {
    assert.ok(performance.now() < deadline, `left behind ${when}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function receiptsOf(ledger_url: string, demo: Demo): Promise<Record<string, never>[]> {
  const answer = await fetch(`${ledger_url}/ledger`, { headers: { authorization: `Bearer ${demo.auditor_key}` } });
  return ((await answer.json()) as { receipts: Record<string, never>[] }).receipts;
}

/** Whom the printed link signs in, and as what. */
async function signedIn(ledger_url: string, sign_in_url: string): Promise<string[]> {
  const [page, token] = sign_in_url.split('#token=');
  assert.equal(page, `${ledger_url}/sign-in`);
  const answer = await fetch(`${ledger_url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  const { name, role } = (await answer.json()) as { name: string; role: string };
  return [name, role];
}

describe('the machine it runs on', () => {
  test('is named by its own processor, at a rate that is said to be the demo’s', () => {
    assert.deepEqual(ownPrice('Intel(R) Xeon(R) CPU E5-2686 v4 @ 2.30GHz'), {
      gpu_type: 'cpu_intel_xeon_cpu_e5_2686_v4_2_30ghz',
      gpu_name: 'Intel(R) Xeon(R) CPU E5-2686 v4 @ 2.30GHz (CPU, demo rate)',
      vram_gb: 0,
      hourly_rate_usd: 0.2,
    });
    for (const model of ['', ' ', '(R)', '日本', 'x'.repeat(500)])
      assert.equal(Price.safeParse(ownPrice(model)).success, true, model);
    assert.equal(ownPrice('').gpu_type, 'cpu_of_unknown_model');
  });

  test('has a row in a file that is kept, beside the rows of PRICES_FILE', () => {
    const data = temporaryFolder();
    const own = join(data, 'prices.json');
    const earlier = { ...ownPrice('An earlier machine'), hourly_rate_usd: 1 };
    writeFileSync(own, JSON.stringify([earlier]));
    const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
    assert.equal(pricesFile(data, undefined), own);
    assert.deepEqual(read(own), [earlier, ownPrice()]);
    writeFileSync(own, JSON.stringify([{ ...ownPrice(), hourly_rate_usd: 0.35 }]));
    pricesFile(data, '');
    assert.deepEqual(read(own), [{ ...ownPrice(), hourly_rate_usd: 0.35 }], 'what somebody changed stays');

    const theirs = join(data, 'theirs.json');
    const row = { gpu_type: 'h100', gpu_name: 'H100', vram_gb: 80, hourly_rate_usd: 9 };
    writeFileSync(theirs, JSON.stringify([row]));
    assert.deepEqual(read(pricesFile(data, theirs)), [row, { ...ownPrice(), hourly_rate_usd: 0.35 }]);
    assert.deepEqual(read(theirs), [row]);
    writeFileSync(theirs, '{');
    assert.equal(pricesFile(data, theirs), theirs, 'the ledger says what is wrong with it');
  });
});

describe('npm start', () => {
  test('ends in three receipts, the cook with its pin sealed in; a second start changes nothing', async () => {
    const data = join(temporaryFolder(), 'data');
    const first = startUp(data);
    const { ledger_url, router_url, demo, sign_in_url } = await first.stands;
    const { training } = demo;
    const another = startUp(data);
    assert.equal(await another.ended, 2);
    assert.match(another.said.join('\n'), /^rcpt up: another \.\/rcpt up runs on .*\/data: use that one/);
    const [benchmark, pin, cook] = (await receiptsOf(ledger_url, demo)) as unknown as [
      { schema: string },
      { schema: string; receipt_sha256: string; receipt_id: string },
      { schema: string; receipt_id: string; cook: Record<string, unknown>; pinned_model: Record<string, unknown> },
    ];
    assert.deepEqual(
      [benchmark.schema, pin.schema, cook.schema],
      ['service.eval-receipt/v1', 'service.model-pin-receipt/v1', 'service.cook-receipt/v1'],
    );
    assert.equal(cook.pinned_model.pin_receipt_id, pin.receipt_id);
    assert.equal(cook.pinned_model.pin_receipt_sha256, pin.receipt_sha256);
    const price = ownPrice();
    assert.equal(cook.cook.runner, price.gpu_type);
    const { metrics, eval_before, eval_after } = cook.cook as {
      metrics: Record<string, unknown>;
      eval_before: number;
      eval_after: number;
    };
    assert.ok(eval_after > eval_before);
    assert.deepEqual([metrics.job_id, metrics.model_sha256], [training?.job_id, training?.model?.sha256]);

    assert.deepEqual([metrics.billed_seconds, (metrics.duration_seconds as number) < 60], [1, true]);
    // No receipt and nothing that is shown names hardware that was not there, or somebody who read what a program approved.
    const shown = await Promise.all(
      [demo.share_url!, training!.pin!.share_url, training!.cook!.share_url].flatMap((url) =>
        ['application/json', 'text/html'].map(async (accept) => (await fetch(url, { headers: { accept } })).text()),
      ),
    );
    const runs = JSON.stringify(await ledgerClient({ base_url: ledger_url, token: demo.auditor_key }).listRuns());
    const lines = readdirSync(join(data, 'receipts'))
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => readFileSync(join(data, 'receipts', name), 'utf8'));
    for (const text of [...shown, runs, ...lines, ...first.said])
      assert.doesNotMatch(text, /5090|rtx|rog_astral|this machine['’]s GPU|compared with|[Rr]ead by/);
    assert.ok(runs.includes(`${price.gpu_name} at 0.20 USD per hour`));

    const router = routerClient({ base_url: router_url });
    const forwarded = routerClient({ base_url: `${ledger_url}/router`, token: demo.auditor_key });
    assert.deepEqual(await forwarded.listJobs(), await router.listJobs(), 'people see the router through the ledger');
    const job = await router.getJob(training!.job_id!);
    assert.deepEqual([job.status, job.attempt, job.assigned_node_id], ['completed', 1, `local-${price.gpu_type}`]);
    assert.deepEqual(
      (await router.inventory()).map(({ tags }) => tags.includes('runs on the CPU of this machine')),
      [true],
    );
    assert.equal((await router.verifyReceipts()).ok, true);
    assert.equal(statSync(join(data, 'demo.json')).mode & 0o777, 0o600);
    const kept = readFileSync(join(data, 'demo.json'), 'utf8');
    assert.deepEqual(await signedIn(ledger_url, sign_in_url), ['owner@workshop.example', 'owner']);
    assert.equal(await stop(first), 0);
    await noProcessesOf(data, 'after a stop');

    const second = startUp(data);
    const again = await second.stands;
    assert.deepEqual(again.demo, JSON.parse(kept));
    assert.deepEqual(second.said, []);
    assert.notEqual(again.sign_in_url, sign_in_url);
    assert.deepEqual(await signedIn(again.ledger_url, again.sign_in_url), ['owner@workshop.example', 'owner']);
    assert.equal((await receiptsOf(again.ledger_url, demo)).length, 3);
    assert.equal((await ledgerClient({ base_url: again.ledger_url, token: demo.auditor_key }).verify()).ok, true);
    assert.equal((await routerClient({ base_url: again.router_url }).listWorkers()).length, 1);
    assert.equal(await stop(second), 0);
  });

  test('killed at step after step, it takes up where it was, and leaves no process behind', async () => {
    const data = join(temporaryFolder(), 'data');
    // A job whose worker is killed while it runs comes back when its lease is over: soon, here.
    const environment = { ROUTER_LEASE_SECONDS: '10' };
    for (const step of ['Member', 'Job', 'Completed', 'Pin', 'Cook']) {
      const up = startUp(data, environment);
      await up.says(step);
      const exited = once(up.child, 'exit');
      up.child.kill('SIGKILL');
      await exited;
      await noProcessesOf(data, `after ${step}`);
    }
    const last = startUp(data, environment);
    const { ledger_url, router_url, demo } = await last.stands;
    assert.equal((await receiptsOf(ledger_url, demo)).length, 3);
    const router = routerClient({ base_url: router_url });
    assert.equal((await router.listJobs()).length, 1);
    assert.equal((await router.verifyReceipts()).ok, true);
    assert.equal(await stop(last), 0);
  });

  test('a taken port is said in one line, and nothing stays up', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const data = join(temporaryFolder(), 'data');
    try {
      const up = startUp(data, { ROUTER_PORT: String(port) });
      assert.equal(await up.ended, 1);
      assert.equal(up.said.length, 1, up.said.join('\n'));
      assert.match(up.said[0]!, new RegExp(`^rcpt router: ROUTER_PORT: .*${port}; takes a free port`));
      await noProcessesOf(data, 'after a start in vain');
      assert.ok(existsSync(join(data, 'ledger.db')));
    } finally {
      taken.close();
    }
  });
});
