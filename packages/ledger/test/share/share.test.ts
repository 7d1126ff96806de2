/** Sharing (docs/spec.md §17): whoever holds the link sees the receipt as it is stored, and whether it still has its hash. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { LaneName } from '@rcpt/contract/vocabulary.ts';
import { LANE_NAMES } from '@rcpt/contract/words.ts';
import { newSecret, now } from '@rcpt/service/ids.ts';
import { createMinter } from '../../src/chain/mint.ts';
import { assertReceipt, type Receipt, sealed } from '../kit/independent.ts';
import { type Answer, eachLedger, type Tenant } from '../kit/running.ts';
import { approvedRun, mintedReceipt } from '../kit/story.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const pathOf = (receipt: Receipt) => new URL(receipt.share_url).pathname;

eachLedger('a shared receipt', (ledger) => {
  let tenant: Tenant;
  let receipts: Receipt[];
  const get = (path: string, accept?: string): Promise<Answer> =>
    ledger.call('GET', path, { headers: accept ? { accept } : {} });

  before(async () => {
    tenant = await ledger.tenant();
    receipts = [];
    for (const lane of LANE_NAMES) receipts.push(await mintedReceipt(tenant, lane));
  });

  test('is read without any credential, as JSON exactly as stored', async () => {
    for (const receipt of receipts)
      for (const accept of [undefined, 'application/json', '*/*']) {
        const { status, headers, text } = await get(pathOf(receipt), accept);
        assert.equal(status, 200);
        assert.match(headers.get('content-type')!, /^application\/json\b/);
        assert.equal(headers.get('receipt-verified'), 'true');
        assert.equal(headers.get('vary'), 'accept, user-agent');
        assert.deepEqual(assertReceipt(text), receipt);
      }
  });

  test('is a page for people, whatever the lane', async () => {
    for (const receipt of receipts) {
      const { status, headers, text } = await get(pathOf(receipt), BROWSER);
      assert.equal(status, 200);
      assert.match(headers.get('content-type')!, /^text\/html; charset=utf-8/);
      assert.equal(headers.get('receipt-verified'), 'true');
      assert.match(headers.get('content-security-policy')!, /default-src 'none'/);
      assert.ok(text.includes(receipt.receipt_id));
      assert.ok(text.includes(receipt.receipt_sha256));
    }
  });

  test('offers to compare a file on the lanes that seal one, with a script that may send nothing', async () => {
    const offers: Record<LaneName, RegExp | null> = {
      generic: /seals the SHA-256 of the output, and of /,
      eval: /seals the SHA-256 of the submission/,
      'dataset-download': /seals the SHA-256 of the dataset package\./,
      'model-pin': /seals the SHA-256 of the model card\./,
      cook: null,
      incident: null,
    };
    for (const [i, lane] of LANE_NAMES.entries()) {
      const { text } = await get(pathOf(receipts[i]!), BROWSER);
      assert.equal(text.includes('type="file"'), offers[lane] !== null, lane);
      assert.match(text, offers[lane] ?? /./, lane);
    }
    const worker = await get('/assets/page/hash-file.ts');
    assert.equal(worker.status, 200);
    assert.equal(worker.headers.get('content-security-policy'), "default-src 'none'; script-src 'self'");
    const etag = worker.headers.get('etag')!;
    const again = await ledger.call('GET', '/assets/page/hash-file.ts', { headers: { 'if-none-match': etag } });
    assert.equal(again.status, 304);
    assert.equal(again.headers.get('content-security-policy'), "default-src 'none'; script-src 'self'");
  });

  test('is a page for what shows links as cards, which takes whatever comes', async () => {
    const path = pathOf(receipts[0]);
    for (const agent of [
      'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
      'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
      'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
    ]) {
      const { headers, text } = await ledger.call('GET', path, { headers: { accept: '*/*', 'user-agent': agent } });
      assert.match(headers.get('content-type')!, /^text\/html/, agent);
      assert.match(text, /property="og:image"/);
    }
    const program = await ledger.call('GET', path, { headers: { accept: '*/*', 'user-agent': 'curl/8.5.0' } });
    assert.match(program.headers.get('content-type')!, /^application\/json/);
  });

  test('is printed as a PDF, inline, under its id', async () => {
    for (const receipt of receipts) {
      const { status, headers, text } = await get(`${pathOf(receipt)}/pdf`);
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'application/pdf');
      assert.equal(headers.get('content-disposition'), `inline; filename="${receipt.receipt_id}.pdf"`);
      assert.equal(headers.get('receipt-verified'), 'true');
      assert.ok(text.startsWith('%PDF-'));
    }
  });

  test('has a picture for chats and mails, and says once that it is the same', async () => {
    for (const receipt of receipts) {
      const path = `${pathOf(receipt)}/card.png`;
      const { status, headers, text } = await get(path);
      assert.deepEqual([status, headers.get('content-type')], [200, 'image/png']);
      assert.equal(headers.get('receipt-verified'), 'true');
      assert.match(text, /^.PNG\r\n/);
      const again = await ledger.call('GET', path, { headers: { 'if-none-match': headers.get('etag')! } });
      assert.deepEqual([again.status, again.text], [304, '']);
      const page = await get(pathOf(receipt), BROWSER);
      assert.ok(page.text.includes(`<meta property="og:image" content="${receipt.share_url}/card.png">`));
    }
  });

  test('is not sent again to a reader who has it already', async () => {
    for (const form of ['', '/pdf', '/card.png']) {
      const path = `${pathOf(receipts[0])}${form}`;
      const headers = { accept: BROWSER };
      const first = await get(path, BROWSER);
      const etag = first.headers.get('etag')!;
      assert.match(etag, /^"[\w-]{22}"$/, form);
      const again = await ledger.call('GET', path, { headers: { ...headers, 'if-none-match': etag } });
      assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag], form);
      const other = await ledger.call('GET', path, { headers: { ...headers, 'if-none-match': '"another"' } });
      assert.equal(other.status, 200, form);
    }
  });

  test('is downloaded byte for byte as it is stored', async () => {
    for (const receipt of receipts) {
      const stored = await ledger.db.get<{ payload: string }>(
        'select payload from receipts where organization_id = $1 and org_seq = $2',
        [tenant.organization_id, receipt.org_seq],
      );
      const { status, headers, text } = await get(`${pathOf(receipt)}/download`, BROWSER);
      assert.equal(status, 200);
      assert.match(headers.get('content-type')!, /^application\/json\b/);
      assert.equal(headers.get('content-disposition'), `attachment; filename="${receipt.receipt_id}.json"`);
      assert.equal(headers.get('receipt-verified'), 'true');
      assert.equal(text, stored!.payload);
    }
  });

  test('is answered in every form when it is large, by its own organization in turn', async () => {
    const inputs = { task: 'Read it all', text: 'Two tiles are broken. '.repeat(3_000) };
    const large = await mintedReceipt(tenant, 'generic', { inputs });
    const path = pathOf(large);
    const [json, download, page, pdf, card] = await Promise.all([
      get(path),
      get(`${path}/download`),
      get(path, BROWSER),
      get(`${path}/pdf`),
      get(`${path}/card.png`),
    ]);
    assert.deepEqual(assertReceipt(json.text), large);
    assert.equal(download.text, json.text);
    for (const { status, headers } of [json, download, page, pdf, card]) {
      assert.equal(status, 200);
      assert.equal(headers.get('receipt-verified'), 'true');
    }
    assert.ok(page.text.includes(large.receipt_id));
  });

  test('is not for search engines and sends its address to nobody', async () => {
    const { headers } = await get(pathOf(receipts[0]), BROWSER);
    assert.equal(headers.get('x-robots-tag'), 'noindex');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
  });

  test('has a link that cannot be guessed: at least 128 bits, URL-safe, each its own', () => {
    const tokens = receipts.map((receipt) => pathOf(receipt).split('/').at(-1)!);
    for (const token of tokens) assert.match(token, /^[0-9a-z]{9}[\w-]{22}$/);
    assert.equal(new Set(tokens.map((token) => token.slice(9))).size, tokens.length);
  });

  test('keeps a link of the earlier form, 22 characters', async () => {
    const { db, url } = ledger;
    const token = newSecret(16);
    const settings = { base_url: url, now, newShareToken: () => token, queue_limit: 1, onMinted() {} };
    const { organization_id } = tenant;
    const run_id = await approvedRun(tenant);
    const { payload } = await createMinter({ db, ...settings }).mint({ organization_id, run_id, by: 'key' });
    const { status, headers, text } = await get(`/share/${token}`);
    assert.deepEqual([status, headers.get('receipt-verified'), text], [200, 'true', payload]);
    const search = new URLSearchParams({ search: `${url}/share/${token}` });
    const { json } = await tenant.ask('auditor', 'GET', `/receipts?${search}`);
    assert.deepEqual(
      json.receipts.map(({ share_url }: Receipt) => share_url),
      [assertReceipt(payload).share_url],
    );
  });

  test('is 404 under any other link, in any form', async () => {
    const path = pathOf(receipts[0]);
    for (const wrong of [
      `/share/${'x'.repeat(22)}`,
      `${path}x`,
      path.slice(0, -1),
      '/share/x',
      `/share/${receipts[0].receipt_id}`,
      "/share/'%20or%20'1'='1",
    ])
      for (const form of ['', '/pdf', '/card.png', '/download']) {
        const { status, json } = await get(`${wrong}${form}`);
        assert.deepEqual([status, json.code], [404, 'not_found'], `${wrong}${form}`);
        const person = await get(`${wrong}${form}`, BROWSER);
        assert.equal(person.status, 404);
        if (!wrong.includes('%')) assert.match(person.text, /<h1>No receipt is shared under this link/);
      }
    assert.equal((await get(`${path}/other`)).status, 404);
  });

  test('never lets what was written by others run in a browser', async () => {
    const title = '<script>alert(1)</script>"\'><img src=x onerror=alert(1)>';
    const receipt = await mintedReceipt(tenant, 'generic', { title, inputs: { task: title } });
    const { text } = await get(pathOf(receipt), BROWSER);
    assert.ok(!text.includes('<script>alert') && !text.includes('<img src=x'));
    assert.equal((await get(`${pathOf(receipt)}/pdf`)).status, 200);
  });

  describe('that was altered in the database', () => {
    /** A receipt of an organization whose chain may break, its payload changed by `alter`. */
    async function altered(alter: (payload: string) => string): Promise<string> {
      const doomed = await ledger.doomedTenant();
      const receipt = await mintedReceipt(doomed);
      const where = 'where organization_id = $1 and org_seq = 0';
      const { payload } = (await ledger.db.get<{ payload: string }>(`select payload from receipts ${where}`, [
        doomed.organization_id,
      ]))!;
      await ledger.db.run(`update receipts set payload = $2 ${where}`, [doomed.organization_id, alter(payload)]);
      return pathOf(receipt);
    }

    const alterations: Record<string, (payload: string) => string> = {
      'by one letter': (payload) => payload.replace('Summarize', 'summarize'),
      'by a space that changes no value': (payload) => payload.replace(',', ', '),
      'by another hash': (payload) => payload.replace(/("receipt_sha256":")./, '$1g'),
      'to something that is no receipt': () => '{"hello":"<script>alert(1)</script>"}',
      'to no JSON at all': (payload) => payload.slice(0, 100),
      'to a list': () => '[]',
      'to nothing': () => '',
    };
    for (const [how, alter] of Object.entries(alterations))
      test(`${how}: every answer says so and none hides it`, async () => {
        const path = await altered(alter);
        for (const form of ['', '/pdf', '/download']) {
          const { status, headers } = await get(`${path}${form}`);
          assert.deepEqual([status, headers.get('receipt-verified')], [200, 'false'], form);
        }
        const page = await get(path, BROWSER);
        assert.deepEqual([page.status, page.headers.get('receipt-verified')], [200, 'false']);
        assert.match(page.text, /alter|does not match|no longer/i);
        assert.ok(!page.text.includes('<script>alert(1)'));
      });

    test('by putting another intact receipt under its link: the answers say so', async () => {
      const other = receipts[1];
      const path = await altered(() => sealed({ ...other }));
      for (const form of ['', '/pdf', '/download'])
        assert.equal((await get(`${path}${form}`)).headers.get('receipt-verified'), 'false', form);
    });
  });
});

eachLedger(
  'sharing within limits',
  (ledger) => {
    test('is 429 with Retry-After above them, for known and unknown links alike, and nothing else is', async () => {
      const tenant = await ledger.tenant();
      const path = pathOf(await mintedReceipt(tenant));
      for (const asked of [path, `/share/${'x'.repeat(22)}`, `${path}/download`]) {
        let answer: Answer;
        let asks = 0;
        do answer = await ledger.call('GET', asked);
        while (answer.status !== 429 && ++asks <= 10);
        assert.deepEqual([answer.status, answer.json.code], [429, 'rate_limited']);
        assert.ok(Number(answer.headers.get('retry-after')) >= 1);
        assert.match(answer.headers.get('content-type')!, /^application\/problem\+json/);
      }
      assert.equal((await ledger.call('GET', '/healthz')).status, 200);
      assert.equal((await tenant.ask('auditor', 'GET', '/ledger')).status, 200);
    });
  },
  { LEDGER_SHARE_REQUESTS_PER_MINUTE: '10' },
);

eachLedger(
  'a ledger behind a name',
  (ledger) => {
    test('hands out links under that name', async () => {
      const receipt = await mintedReceipt(await ledger.tenant());
      assert.match(receipt.share_url, /^https:\/\/receipts\.example\.org\/base\/share\/[0-9a-z]{9}[\w-]{22}$/);
      assert.equal((await ledger.call('GET', pathOf(receipt).slice('/base'.length))).status, 200);
    });
  },
  { LEDGER_BASE_URL: 'https://receipts.example.org/base/' },
);
