/** What comes over the wire below JSON: broken requests, smuggled requests, forms, floods; and the page at /docs. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { test } from 'node:test';
import { eachLedger, type Tenant } from '../kit/running.ts';
import { mintedReceipt, runAt } from '../kit/story.ts';

const EVIDENCE_LIMIT = 100_000;
const ANSWER_MS = 60_000;

/** Sends these bytes and half-closes, when asked to; resolves with all that came back once the other side has closed. */
function exchange(url: string, bytes: string | Buffer, { end = true } = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.setTimeout(ANSWER_MS, () =>
      socket.destroy(new Error(`no end within ${ANSWER_MS} ms: ${answer.slice(0, 200)}`)),
    );
    socket.on('data', (part) => (answer += part.toString('latin1')));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve(answer) : reject(error),
    );
    socket.on('close', () => resolve(answer));
    if (end) socket.end(bytes);
    else socket.write(bytes);
  });
}

/** Every answer in what came back: its status and body. */
function answersIn(text: string): { status: number; head: string; body: string }[] {
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((part) => part.startsWith('HTTP/1.1 '))
    .map((part) => {
      const [head = '', body = ''] = part.split('\r\n\r\n');
      return { status: Number(part.slice(9, 12)), head: head.toLowerCase(), body };
    });
}

const GET = 'GET /healthz HTTP/1.1\r\nhost: a\r\n';
const POST = 'POST /runs HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';

/** Each is not HTTP, or is read differently by different readers. */
const BROKEN: [what: string, bytes: string, status: number][] = [
  ['nonsense', 'hello\r\n\r\n', 400],
  ['TLS on a plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['an unknown method', 'FROB /runs HTTP/1.1\r\nhost: a\r\n\r\n', 400],
  ['an unknown version', 'GET /healthz HTTP/9.9\r\nhost: a\r\n\r\n', 400],
  ['a line feed for a line', 'GET /healthz HTTP/1.1\nhost: a\n\n', 400],
  ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
  ['a space in a header name', `${GET}x y: z\r\n\r\n`, 400],
  ['a space before the colon', `${GET}content-length : 0\r\n\r\n`, 400],
  ['a header without a colon', `${GET}abc\r\n\r\n`, 400],
  ['NUL in a header', `${GET}x: a\0b\r\n\r\n`, 400],
  ['a bare carriage return in a header', `${GET}x: a\rset-cookie: b\r\n\r\n`, 400],
  ['headers over the limit', `${GET}x: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
  ['thousands of headers', `${GET}${Array.from({ length: 3_000 }, (_, i) => `x${i}: y`).join('\r\n')}\r\n\r\n`, 431],
  ['two lengths', `${POST}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`, 400],
  ['a length that is no number', `${POST}content-length: 0x2\r\n\r\n{}`, 400],
  ['a negative length', `${POST}content-length: -1\r\n\r\n{}`, 400],
  ['a length beyond all', `${POST}content-length: 99999999999999999999999\r\n\r\n{}`, 400],
  ['a length and chunks', `${POST}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${GET}\r\n`, 400],
  ['chunks and a length', `${POST}transfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n0\r\n\r\n${GET}\r\n`, 400],
  ['chunks under another name', `${POST}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n${GET}\r\n`, 400],
  ['chunks named twice', `${POST}transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n${GET}\r\n`, 400],
];

eachLedger(
  'bad wire',
  (ledger) => {
    test('what is not HTTP is a problem on a connection that ends, and nothing behind it is read', async () => {
      for (const [what, bytes, status] of BROKEN) {
        const [answer, ...more] = answersIn(await exchange(ledger.url, bytes, { end: false }));
        assert.ok(answer, `${what}: no answer`);
        assert.equal(answer.status, status, `${what}: ${answer.head}`);
        assert.deepEqual(more, [], `${what}: a second answer`);
        if (what === 'no host') continue; // Node's own answer, without a body.
        assert.match(answer.head, /content-type: application\/problem\+json/, what);
        const problem = JSON.parse(answer.body);
        assert.equal(problem.status, status, what);
        assert.deepEqual(Object.keys(problem), ['type', 'title', 'status', 'detail', 'code', 'request_id'], what);
        assert.ok(answer.head.includes(`x-request-id: ${problem.request_id}`), what);
      }
    });

    test('a chunk that does not end, or a body that breaks off, does nothing', async () => {
      const tenant = await ledger.tenant();
      const authorized = `${POST}authorization: Bearer ${tenant.keys.agent}\r\n`;
      const body = JSON.stringify({ lane: 'generic', title: 'Broken off', inputs: { task: 'x' } });
      for (const bytes of [
        `${authorized}transfer-encoding: chunked\r\n\r\nfffffffffffffffffff\r\n${body}`,
        `${authorized}transfer-encoding: chunked\r\n\r\n${body.length.toString(16)};${'x'.repeat(20_000)}\r\n${body}\r\n0\r\n\r\n`,
        `${authorized}transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n`,
        `${authorized}transfer-encoding: chunked\r\n\r\nzz\r\n${body}\r\n0\r\n\r\n`,
        `${authorized}content-length: ${body.length + 1}\r\n\r\n${body}`,
      ]) {
        const answers = answersIn(await exchange(ledger.url, bytes));
        for (const { status } of answers) assert.ok(status >= 400 && status < 500, String(status));
      }
      assert.deepEqual((await tenant.as('auditor')('GET', '/runs')).runs, []);
    });

    test('requests one after another on one connection are answered in order, each as its own', async () => {
      const close = 'connection: close\r\n\r\n';
      const text = await exchange(ledger.url, `${GET}\r\nGET /runs HTTP/1.1\r\nhost: a\r\n\r\n${GET}${close}`, {
        end: false,
      });
      assert.deepEqual(
        answersIn(text).map(({ status }) => status),
        [200, 401, 200],
      );
    });

    test('no answer repeats what a header or an address injects', async () => {
      for (const path of [
        '/%0d%0aset-cookie:a=b',
        '/share/%0d%0aset-cookie:a=b',
        '/runs?x=%0d%0aset-cookie:a=b',
        '//evil.example/%2e%2e',
        '/\\evil.example',
      ])
        for (const head of [
          'x-request-id: a b',
          'x-request-id: <b>',
          'x-forwarded-host: evil.example',
          'accept: evil.example',
        ]) {
          const text = await exchange(
            ledger.url,
            `GET ${path} HTTP/1.1\r\nhost: evil.example\r\n${head}\r\nconnection: close\r\n\r\n`,
          );
          const [answer] = answersIn(text);
          assert.ok(answer && answer.status >= 400 && answer.status < 500, `${path}: ${answer?.status}`);
          assert.doesNotMatch(text, /set-cookie|evil\.example|location:/i, path);
        }
    });

    test('a form that is broken, flooded or names what it must not is refused, and its bytes are kept nowhere', async () => {
      const tenant = await ledger.tenant();
      const id = await runAt(tenant, 'Inputs');
      const part = (disposition: string, content: string, type = '') =>
        `--b\r\ncontent-disposition: form-data; ${disposition}\r\n${type}\r\n${content}\r\n`;
      const file = (name = 'file', content = 'bytes') =>
        part(`name="${name}"; filename="f.txt"`, content, 'content-type: text/plain\r\n');
      const kind = part('name="kind"', 'file');
      const forms: [what: string, body: string, statuses: number[]][] = [
        ['nothing', '', [400, 422]],
        ['no end', `${kind}${file()}`, [400, 422]],
        ['no file', `${kind}--b--\r\n`, [422]],
        ['a file under another name', `${kind}${file('data')}--b--\r\n`, [422]],
        ['two files', `${kind}${file()}${file()}--b--\r\n`, [400, 413, 422]],
        [
          'thousands of fields',
          `${Array.from({ length: 3_000 }, (_, i) => part(`name="f${i}"`, 'x')).join('')}${file()}--b--\r\n`,
          [413],
        ],
        ['a field over its limit', `${part('name="label"', 'x'.repeat(10_000))}${file()}--b--\r\n`, [413, 422]],
        ['a file over the limit', `${kind}${file('file', 'x'.repeat(EVIDENCE_LIMIT + 1))}--b--\r\n`, [413]],
        ['__proto__', `${part('name="__proto__"', 'x')}${file()}--b--\r\n`, [400, 422]],
        [
          'constructor',
          `${part('name="constructor"', 'x')}${part('name="kind"', 'nothing')}${file()}--b--\r\n`,
          [400, 422],
        ],
        ['a kind there is not', `${part('name="kind"', '\0')}${file()}--b--\r\n`, [422]],
        [
          'a media type that ends a line',
          `${kind}${part('name="content_type"', 'text/html\r\nset-cookie: a=b')}${file()}--b--\r\n`,
          [422],
        ],
        ['a label with NUL', `${kind}${part('name="label"', 'a\0b')}${file()}--b--\r\n`, [422]],
        ['another hash', `${kind}${part('name="sha256"', 'a'.repeat(64))}${file()}--b--\r\n`, [422]],
        ['no boundary', kind, [400, 415, 422]],
        [
          'thousands of part headers',
          `--b\r\n${'x: y\r\n'.repeat(5_000)}content-disposition: form-data; name="file"; filename="f"\r\n\r\nx\r\n--b--\r\n`,
          [400, 413, 422],
        ],
      ];
      for (const [what, body, statuses] of forms) {
        const type = what === 'no boundary' ? 'multipart/form-data' : 'multipart/form-data; boundary=b';
        const { status, json, text } = await tenant.ask('agent', 'POST', `/runs/${id}/evidence`, {
          raw: body,
          headers: { 'content-type': type },
        });
        assert.ok(statuses.includes(status), `${what}: ${status} ${text.slice(0, 200)}`);
        assert.equal(json.status, status, what);
      }
      assert.equal((await tenant.as('auditor')('GET', `/runs/${id}`)).stage, 'Inputs');
      assert.deepEqual(evidenceFiles(tenant), []);
    });

    test('evidence for a Run that takes none any more is refused and its bytes are not kept', async () => {
      const tenant = await ledger.tenant();
      const id = await runAt(tenant, 'Execution');
      const before = evidenceFiles(tenant);
      const body = { kind: 'log', label: 'late', content: 'too late' };
      assert.equal((await tenant.ask('agent', 'POST', `/runs/${id}/evidence`, { body })).status, 409);
      assert.deepEqual(evidenceFiles(tenant), before);
    });

    test('a file name leads nowhere and its bytes come back as a download that nothing runs', async () => {
      const tenant = await ledger.tenant();
      const id = await runAt(tenant, 'Inputs');
      for (const name of [
        '../../../etc/passwd',
        '..\\\\..\\\\x',
        'a"; filename="b.html',
        '<script>.html',
        'CON',
        '.htaccess',
        '%2e%2e%2f',
      ]) {
        const form = new FormData();
        form.set('kind', 'file');
        form.set('file', new Blob([`<script>alert(1)</script>${name}`], { type: 'text/html' }), name);
        const { status, json, text } = await tenant.ask('agent', 'POST', `/runs/${id}/evidence`, { raw: form });
        assert.equal(status, 201, `${name}: ${text}`);
        const answer = await ledger.call('GET', `/runs/${id}/evidence/${json.id}`, { token: tenant.keys.auditor });
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get('content-disposition'), `attachment; filename="${json.id}"`);
        assert.match(answer.headers.get('content-security-policy') ?? '', /sandbox/);
        assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      }
      for (const file of evidenceFiles(tenant))
        assert.match(file, /^objects\/org_\w+\/evidence\/run_\w+\/[0-9a-f]{64}$/);
    });

    test('the page at /docs loads from here only, shows every operation and takes an API key', async () => {
      const page = await ledger.call('GET', '/docs');
      assert.equal(page.status, 200);
      const loaded = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, from]) => from!);
      assert.ok(loaded.length >= 3);
      for (const from of loaded) {
        assert.match(from, /^\/docs\/static\//);
        assert.equal((await ledger.call('GET', from)).status, 200, from);
      }
      const policy = page.headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'.*script-src 'self';/);
      assert.doesNotMatch(policy, /https?:|unsafe-eval|script-src[^;]*unsafe|validator|upgrade-insecure/);
      assert.match(policy, /frame-ancestors 'none'/);
      const initializer = (await ledger.call('GET', '/docs/static/swagger-initializer.js')).text;
      assert.match(initializer, /validatorUrl: null/);
      assert.doesNotMatch(initializer.replace(/data:[^']+/g, ''), /https?:\/\/(?!stackoverflow)/);
      const { json } = await ledger.call('GET', '/docs/json');
      assert.equal(json.components.securitySchemes.bearer.scheme, 'bearer');
      assert.deepEqual(json.paths, (await ledger.call('GET', '/openapi.json')).json.paths);
    });

    test('a link that is asked for too often is 429 with Retry-After, and only that', async () => {
      const tenant = await ledger.tenant();
      const token = (await mintedReceipt(tenant)).share_url.split('/').at(-1);
      const statuses = new Set<number>();
      // A minute that ends meanwhile begins anew to count.
      for (let i = 0; i < 200 && !statuses.has(429); i++) {
        const { status, headers, json } = await ledger.call('GET', `/share/${i % 2 ? token : 'x'.repeat(22)}`);
        statuses.add(status);
        if (status !== 429) continue;
        assert.equal(json.code, 'rate_limited');
        assert.ok(Number(headers.get('retry-after')) > 0);
      }
      assert.deepEqual([...statuses].sort(), [200, 404, 429]);
      assert.equal((await ledger.call('GET', '/healthz')).status, 200);
      assert.equal((await tenant.ask('auditor', 'GET', '/runs')).status, 200);
    });

    function evidenceFiles(tenant: Tenant): string[] {
      const files = readdirSync(ledger.folder, { recursive: true }) as string[];
      return files.filter((file) => new RegExp(`${tenant.organization_id}/evidence/[^/]+/[^/]+$`).test(file)).sort();
    }
  },
  { LEDGER_EVIDENCE_BYTES: String(EVIDENCE_LIMIT), LEDGER_SHARE_REQUESTS_PER_MINUTE: '30' },
);
