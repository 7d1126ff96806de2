/** Every command as it is typed: its help, and what is not taken, refused in a line before anything is opened. */
import { strict as assert } from 'node:assert';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { nearest } from '@rcpt/proof/nearest.ts';
import { rcpt as launch } from '../../../test/kit/process.ts';

// A name with a space in it, and nothing in it: whatever a command opens would be left here.
const elsewhere = mkdtempSync(join(tmpdir(), 'command line-'));
after(() => rmSync(elsewhere, { recursive: true, force: true }));

async function rcpt(words: string[], environment: Record<string, string> = {}, cwd = elsewhere) {
  const { code, stdout, stderr } = await launch(words, environment, { cwd });
  return { code, stdout, stderr: stderr.map((line) => `${line}\n`).join('') };
}

describe('the command line', () => {
  test('help names every command, and every command has its own', async () => {
    const { code, stdout } = await rcpt([]);
    assert.equal(code, 0);
    const commands = [...stdout.matchAll(/^ {2}\.\/rcpt ([\w-]+)/gm)].map((match) => match[1]!);
    assert.deepEqual(
      new Set(commands),
      new Set([
        'up',
        'ledger',
        'router',
        'witness',
        'worker',
        'migrate',
        'org',
        'key',
        'member',
        'verify',
        'monitor',
        'pack',
        'health',
        'help',
      ]),
    );
    for (const command of new Set(commands)) {
      const asked = await rcpt(command === 'key' ? ['help', command] : [command, '--help'], {
        ROUTER_DATABASE_URL: 'sqlite:router.db',
      });
      assert.deepEqual([asked.code, asked.stderr], [0, ''], command);
      assert.match(asked.stdout, /Exit codes: 0/, command);
    }
    assert.deepEqual(readdirSync(elsewhere), []);
  });

  test('--version prints the version that the services report, and nothing else', async () => {
    const { version } = JSON.parse(readFileSync(fileURLToPath(new URL('../package.json', import.meta.url)), 'utf8'));
    assert.deepEqual(await rcpt(['--version']), { code: 0, stdout: `${version}\n`, stderr: '' });
  });

  test('a word that is not taken is wrong use: it is named, with the nearest that is, and nothing is opened', async () => {
    for (const [typed, words] of [
      ['verfy x', 'rcpt: there is no command "verfy"; did you mean verify?'],
      ['up --dta x', 'rcpt up: there is no --dta; did you mean --data?'],
      ['worker --exce x', "rcpt worker: Unknown option '--exce'"],
      ['ledger --port 9', 'rcpt ledger: takes no "--port"; it is set by the environment, here by LEDGER_PORT'],
      ['migrate now', 'rcpt migrate: takes no "now"'],
      ['org', 'rcpt org: got nothing more, takes one of create, router, storage'],
      ['org crate --name X', 'rcpt org: takes no "crate"; did you mean create?'],
      ['org create --nam X', 'rcpt org create: there is no --nam; did you mean --name?'],
      [
        'key create --org o --role king',
        'rcpt key create: --role: got "king", takes one of agent, approver, auditor, owner',
      ],
      [
        'key create --org o --role agent --label cfo@example.org',
        'rcpt key create: --label: got "cfo@example.org", takes one line of 1 to 500 visible characters, with no e-mail address and no id in it',
      ],
      ['key create --org o --role owner --four-eyes', 'rcpt key create: there is no --four-eyes'],
      ['key revoke a b', 'rcpt key revoke: takes no "b"'],
      ['montor', 'rcpt: there is no command "montor"; did you mean monitor?'],
      ['monitor --sen x', 'rcpt monitor: there is no --sen; did you mean --seen?'],
      ['monitor', 'rcpt monitor: got no address and no RCPT_URL, takes the address of a ledger'],
      ['monitor ftp://x', 'rcpt monitor: got "ftp://x", takes an http:// or https:// address'],
      [
        'monitor http://127.0.0.1:1',
        'rcpt monitor: RCPT_KEY: got nothing, takes an API key of the organization (rk_…)',
      ],
      [
        'monitor http://127.0.0.1:1 --timeout 0',
        'rcpt monitor: --timeout: got "0", takes a number of seconds from 1 to 300',
      ],
      [
        'monitor http://127.0.0.1:1 --stale soon',
        'rcpt monitor: --stale: got "soon", takes a number of hours from 1 to 99999, or 0 for never',
      ],
      [
        'monitor http://127.0.0.1:1/share/x --key rk_secret',
        'rcpt monitor: --key: got "rk_secret": a verifier key is name+id+base64, of type 1 or 4',
      ],
      ['monitor http://127.0.0.1:1/share/x --mail you', 'rcpt monitor: --mail: got "you", takes an e-mail address'],
      [
        'monitor http://127.0.0.1:1/share/x --mail you@example.org',
        'rcpt monitor: RCPT_SMTP_URL: got nothing, takes smtp://…, smtps://… or file:<folder>, with --mail',
      ],
      ['health', 'rcpt health: got no URL, takes a health endpoint, e.g. http://127.0.0.1:8080/healthz'],
      ['health ftp://x', 'rcpt health: got "ftp://x", takes an http:// or https:// address'],
    ] as const) {
      const { code, stdout, stderr } = await rcpt(typed.split(' '));
      assert.deepEqual([code, stdout, stderr.split('\n')[0]], [2, '', words], typed);
    }
    const router = await rcpt(['migrate', '--jsn'], { ROUTER_DATABASE_URL: 'sqlite:router.db' });
    assert.deepEqual([router.code, router.stderr], [2, 'rcpt migrate: there is no --jsn; did you mean --json?\n']);
    assert.deepEqual(readdirSync(elsewhere), []);
  });

  test('where no ledger is, none is made but by org create and migrate', async () => {
    const { code, stderr } = await rcpt(['key', 'create', '--org', 'org_x', '--role', 'agent']);
    assert.deepEqual([code, readdirSync(elsewhere)], [1, []]);
    assert.match(stderr, /^rcpt: There is no ledger at \/.*\/data\/ledger\.db; name its folder with --data DIR/);
    const folder = join(elsewhere, 'one of its own');
    mkdirSync(folder);
    const org = JSON.parse((await rcpt(['org', 'create', '--name', 'A', '--json'], {}, folder)).stdout);
    const words = ['key', 'create', '--org', org.organization_id, '--role', 'agent', '--data', join(folder, 'data')];
    const key = await rcpt([...words, '--json']);
    assert.equal(key.code, 0, key.stderr);
    assert.equal(
      (await rcpt(['key', 'revoke', JSON.parse(key.stdout).api_key, '--data', join(folder, 'data')])).code,
      0,
    );
    rmSync(folder, { recursive: true });
  });

  test('up says which folder it cannot write in, and a wrong setting is wrong use of it, too', async () => {
    const file = join(elsewhere, 'a file');
    writeFileSync(file, '');
    const { code, stderr } = await rcpt(['up', '--data', join(file, 'data')]);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^rcpt up: \/.*a file\/data is no folder you may write in \(ENOTDIR\); --data names another\n$/,
    );
    rmSync(file);
    const wrong = await rcpt(['up'], { LEDGER_PORT: 'wrong' });
    assert.deepEqual([wrong.code, wrong.stderr.split(',')[0]], [2, 'rcpt ledger: LEDGER_PORT: got "wrong"']);
    const everywhere = await rcpt(['up'], { LEDGER_HOST: '0.0.0.0', LEDGER_PORT: '0', ROUTER_PORT: '0' });
    assert.equal(everywhere.code, 2);
    assert.match(
      everywhere.stderr,
      /^rcpt ledger: LEDGER_BASE_URL: got nothing, takes an http.*, when LEDGER_HOST is 0\.0\.0\.0\n$/,
    );
  });

  test('npm start is the launcher and no shell around it: a signal that npm passes on reaches it', () => {
    const { scripts } = JSON.parse(
      readFileSync(fileURLToPath(new URL('../../../package.json', import.meta.url)), 'utf8'),
    );
    assert.equal(scripts.start, 'exec ./rcpt up');
  });

  test('the nearest word is a few strokes away, or there is none', () => {
    const known = ['up', 'ledger', 'router', 'verify'];
    for (const [typed, meant] of [
      ['leger', 'ledger'],
      ['veirfy', 'verify'],
      ['upp', 'up'],
      ['pu', 'up'],
      ['rooter', 'router'],
      ['start', null],
      ['', null],
      ['x', null],
    ] as const)
      assert.equal(nearest(typed, known), meant, typed);
  });
});
