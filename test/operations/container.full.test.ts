/** The Containerfile, as far as it goes without an engine: its files, its commands, its health check. The image itself is not built here. */
import { strict as assert } from 'node:assert';
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ledgerProcess } from '../../packages/ledger/test/kit/process.ts';

interface Instruction {
  name: string;
  rest: string;
}

const FILE = readFileSync('deploy/Containerfile', 'utf8');
const instructions: Instruction[] = FILE.replace(/^#.*\n/gm, '')
  .trim()
  .split('\n')
  .map((line) => {
    const [, name, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? assert.fail(`no instruction: ${line}`);
    return { name: name!, rest: rest! };
  });
const all = (name: string) => instructions.filter((instruction) => instruction.name === name).map(({ rest }) => rest);
const settings = Object.fromEntries(
  all('ENV').flatMap((rest) => rest.split(' ').map((pair) => pair.split(/=(.*)/s).slice(0, 2))),
);

describe('deploy/Containerfile', () => {
  const image = mkdtempSync(join(tmpdir(), 'image-'));
  const home = join(image, all('WORKDIR')[0]!);
  after(() => rmSync(image, { recursive: true, force: true }));

  before(() => {
    // What COPY would bring: the files of the project that .dockerignore leaves. What git does not know is not the project's.
    for (const rest of all('COPY')) {
      const words = rest.split(' ');
      const target = words.pop()!;
      for (const source of words) {
        assert.ok(existsSync(source), `COPY ${source}: it is not there`);
        const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', source], { encoding: 'utf8' })
          .trim()
          .split('\n');
        for (const file of files.filter((name) => !/\/(test|dist|node_modules)\//.test(name) || name === source)) {
          const to = target.endsWith('/') ? join(home, target, file) : join(home, target, file.slice(source.length));
          mkdirSync(dirname(to), { recursive: true });
          copyFileSync(file, to);
        }
      }
    }
  });

  test('it has what an image of it needs, each once, in an order that holds', () => {
    const names = instructions.map(({ name }) => name);
    assert.deepEqual(
      [...new Set(names)],
      [
        'FROM',
        'WORKDIR',
        'COPY',
        'RUN',
        'USER',
        'VOLUME',
        'ENV',
        'EXPOSE',
        'STOPSIGNAL',
        'HEALTHCHECK',
        'ENTRYPOINT',
        'CMD',
      ],
    );
    const [, major] = /^docker\.io\/library\/node:(\d+)-/.exec(all('FROM')[0]!) ?? [];
    assert.equal(major, process.versions.node.split('.')[0]);
    assert.deepEqual([all('USER'), all('STOPSIGNAL')], [['node'], ['SIGTERM']]);
    assert.match(all('HEALTHCHECK')[0]!, /^--interval=30s --timeout=10s --start-period=30s --retries=3 CMD /);
    const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
    for (const line of ['.git', 'data', '**/node_modules', '**/dist', '**/test/**'])
      assert.ok(ignored.includes(line), line);
  });

  test('npm ci makes of the copied files a folder in which every component starts', async () => {
    const [install] = all('RUN');
    const made = await shell(install!, home);
    assert.equal(made.code, 0, made.said);
    assert.ok(existsSync(join(home, 'packages/console/dist/index.html')), 'the console is built');
    assert.ok(!existsSync(join(home, 'node_modules/typescript')), 'what only development needs is not there');
    const [entry] = JSON.parse(all('ENTRYPOINT')[0]!) as [string];
    const command = JSON.parse(all('CMD')[0]!) as string[];
    for (const words of [command, ['router'], ['worker'], ['monitor']]) {
      const { code, said } = await shell(`.${entry} ${words.join(' ')} --help`, image);
      assert.deepEqual([code, /Exit codes: 0/.test(said)], [0, true], said);
    }
    // Beyond loopback, as in the image, neither starts without what makes that safe.
    for (const [component, words] of [
      ['ledger', /^rcpt ledger: LEDGER_BASE_URL: got nothing/],
      ['router', /^rcpt router: ROUTER_ADMIN_TOKEN: got nothing/],
    ] as const) {
      const { code, said } = await shell(`.${entry} ${component}`, image, settings);
      assert.equal(code, 2);
      assert.match(said, words);
    }
  });

  test('its health check tells a ledger that is well from one that is gone', async () => {
    const check = all('HEALTHCHECK')[0]!
      .replace(/^.* CMD /, '')
      .replace(all('WORKDIR')[0]!, process.cwd());
    assert.equal(settings.HEALTH_URL, 'http://127.0.0.1:8080/healthz');
    const ledger = await ledgerProcess(`sqlite:${image}/ledger.db`);
    const HEALTH_URL = settings.HEALTH_URL.replace('http://127.0.0.1:8080', ledger.url);
    assert.deepEqual(await shell(check, image, { HEALTH_URL }), { code: 0, said: '' });
    ledger.signal('SIGTERM');
    assert.equal((await ledger.ended).code, 0);
    assert.equal((await shell(check, image, { HEALTH_URL })).code, 1);
  });
});

/** Without what an npm around this test says of its own project: the npm in it works in the folder of the image alone. */
const CLEAN = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_)|npm_config_(local|global)_prefix$|INIT_CWD$)/i.test(name),
  ),
);

function shell(
  script: string,
  cwd: string,
  environment: Record<string, string> = {},
): Promise<{ code: number; said: string }> {
  return new Promise((ended) => {
    const child = execFile('sh', ['-c', script], { cwd, env: { ...CLEAN, ...environment } }, (_, stdout, stderr) =>
      ended({ code: child.exitCode!, said: stdout + stderr }),
    );
  });
}
