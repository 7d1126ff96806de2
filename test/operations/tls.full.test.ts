/** deploy/nginx.conf in front of a ledger: with its own ports and certificate, the rest as it stands there. */
import { strict as assert } from 'node:assert';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LedgerProcess, ledgerProcess } from '../../packages/ledger/test/kit/process.ts';
import { tenantOf } from '../../packages/ledger/test/kit/running.ts';
import { mintedReceipt } from '../../packages/ledger/test/kit/story.ts';
import { ownPort } from '../kit/own-port.ts';

const folder = mkdtempSync(join(tmpdir(), 'tls-'));
chmodSync(folder, 0o755);
after(() => rmSync(folder, { recursive: true, force: true }));

/** The machine's nginx; as root on a Debian its package, unpacked here and not installed: installing it would start it. */
function nginx(): string | null {
  const here = join(folder, 'unpacked/usr/sbin/nginx');
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get') && !existsSync('/usr/sbin/nginx')) {
    const script = `apt-get download nginx || { apt-get update && apt-get download nginx; }; dpkg -x nginx_*.deb unpacked`;
    spawnSync('sh', ['-c', script], { cwd: folder, stdio: 'ignore' });
  }
  return ['/usr/sbin/nginx', here].find((path) => spawnSync(path, ['-v']).status === 0) ?? null;
}

const PROGRAM = nginx();
const lacking =
  (PROGRAM === null && 'nginx is missing: apt-get install nginx') ||
  (spawnSync('openssl', ['version']).status !== 0 && 'openssl is missing: apt-get install openssl');

describe('TLS in front', { skip: lacking }, () => {
  let ledger: LedgerProcess;
  let proxy: ChildProcess;
  let url = '';

  before(async () => {
    const port = await ownPort();
    url = `https://localhost:${port}`;
    ledger = await ledgerProcess(`sqlite:${folder}/ledger.db`, {
      LEDGER_BASE_URL: url,
      LEDGER_TRUST_PROXY: '127.0.0.1',
    });
    const made = [
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=DNS:localhost',
      '-keyout',
      'key.pem',
      '-out',
      'cert.pem',
    ];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...made], {
      cwd: folder,
      stdio: 'ignore',
    });
    const server = readFileSync('deploy/nginx.conf', 'utf8')
      .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
      .replace(/^ *listen \[::\]:443 ssl;\n/m, '')
      .replace(/\/etc\/.*fullchain\.pem/, `${folder}/cert.pem`)
      .replace(/\/etc\/.*privkey\.pem/, `${folder}/key.pem`)
      .replace('http://127.0.0.1:8080', ledger.url);
    const scratch = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (of) => `${of}_temp_path ${folder}/${of};`,
    );
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${scratch.join(' ')}\n${server} }`,
    );
    proxy = spawn(PROGRAM!, ['-c', join(folder, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'inherit'] });
    while ((await ask('/healthz').catch(() => null))?.status !== 200) {
      assert.equal(proxy.exitCode, null, 'nginx takes its file');
      await sleep(50);
    }
  });
  after(async () => {
    if (proxy?.exitCode === null) {
      proxy.kill('SIGTERM');
      await once(proxy, 'exit');
    }
    ledger?.signal('SIGTERM');
    await ledger?.ended;
  });

  function ask(path: string, headers: Record<string, string> = {}, body?: string) {
    return new Promise<{ status: number; text: string }>((answered, failed) => {
      const options = {
        ca: readFileSync(join(folder, 'cert.pem')),
        headers,
        method: body === undefined ? 'GET' : 'POST',
      };
      const asked = request(`${url}${path}`, options, async (response) =>
        answered({ status: response.statusCode!, text: Buffer.concat(await response.toArray()).toString() }),
      );
      asked.once('error', failed).end(body);
    });
  }

  test('what is sealed begins with the public address, and opens there', async () => {
    const tenant = await tenantOf(ledger.call);
    const { share_url, receipt_sha256 } = await mintedReceipt(tenant);
    assert.ok(share_url.startsWith(`${url}/share/`));
    const shared = await ask(share_url.slice(url.length), { accept: 'application/json' });
    assert.deepEqual([shared.status, JSON.parse(shared.text).receipt_sha256], [200, receipt_sha256]);
    const authorization = `Bearer ${tenant.keys.owner}`;
    const events = await ask('/ledger/verify', { authorization, accept: 'text/event-stream' });
    assert.match(events.text, /event: report\ndata: \{"ok":true,/);
  });

  test('evidence of the size that the ledger takes passes', async () => {
    const tenant = await tenantOf(ledger.call);
    const { id } = await tenant.as('agent')('POST', '/runs', { lane: 'generic', title: 'T', inputs: { task: 'T' } });
    const size = 25 * 1024 * 1024 - 10;
    const part = 'content-disposition: form-data; name=';
    const body = `--b\r\n${part}"kind"\r\n\r\nfile\r\n--b\r\n${part}"label"\r\n\r\nLarge\r\n--b\r\n${part}"file"; filename="f"\r\n\r\n${'x'.repeat(size)}\r\n--b--\r\n`;
    const headers = { authorization: `Bearer ${tenant.keys.agent}`, 'content-type': 'multipart/form-data; boundary=b' };
    const { status, text } = await ask(`/runs/${id}/evidence`, headers, body);
    assert.deepEqual([status, JSON.parse(text).byte_size], [201, size]);
  });
});
