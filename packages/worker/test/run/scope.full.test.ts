/** What a hostile job finds of its worker, and what it leaves running. */
import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { endGroup, findOwnGroup } from '../../src/run/cgroup.ts';
import { endOrphans } from '../../src/run/orphans.ts';
import {
  isRunning,
  linesOf,
  queue,
  type RunningRouter,
  reaches,
  script,
  startRouter,
  startWorker,
  temporaryFolder,
  until,
} from '../kit/worker.ts';

const ENROLLMENT = 'enroll-0123456789abcdef';
const SECRETS = { ROUTER_ENROLLMENT_TOKEN: ENROLLMENT, AWS_SECRET_ACCESS_KEY: 'hush-hush', LEDGER_API_KEY: 'rk_hush' };

/** Prints every environment and memory it can read, and every file below the state folder. */
const SPY = script(`
  import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
  const read = (path) => { try { return readFileSync(path, 'latin1'); } catch { return ''; } };
  const { worker, state } = JSON.parse(readFileSync(process.env.JOB_FILE, 'utf8')).payload;
  for (const pid of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)))
    for (const file of ['environ', 'cmdline']) {
      const text = read('/proc/' + pid + '/' + file);
      for (const secret of ['${ENROLLMENT}', 'hush-hush', 'rk_hush', 'dwrk_']) if (text.includes(secret)) console.log(secret + ' in ' + file + ' of ' + pid);
    }
  const maps = read('/proc/' + worker + '/maps');
  if (maps !== '') console.log('reads the memory map');
  try { closeSync(openSync('/proc/' + worker + '/mem', 'r')); console.log('reads the memory'); } catch {}
  if (read('/proc/' + worker + '/fd/0') !== '') console.log('reads what was handed over');
  for (const root of [state, '/proc/' + worker + '/root' + state]) {
    let names = [];
    try { names = readdirSync(root, { recursive: true }); } catch {}
    for (const name of names)
      if (/dwrk_|dlease_/.test(read(root + '/' + name))) console.log('reads ' + name);
  }
  console.log('looked');
`);

async function spied(more: string[]) {
  const router = await startRouter({ ROUTER_ENROLLMENT_TOKEN: ENROLLMENT });
  const worker = await startWorker(router.url, { exec: { batch: SPY }, environment: SECRETS, more });
  const { id } = await queue(router, { payload: { worker: worker.pid, state: worker.state } });
  await reaches(router, id, 'completed');
  const environ = readFileSync(`/proc/${worker.pid}/environ`, 'utf8');
  for (const secret of Object.values(SECRETS)) assert.ok(!environ.includes(secret), 'what it was started with');
  const [ready] = worker.log.filter(({ msg }) => msg === 'ready');
  return { found: await linesOf(router, id), ready, pid: worker.pid };
}

/** Whether this system lets a job have namespaces; then it must. */
async function canIsolate(): Promise<boolean> {
  const router = await startRouter();
  const worker = await startWorker(router.url, { exec: { batch: 'true' } });
  return worker.log.some(({ isolated }) => isolated === true);
}

/** The processes that wait for exactly this long. */
function sleepers(seconds: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${seconds}\0` && isRunning(pid);
      } catch {
        return false;
      }
    });
}

/** The command that runs these lines of a shell. */
function shell(lines: string): string {
  const file = join(temporaryFolder(), 'command.sh');
  writeFileSync(file, lines);
  return `sh ${file}`;
}

let next = 100_000 + (process.pid % 1_000) * 100;
/** A child that leaves the session, and one whose parent is gone too; with `evading` one that clears its environment as well. */
function stray({ ends, evading }: { ends: boolean; evading: boolean }) {
  const seconds = next++;
  const evader = evading ? `(setsid env -i sh -c 'sleep ${seconds} & sleep 0.2' &)` : '';
  const count = evading ? 3 : 2;
  const command = `
    setsid sh -c 'exec sleep ${seconds}' &
    (setsid sh -c '(exec sleep ${seconds}) & exit' &)
    ${evader}
    sleep 1
    echo started
    ${ends ? 'exit 0' : 'wait'}`;
  return { seconds, count, exec: { batch: shell(command) } };
}

async function startedStrays(
  router: RunningRouter,
  id: string,
  { seconds, count }: { seconds: number; count: number },
) {
  await until('its first line', async () => (await linesOf(router, id)).length > 0);
  assert.equal(sleepers(seconds).length, count, 'they run');
}

for (const isolation of ['auto', 'none'])
  describe(`a job with --isolation ${isolation}`, () => {
    const more = ['--isolation', isolation];

    async function started(ends: boolean) {
      const router = await startRouter({ ROUTER_LEASE_SECONDS: '600' });
      const probe = await startWorker(router.url, { exec: { eval: 'true' }, more });
      const evading = probe.log.some(({ grouped }) => grouped === true);
      const strays = stray({ ends, evading });
      const worker = await startWorker(router.url, { exec: strays.exec, more, node: 'rig-2' });
      const { id } = await queue(router);
      return { router, worker, strays, id };
    }

    test('that ends leaves nothing running', async () => {
      const { router, strays, id } = await started(true);
      await reaches(router, id, 'completed');
      assert.deepEqual(sleepers(strays.seconds), []);
    });

    test('that is canceled leaves nothing running', async () => {
      const { router, worker, strays, id } = await started(false);
      await startedStrays(router, id, strays);
      await router.client.cancelJob(id);
      await worker.logged('stopped: the lease is lost');
      assert.deepEqual(sleepers(strays.seconds), []);
    });

    test('whose worker is killed leaves nothing running', async () => {
      const { router, worker, strays, id } = await started(false);
      await startedStrays(router, id, strays);
      await worker.kill();
      await until('they are gone', () => sleepers(strays.seconds).length === 0);
    });
  });

test('an isolated job cannot move into another control group, and so outlive itself', async (t) => {
  const own = findOwnGroup();
  if (own === null || !(await canIsolate())) return t.skip('this system gives no control group, or no namespaces');
  // The worker's own group, which it inherits, is one of several: beside it and above it there are others.
  const [home, other] = ['home', 'other'].map((name) => join(own.path, `${name}-${process.pid}`)) as [string, string];
  for (const group of [home, other]) mkdirSync(group);
  writeFileSync(join(home, 'cgroup.procs'), String(process.pid));
  t.after(async () => {
    writeFileSync(join(own.path, 'cgroup.procs'), String(process.pid));
    await Promise.all([home, other].map(endGroup));
  });
  const seconds = next++;
  const router = await startRouter();
  const command = `
    for group in ${other} ${own.path} ${own.mount}; do
      setsid env -i PATH="$PATH" sh -c '
        echo $$ > '$group'/cgroup.procs
        grep -q "^0::.*/job-" /proc/self/cgroup || echo moved to '$group'
        exec sleep ${seconds} > /dev/null 2>&1' &
    done
    sleep 1
    echo tried`;
  const worker = await startWorker(router.url, { exec: { batch: shell(command) }, more: ['--isolation', 'required'] });
  const { id } = await queue(router);
  await until('they run', async () => sleepers(seconds).length === 3);
  await reaches(router, id, 'completed');
  assert.deepEqual(await linesOf(router, id, 'stdout'), ['tried']);
  assert.deepEqual(sleepers(seconds), []);
  assert.ok(worker.log.some(({ grouped }) => grouped === true));
});

test('a worker that was killed with its watchers ends what they left, before it is ready', async () => {
  const state = temporaryFolder();
  const folder = join(state, 'jobs/job_1-1');
  mkdirSync(join(folder, 'job'), { recursive: true });
  const seconds = next++;
  // As a command is started: its folder in its environment, in a session of its own.
  const env = { PATH: process.env.PATH, JOB_FILE: join(folder, 'job/job.json') };
  const child = spawn('sh', ['-c', `(setsid sleep ${seconds} &) ; env -i sleep ${seconds}`], { env, detached: true });
  child.unref();
  const [other, neighbor] = [next++, next++];
  const away = spawn('sleep', [String(other)], { env: { JOB_FILE: `${state}-other/jobs/job_1-1/job.json` } });
  const tenth = spawn('sleep', [String(neighbor)], { env: { JOB_FILE: join(state, 'jobs/job_1-10/job/job.json') } });
  await until('they run', () => sleepers(seconds).length === 2 && sleepers(neighbor).length === 1);
  await endOrphans(`${folder}/`, 'job-none/');
  assert.deepEqual([sleepers(seconds).length, sleepers(neighbor).length], [0, 1], 'the tenth attempt is another job');
  const router = await startRouter();
  await startWorker(router.url, { exec: { batch: 'true' }, state });
  assert.equal(sleepers(neighbor).length, 0);
  assert.equal(sleepers(other).length, 1, 'another worker’s job');
  away.kill();
  tenth.kill();
});

describe('a job that looks for its worker’s secrets', () => {
  test('finds none where the system lets it have namespaces', async (t) => {
    if (!(await canIsolate())) return t.skip('this system does not allow namespaces');
    assert.deepEqual((await spied(['--isolation', 'required'])).found, ['looked']);
  });

  test('without isolation finds no secret of the environment, and what docs/trust.md says', async () => {
    const { found, ready, pid } = await spied(['--isolation', 'none']);
    assert.equal(ready?.isolated, false);
    // This test’s router is of the same user, too, and was started with its token.
    assert.deepEqual(
      found.filter((line) => line.endsWith(`of ${pid}`)),
      [],
    );
    assert.ok(!found.includes('reads what was handed over'));
    assert.ok(found.includes('reads worker.json'), 'of the same user');
  });
});

describe('what a job leaves in place of a file', () => {
  test('is not followed out of its folder: metrics and artifacts that are links', async () => {
    const router = await startRouter();
    const secret = join(temporaryFolder(), 'secret.json');
    writeFileSync(secret, '{"worker_token": "hush"}');
    const worker = await startWorker(router.url, {
      exec: {
        batch: shell(`ln -s ${secret} $JOB_METRICS`),
        eval: shell(`rmdir $JOB_ARTIFACTS; ln -s ${join(secret, '..')} $JOB_ARTIFACTS`),
        embedding: shell('mkfifo $JOB_METRICS'),
      },
    });
    const jobs = [await queue(router), await queue(router, { job_type: 'eval' })];
    jobs.push(await queue(router, { job_type: 'embedding' }));
    const said = [];
    for (const { id } of jobs) {
      await reaches(router, id, 'failed');
      const events = await router.client.jobEvents(id);
      assert.ok(!JSON.stringify(events).includes('hush'));
      said.push(events.find(({ event_type }) => event_type === 'failed')?.message);
      assert.deepEqual(await router.client.jobArtifacts(id), []);
    }
    assert.match(said[0]!, /The metrics file is no regular file/);
    assert.match(said[1]!, /The command removed or replaced its artifacts folder/);
    assert.match(said[2]!, /The metrics file is no regular file/);
    await until('their folders are gone', () => readdirSync(join(worker.state, 'jobs')).length === 0);
    assert.ok(existsSync(secret));
  });

  test('is not followed into the store, nor when it is deleted', async () => {
    const router = await startRouter();
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'keep.txt'), 'mine');
    const artifacts = temporaryFolder();
    await startWorker(router.url, {
      exec: {
        batch: shell(`ln -s ${outside} ${artifacts}/$JOB_ID; ln -s ${outside} link; echo x > $JOB_ARTIFACTS/keep.txt`),
      },
      artifacts,
    });
    const { id } = await queue(router, { max_attempts: 1 });
    symlinkSync(outside, join(artifacts, 'other'));
    await reaches(router, id, 'failed');
    assert.deepEqual(readdirSync(outside), ['keep.txt']);
    assert.equal(readFileSync(join(outside, 'keep.txt'), 'utf8'), 'mine');
  });
});
