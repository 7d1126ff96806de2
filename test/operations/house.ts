/**
 * docs/operations.md, done: a machine in a folder. Its blocks of commands run as they stand there, with the machine's folders, ports
 * and accounts in place of the written ones. `systemctl` is ours, for nothing here may start units: it starts what a unit says.
 */
import { strict as assert } from 'node:assert';
import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { ownPort } from '../kit/own-port.ts';

export const HOME = resolve('.');
export const PAGE = readFileSync('docs/operations.md', 'utf8');
const BLOCKS = new Map(
  [...PAGE.matchAll(/<!-- run: ([\w ]+) -->\n```sh\n([\s\S]*?)```/g)].map((match) => [match[1]!, match[2]!]),
);

export const blockNames = (): string[] => [...BLOCKS.keys()];

export interface Unit {
  values(name: string): string[];
  /** Of `ExecStart`, with the settings of its file. */
  words: string[];
  settings: Record<string, string>;
}

export interface House {
  root: string;
  ledger_url: string;
  router_url: string;
  /** The blocks one after the other in one shell, which ends at the first command that fails. */
  run(names: string[], environment?: Record<string, string>, change?: (script: string) => string): Promise<Ran>;
  /** A script of the test's own in the same place. */
  shell(script: string, environment?: Record<string, string>): Promise<Ran>;
  /** A block as it runs here. */
  commands(name: string): string;
  /** Lines of a settings file, replaced or added. */
  set(file: string, settings: Record<string, string>): void;
  systemctl(verb: string, ...units: string[]): Promise<void>;
  close(): Promise<void>;
}

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

export async function openHouse(): Promise<House> {
  const root = mkdtempSync(join(tmpdir(), 'operations-'));
  for (const folder of ['etc/systemd/system', 'etc/cron.d', 'etc/sysusers.d', 'var/lib/receipt-verify', 'bin'])
    mkdirSync(join(root, folder), { recursive: true });
  const [ledger_port, router_port] = [await ownPort(), await ownPort()];
  const ledger_url = `http://127.0.0.1:${ledger_port}`;
  const router_url = `http://127.0.0.1:${router_port}`;
  const running = new Map<string, ChildProcess>();

  const supervisor = createServer(async (request, response) => {
    const words = JSON.parse((await request.toArray()).join('')) as [string, ...string[]];
    const failed = await systemctl(...words).then(
      () => null,
      (error: Error) => error.message,
    );
    response.writeHead(failed === null ? 200 : 500).end(failed);
  });
  await new Promise<void>((listening) => supervisor.listen(0, '127.0.0.1', listening));
  const SUPERVISOR = `http://127.0.0.1:${(supervisor.address() as AddressInfo).port}`;
  writeFileSync(
    join(root, 'bin/systemctl'),
    `#!${process.execPath}
fetch(process.env.SUPERVISOR, { method: 'POST', body: JSON.stringify(process.argv.slice(2)) }).then(async (answer) => {
  process.stderr.write(await answer.text());
  process.exitCode = answer.ok ? 0 : 1;
});\n`,
    { mode: 0o755 },
  );

  /** A machine's own folders and accounts in place of those on the page. */
  function here(text: string): string {
    return text
      .replace(/(?<=^|[\s"'=:<])\/(etc|var)\//gm, `${root}/$1/`)
      .replaceAll('/opt/receipt-ledger', HOME)
      .replaceAll('http://127.0.0.1:8080', ledger_url)
      .replaceAll('http://127.0.0.1:8088', router_url)
      .replaceAll('https://receipts.example.org', ledger_url);
  }

  async function systemctl(verb: string, ...names: string[]): Promise<void> {
    if (verb === 'daemon-reload') return;
    for (const name of names) {
      const file = join(root, 'etc/systemd/system', /\.\w+$/.test(name) ? name : `${name}.service`);
      assert.ok(existsSync(file), `there is no unit ${name}`);
      if (verb === 'enable') assert.match(readFileSync(file, 'utf8'), /\[Install\]\nWantedBy=/);
      else if (verb === 'start' && file.endsWith('.service')) await start(name, file);
      else if (verb === 'stop') await stop(name, file);
      else assert.ok(verb === 'start', `no systemctl ${verb} here`);
    }
  }

  async function start(name: string, file: string): Promise<void> {
    const { words, settings, values } = readUnit(file);
    const [folder] = values('WorkingDirectory');
    mkdirSync(folder!, { recursive: true, mode: 0o700 });
    const child = spawn(words[0]!, words.slice(1), {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        LEDGER_OVERLOAD_DELAY_MS: '60000',
        ROUTER_OVERLOAD_DELAY_MS: '60000',
        ...settings,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.set(name, child);
    const said: string[] = [];
    await new Promise<void>((ready, failed) => {
      createInterface(child.stderr!).on('line', (line) => {
        said.push(line);
        if (/"msg":"(listening|ready)"/.test(line)) ready();
      });
      child.once('exit', () => failed(new Error(`${name} did not start: ${said.join('\n')}`)));
    });
  }

  async function stop(name: string, file: string): Promise<void> {
    const child = running.get(name);
    running.delete(name);
    if (child === undefined) return;
    assert.deepEqual([child.exitCode, child.signalCode], [null, null], `${name} runs until it is stopped`);
    const seconds = readUnit(file).values('TimeoutStopSec')[0]!;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual((await ended)[0], 0, `${name} drains within ${seconds}`);
  }

  return {
    root,
    ledger_url,
    router_url,
    systemctl,
    commands: (name) => here(commandsOf(name)),
    run: (names, environment, change = (script) => script) =>
      shellHere(change(names.map((name) => here(commandsOf(name))).join('\n')), environment),
    shell: (script, environment) => shellHere(here(script), environment),
    set(file, settings) {
      const path = join(root, 'etc/receipt-ledger', file);
      let text = here(readFileSync(path, 'utf8'));
      for (const [name, value] of Object.entries(settings))
        text = `${text.replace(new RegExp(`^${name}=.*\n`, 'm'), '')}${name}=${value}\n`;
      writeFileSync(path, text);
      for (const unit of readdirSync(join(root, 'etc/systemd/system')))
        if (/\.(service|timer)$/.test(unit)) {
          const at = join(root, 'etc/systemd/system', unit);
          writeFileSync(at, here(readFileSync(at, 'utf8')));
        }
    },
    async close() {
      supervisor.close();
      for (const child of running.values()) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      rmSync(root, { recursive: true, force: true });
    },
  };

  function shellHere(script: string, environment: Record<string, string> = {}): Promise<Ran> {
    return shell(script, { SUPERVISOR, PATH: `${join(root, 'bin')}:${process.env.PATH}`, ...environment });
  }

  function commandsOf(name: string): string {
    const text = BLOCKS.get(name);
    assert.ok(text !== undefined, `docs/operations.md has no block ${name}`);
    // These accounts are not here, and none is made on the machine that tests.
    return text
      .replace(/^systemd-sysusers$/m, hasSysusers() ? `systemd-sysusers --root=${root}` : ':')
      .replace(/ -o receipt-verify/g, '')
      .replace('chgrp receipt-verify', `chgrp ${userInfo().gid}`)
      .replace(/(chown -R )[\w-]+:/g, `$1${userInfo().username}:`);
  }
}

/** The house after Install, on these databases, with its ports. */
export async function installed(databases: { ledger: string; router: string }): Promise<House> {
  const house = await openHouse();
  const { code, stderr } = await house.run(['install']);
  assert.equal(code, 0, stderr);
  const at = (folder: string) => join(house.root, 'var/lib', folder);
  house.set('ledger.env', {
    LEDGER_PORT: new URL(house.ledger_url).port,
    LEDGER_DATABASE_URL: databases.ledger || `sqlite:${at('receipt-ledger')}/ledger.db`,
    LEDGER_STORAGE_URL: `file:${at('receipt-ledger')}/objects`,
    LEDGER_SMTP_URL: `file:${house.root}/var/outbox`,
  });
  house.set('router.env', {
    ROUTER_PORT: new URL(house.router_url).port,
    ROUTER_DATABASE_URL: databases.router || `sqlite:${at('compute-router')}/router.db`,
    ROUTER_RECEIPTS_DIR: `${at('compute-router')}/receipts`,
  });
  return house;
}

export function shell(script: string, environment: Record<string, string> = {}): Promise<Ran> {
  return new Promise((ended) => {
    const child = execFile(
      'sh',
      ['-eu', '-c', script],
      { cwd: HOME, env: { ...process.env, ...environment } },
      (_, stdout, stderr) => ended({ code: child.exitCode ?? 1, stdout, stderr }),
    );
  });
}

export function readUnit(file: string): Unit {
  const text = readFileSync(file, 'utf8');
  const values = (name: string) => [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map((match) => match[1]!);
  const [environment] = values('EnvironmentFile');
  const settings = environment === undefined ? {} : readSettings(environment);
  const words = (values('ExecStart')[0] ?? '').split(' ').flatMap((word) => {
    if (/^\$\w+$/.test(word)) return (settings[word.slice(1)] ?? '').split(/\s+/).filter(Boolean);
    return [word.replace(/\$\{(\w+)\}/g, (_, name) => settings[name] ?? '')];
  });
  return { values, words, settings };
}

/** As systemd reads it: comments, and one pair of quotes around a value. */
function readSettings(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8').matchAll(/^([A-Z_]+)=(?:"(.*)"|(.*))$/gm);
  return Object.fromEntries([...lines].map(([, name, quoted, plain]) => [name, quoted ?? plain ?? '']));
}

export const hasSysusers = (): boolean => spawnSync('systemd-sysusers', ['--version']).status === 0;

/** Why `program` cannot be had, or false. As root on a Debian it is installed when it is missing, once for all test processes. */
export function missing(
  program: string,
  install: string,
  where: () => boolean = () => isThere(program),
): string | false {
  if (!where() && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const lock = join(tmpdir(), 'operations-install.lock');
    const get = 'apt-get -o Acquire::Retries=3';
    const script = `${get} update && ${install.replaceAll('apt-get', get)}`;
    spawnSync('flock', [lock, 'sh', '-c', script], { env, stdio: 'ignore' });
  }
  return where() ? false : `${program} is missing: as root on Debian, ${install}`;
}

function isThere(program: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$1"', 'sh', program]).status === 0;
}

export function majorOf(program: string): string {
  return /(\d+)[.\d]*/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[1] ?? '';
}
