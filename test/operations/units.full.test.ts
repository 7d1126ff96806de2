/** What deploy/ holds for systemd, cron and nginx: read by their own programs, and started as they say. */
import { strict as assert } from 'node:assert';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import PostalMime from 'postal-mime';
import { readLedgerConfig } from '../../packages/ledger/src/config.ts';
import { callerOf } from '../../packages/ledger/test/kit/running.ts';
import { readRouterConfig } from '../../packages/router/src/config.ts';
import { blockNames, HOME, type House, hasSysusers, installed, missing, PAGE, readUnit } from './house.ts';

const run = promisify(execFile);
const UNITS = readdirSync('deploy/systemd').filter((file) => /\.(service|timer)$/.test(file));
const NO_SYSTEMD = missing('systemd-analyze', 'apt-get install -y --no-install-recommends systemd');
const ADMIN_TOKEN = 'operations-admin-token-0123456789';

describe('deploy/', () => {
  let house: House;
  before(async () => {
    house = await installed({ ledger: '', router: '' });
    house.set('ledger.env', { LEDGER_ADMIN_TOKEN: ADMIN_TOKEN });
    house.set('worker.env', { WORKER_ARTIFACTS_URL: `file:${house.root}/var/artifacts` });
  });
  after(() => house.close());

  const unitAt = (name: string) => join(house.root, 'etc/systemd/system', name);

  test('systemd reads every unit without a word', { skip: NO_SYSTEMD }, async () => {
    assert.equal(UNITS.length, 9);
    // What is checked are the units; that this folder belongs to root is the machine's affair.
    const { stdout, stderr } = await run('systemd-analyze', ['verify', '--recursive-errors=no', ...UNITS.map(unitAt)]);
    assert.equal(stdout + stderr, '');
    const wrong = unitAt('wrong.service');
    writeFileSync(
      wrong,
      readFileSync(unitAt('receipt-ledger.service'), 'utf8').replace('ProtectHome=', 'ProtectHouse='),
    );
    const judged = await run('systemd-analyze', ['verify', wrong]).catch((error: { stderr: string }) => error);
    rmSync(wrong);
    assert.match(judged.stderr, /ProtectHouse/, 'it would say');
  });

  test('systemd counts the services as closed as they are said to be', { skip: NO_SYSTEMD }, async () => {
    for (const [unit, worst] of [
      ['receipt-ledger', 20],
      ['compute-router', 20],
      ['compute-worker', 40],
      ['receipt-ledger-health', 55],
      ['compute-router-health', 55],
    ] as const)
      await run('systemd-analyze', ['security', '--offline=yes', `--threshold=${worst}`, unitAt(`${unit}.service`)]);
  });

  test('the accounts that the units name are those that are made', {
    skip: !hasSysusers() && 'no systemd-sysusers',
  }, () => {
    const made = readFileSync(join(house.root, 'etc/passwd'), 'utf8');
    const users = UNITS.flatMap((unit) => readUnit(unitAt(unit)).values('User'));
    assert.deepEqual([...new Set(users)].sort(), [
      'compute-router',
      'compute-worker',
      'receipt-ledger',
      'receipt-verify',
    ]);
    for (const user of users) assert.match(made, new RegExp(`^${user}:`, 'm'));
  });

  test('a unit waits longer than its program drains, and restarts what failed', () => {
    const [, drain_ms] =
      /DRAIN_MS = (\d+_\d+)/.exec(readFileSync('packages/service/src/process/lifecycle.ts', 'utf8')) ?? [];
    for (const unit of ['receipt-ledger', 'compute-router']) {
      const { values } = readUnit(unitAt(`${unit}.service`));
      assert.ok(Number(values('TimeoutStopSec')[0]) * 1000 > Number(drain_ms!.replace('_', '')));
      assert.deepEqual(values('Restart'), ['on-failure']);
    }
    const worker = readUnit(unitAt('compute-worker.service'));
    assert.deepEqual([worker.values('KillMode'), worker.values('TimeoutStopSec')], [['mixed'], ['6h']]);
  });

  test('every setting in the files is one that the programs take', () => {
    const known = ['ledger', 'router']
      .map((name) => execFileSync('./rcpt', [name, '--help'], { encoding: 'utf8' }))
      .join();
    for (const file of ['ledger.env', 'router.env'])
      for (const [, name] of readFileSync(`deploy/settings/${file}`, 'utf8').matchAll(/^#?([A-Z_]+)=/gm))
        assert.match(known, new RegExp(`^  ${name} `, 'm'), `${file}: ${name}`);
    // As they stand there, too, before anybody edited them.
    readLedgerConfig(settingsOf('ledger.env'));
    readRouterConfig(settingsOf('router.env'));
  });

  test('ledger, router and worker start as their units say, and stop', async () => {
    await house.systemctl('start', 'receipt-ledger', 'compute-router');
    house.set('worker.env', { WORKER_OPTIONS: '"--sku rog_astral_5090_32gb --exec fine_tune=/bin/true"' });
    await house.systemctl('start', 'compute-worker');
    for (const name of ['receipt-ledger-health.service', 'compute-router-health.service'])
      assert.deepEqual(await exec(readUnit(unitAt(name)).words), { code: 0, said: '' }, name);
    await house.systemctl('stop', 'compute-worker', 'compute-router', 'receipt-ledger');
    const dead = await exec(readUnit(unitAt('receipt-ledger-health.service')).words);
    assert.equal(dead.code, 1);
    assert.match(dead.said, /^rcpt health: http:\/\/127\.0\.0\.1:\d+\/healthz: connect ECONNREFUSED/);
  });

  const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', 'test', '-x', join(HOME, 'rcpt')];
  const unshares = process.getuid?.() === 0 && spawnSync('unshare', ['-m', ...asNobody]).status === 0;
  test('the ledger works where it can write nothing but its folder, and has no capability', {
    skip: !unshares && 'takes root, unshare -m, and a project that everybody may read',
  }, async () => {
    const state = join(house.root, 'sealed');
    mkdirSync(state);
    chmodSync(house.root, 0o755);
    const inside = `mount --make-rprivate / && mount --bind ${state} ${state} && chown 65534:65534 ${state} &&
      mount -o remount,bind,ro / && cd ${state} && ! touch ${house.root}/var/x 2>/dev/null &&
      exec setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all \\
        timeout -s TERM 15 ${HOME}/rcpt ledger`;
    const { said } = await exec(['unshare', '-m', 'sh', '-c', inside], {
      PATH: process.env.PATH!,
      LEDGER_PORT: '0',
      LEDGER_STORAGE_URL: 'file:objects',
    });
    for (const line of ['listening', 'drained']) assert.match(said, new RegExp(`"msg":"${line}"`), said);
  });

  describe('verification on a schedule', () => {
    const bin = mkdtempSync(join(tmpdir(), 'sendmail-'));
    after(() => rmSync(bin, { recursive: true, force: true }));
    /** What a mail server would be handed. */
    const mails = () => readdirSync(bin).filter((file) => file.endsWith('.eml'));

    before(async () => {
      await house.systemctl('start', 'receipt-ledger');
      const founded = await callerOf(house.ledger_url)('POST', '/organizations', {
        token: ADMIN_TOKEN,
        body: { name: 'Watched' },
      });
      assert.equal(founded.status, 201);
      house.set('verify.env', { RCPT_KEY: founded.json.api_key, RCPT_URL: house.ledger_url });
      writeFileSync(join(bin, 'sendmail'), `#!/bin/sh\n[ "$*" = -t ] && cat > ${bin}/$$.eml\n`, { mode: 0o755 });
    });

    /** The command of the line, as cron runs it: what is printed would be mailed. */
    async function cron(): Promise<{ code: number; said: string }> {
      const [, , command] = /^17 3 \* \* \* {2}(\S+) {2}(.*)$/m.exec(
        readFileSync('deploy/cron/receipt-ledger-verify', 'utf8'),
      )!;
      const here = command!
        .replace('/etc/', `${house.root}/etc/`)
        .replace('/var/', `${house.root}/var/`)
        .replace('/opt/receipt-ledger', HOME);
      assert.ok(!command!.includes('%'), 'cron takes % for the end of a line');
      return exec(['/bin/sh', '-c', here], { PATH: '/usr/bin:/bin' });
    }

    const timer = () =>
      exec(readUnit(unitAt('receipt-ledger-verify.service')).words, {
        PATH: `${bin}:/usr/bin:/bin`,
        ...readUnit(unitAt('receipt-ledger-verify.service')).settings,
      });

    test('the blocks that put a schedule in place', async () => {
      for (const name of ['cron', 'timer']) {
        const { code, stderr } = await house.run([name]);
        assert.equal(code, 0, stderr);
      }
      const file = join(house.root, 'etc/receipt-ledger/verify.env');
      assert.match(readFileSync(file, 'utf8'), /^RCPT_KEY=rk_(?!REPLACE)/m, 'the settings stay as they were edited');
      assert.equal(statSync(file).mode & 0o777, 0o640);
    });

    test('all is well: cron has nothing to mail, the timer mails nothing, and the last success is fresh', async () => {
      assert.deepEqual(await cron(), { code: 0, said: '' });
      assert.deepEqual(await timer(), { code: 0, said: '' });
      assert.deepEqual(mails(), []);
      assert.deepEqual(await house.run(['verify']), { code: 0, stdout: '', stderr: '' });
      assert.equal((await house.run(['fresh'])).stdout, '');
      const seen = join(house.root, 'var/lib/receipt-verify/seen.json');
      execFileSync('touch', ['-d', '2 days ago', seen]);
      assert.equal((await house.run(['fresh'])).stdout, 'The chain was not verified for a day.\n');
    });

    test('the ledger is away: cron mails the paragraph, the timer mails it, too', async () => {
      await house.systemctl('stop', 'receipt-ledger');
      const { code, said } = await cron();
      assert.equal(code, 1);
      assert.match(said, /^rcpt monitor: http.*could not be verified: .*ECONNREFUSED.*\n$/);
      const timed = await timer();
      assert.deepEqual([timed.code, timed.said], [1, said]);
      const [file, ...more] = mails();
      assert.deepEqual(more, []);
      const mail = await PostalMime.parse(readFileSync(join(bin, file!)));
      assert.deepEqual(mail.to, [{ address: 'operator@example.org', name: '' }]);
      assert.match(mail.subject!, /^\[.+\] rcpt failed$/);
      assert.equal(mail.text!.trim(), said.trim());
    });

    test('a failure without a word is mailed as one, and mail that cannot be sent is said', async () => {
      const command = [join(HOME, 'deploy/mail-on-failure'), 'operator@example.org', 'sh', '-c', 'exit 7'];
      const silent = await exec(command, { PATH: `${bin}:/usr/bin:/bin` });
      assert.deepEqual(silent, { code: 7, said: 'It printed nothing and ended with 7.\n' });
      writeFileSync(join(bin, 'sendmail'), '#!/bin/sh\nexit 75\n', { mode: 0o755 });
      const unsent = await exec(command, { PATH: `${bin}:/usr/bin:/bin` });
      assert.match(unsent.said, /mail-on-failure: no mail was sent to operator@example\.org\n$/);
    });
  });

  test('every block of the page is run by a test, and its links lead to files', () => {
    const tests = readdirSync('test/operations')
      .map((file) => readFileSync(join('test/operations', file), 'utf8'))
      .join();
    for (const name of blockNames()) {
      const ofEngine = name.replace(/(sqlite|postgres)$/, '$');
      assert.ok(tests.includes(`'${name}'`) || tests.includes(`\`${ofEngine}{engine}\``), name);
    }
    assert.equal(PAGE.match(/```sh/g)!.length, blockNames().length, 'a block of commands without a name');
    for (const [, target] of PAGE.matchAll(/\]\(([^)#]+)\)/g)) assert.ok(readFileSync(join('docs', target!)));
  });
});

function settingsOf(file: string): Record<string, string> {
  const lines = readFileSync(`deploy/settings/${file}`, 'utf8').matchAll(/^([A-Z_]+)=(?:"(.*)"|(.*))$/gm);
  return Object.fromEntries([...lines].map(([, name, quoted, plain]) => [name, quoted ?? plain ?? '']));
}

async function exec(
  words: string[],
  env: Record<string, string> = { PATH: process.env.PATH! },
): Promise<{ code: number; said: string }> {
  return new Promise((ended) => {
    const child = execFile(words[0]!, words.slice(1), { env, cwd: tmpdir() }, (_, stdout, stderr) =>
      ended({ code: child.exitCode!, said: stdout + stderr }),
    );
  });
}
