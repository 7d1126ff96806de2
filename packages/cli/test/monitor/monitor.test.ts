/** What a schedule calls, as it is called: silent on a whole chain, one paragraph on anything else. */
import { strict as assert } from 'node:assert';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { parseCheckpointText } from '@rcpt/proof/log/checkpoint.ts';
import { parseNote } from '@rcpt/proof/log/signed-note.ts';
import { rcpt } from '../../../../test/kit/process.ts';
import { eachLedger, type SuiteLedger, type Tenant } from '../../../ledger/test/kit/running.ts';
import { mintedReceipt } from '../../../ledger/test/kit/story.ts';
import { readChain, writeChain } from '../../../ledger/test/kit/tampering.ts';
import { cutTo, forgetRuns, forgetSigned, rewrittenFrom } from './kit/operator.ts';

const folder = mkdtempSync(join(tmpdir(), 'monitor-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Looked {
  code: number;
  stdout: string;
  stderr: string;
}

async function look(url: string, key: string, ...words: string[]): Promise<Looked> {
  const { code, stdout, stderr } = await rcpt(['monitor', url, ...words], { RCPT_KEY: key, XDG_STATE_HOME: state() });
  return { code: code!, stdout, stderr: stderr.map((line) => `${line}\n`).join('') };
}

const WELL = { code: 0, stdout: '', stderr: '' };

/** One paragraph that says so, and where to read on. */
function found({ code, stdout, stderr }: Looked, words: RegExp): void {
  assert.match(stderr, words);
  assert.deepEqual([code, stdout, stderr.split('\n').length], [1, '', 2], stderr);
  assert.match(stderr, /^rcpt monitor: http.*docs\/operations\.md/);
}

let files = 0;
/** A new one each time: only what `--seen` names is kept from look to look. */
const state = () => join(folder, `${++files}.state`);
function seenFile(): string {
  return join(folder, `${++files}.seen`);
}

async function mint(tenant: Tenant, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await mintedReceipt(tenant);
}

function looks(ledger: SuiteLedger): void {
  test('whole, it is silent, and keeps where the chain ends for the next look', async () => {
    const tenant = await ledger.tenant();
    const seen = seenFile();
    const key = tenant.keys.auditor;
    assert.deepEqual(await look(ledger.url, key, '--seen', seen), WELL, 'an empty chain is whole');
    assert.equal(JSON.parse(readFileSync(seen, 'utf8')).head, null);
    for (const count of [1, 0, 3]) {
      await mint(tenant, count);
      assert.deepEqual(await look(ledger.url, key, '--seen', seen), WELL);
      const { head } = await tenant.as('auditor')('GET', '/ledger/verify');
      const { verified_at, organization_id, checkpoint, ...kept } = JSON.parse(readFileSync(seen, 'utf8'));
      assert.deepEqual([organization_id, kept.head], [tenant.organization_id, head]);
      assert.equal(parseCheckpointText(parseNote(checkpoint).text).size, head.org_seq + 1);
      assert.ok(Math.abs(Date.now() - Date.parse(verified_at)) < 600_000);
      assert.equal(statSync(seen).mode & 0o777, 0o600);
    }
    const { stdout, code } = await look(ledger.url, key, '--json');
    assert.deepEqual([code, JSON.parse(stdout).ok, JSON.parse(stdout).head.org_seq], [0, true, 3]);
  });

  test('keeps by itself what it saw, a file for each log, unless it is told not to', async () => {
    const tenant = await ledger.doomedTenant();
    const other = await ledger.tenant();
    await mint(tenant, 2);
    const XDG_STATE_HOME = state();
    const kept = join(XDG_STATE_HOME, 'rcpt');
    const again = async (key: string, ...words: string[]) => {
      const { code, stderr } = await rcpt(['monitor', ledger.url, ...words], { RCPT_KEY: key, XDG_STATE_HOME });
      return { code, stderr: stderr.join('\n') };
    };
    const key = tenant.keys.auditor;
    const vkey = (await tenant.ask('auditor', 'GET', '/ledger/key')).text.trim();
    assert.equal((await again(key, '--no-seen')).code, 0);
    assert.ok(!existsSync(kept));
    for (const [words, count] of [
      [[], 1],
      [['--key', vkey], 2],
      [['--activity'], 3],
    ] as const) {
      assert.deepEqual(await again(key, ...words), { code: 0, stderr: '' });
      assert.equal(readdirSync(kept).length, count);
    }
    assert.deepEqual(await again(other.keys.auditor), { code: 0, stderr: '' });
    for (const name of readdirSync(kept)) {
      assert.match(name, /^monitor-127\.0\.0\.1_\d+\.[0-9a-f]{16}\.seen$/);
      assert.equal(statSync(join(kept, name)).mode & 0o777, 0o600);
    }
    assert.equal(statSync(kept).mode & 0o777, 0o700);
    await writeChain(ledger.db, tenant.organization_id, cutTo(await readChain(ledger.db, tenant.organization_id), 1));
    await forgetRuns(ledger.db, tenant.organization_id);
    await forgetSigned(ledger.db, tenant.organization_id);
    assert.deepEqual(await again(key, '--no-seen'), { code: 0, stderr: '' });
    for (const words of [[], ['--key', vkey]]) {
      const { code, stderr } = await again(key, ...words);
      assert.equal(code, 1);
      assert.match(stderr, /THE CHAIN WAS CUT: 1:/);
    }
    assert.equal((await again(key, '--no-seen', '--seen', 'x')).code, 2);
  });

  test('is stale after 48 hours unless told otherwise, and with 0 never', async () => {
    const tenant = await ledger.tenant();
    await mint(tenant, 1);
    const seen = seenFile();
    const key = tenant.keys.auditor;
    assert.deepEqual(await look(ledger.url, key, '--seen', seen), WELL);
    const aged = (hours: number) =>
      writeFileSync(
        seen,
        JSON.stringify({
          ...JSON.parse(readFileSync(seen, 'utf8')),
          grown_at: new Date(Date.now() - hours * 3_600_000).toISOString(),
        }),
      );
    aged(47);
    assert.deepEqual(await look(ledger.url, key, '--seen', seen), WELL);
    aged(49);
    found(await look(ledger.url, key, '--seen', seen), /THE CHECKPOINT IS STALE: .*, longer than 48 hours/);
    assert.deepEqual(await look(ledger.url, key, '--seen', seen, '--stale', '0'), WELL);
    assert.equal((await look(ledger.url, key, '--seen', seen, '--stale', '00')).code, 2);
  });

  test('altered in the database, the receipt is named, and what was seen stays', async () => {
    const tenant = await ledger.doomedTenant();
    await mint(tenant, 3);
    const seen = seenFile();
    await look(ledger.url, tenant.keys.auditor, '--seen', seen);
    const before = readFileSync(seen, 'utf8');
    const chain = await readChain(ledger.db, tenant.organization_id);
    const row = chain.rows[1]!;
    row.payload = row.payload.replace('"title":"', '"title":"Not ');
    await writeChain(ledger.db, tenant.organization_id, chain);
    const { receipt_id } = JSON.parse(row.payload);
    found(
      await look(ledger.url, tenant.keys.auditor, '--seen', seen),
      new RegExp(`THE CHAIN DOES NOT VERIFY: payload_altered at receipt ${receipt_id}, org_seq 1: `),
    );
    assert.equal(readFileSync(seen, 'utf8'), before);
  });

  test('cut, with its recorded head moved along, or cut down to nothing: known from the head that was seen', async () => {
    const tenant = await ledger.doomedTenant();
    await mint(tenant, 3);
    const seen = seenFile();
    await look(ledger.url, tenant.keys.auditor, '--seen', seen);
    const { receipt_sha256 } = JSON.parse(readFileSync(seen, 'utf8')).head;
    const chain = await readChain(ledger.db, tenant.organization_id);
    for (const [count, now] of [
      [2, 'ends at 1:'],
      [0, 'holds no receipt at all'],
    ] as const) {
      await writeChain(ledger.db, tenant.organization_id, cutTo(chain, count));
      // With the Runs that would tell.
      await ledger.db.run(
        'delete from runs where organization_id = $1 and id not in (select run_id from receipts where organization_id = $1)',
        [tenant.organization_id],
      );
      assert.equal((await tenant.as('auditor')('GET', '/ledger/verify')).ok, true, 'by itself it is a whole chain');
      found(
        await look(ledger.url, tenant.keys.auditor, '--seen', seen),
        new RegExp(`THE CHAIN WAS CUT: 2:${receipt_sha256} was seen before, and now it ${now}`),
      );
      found(
        await look(ledger.url, tenant.keys.auditor, '--holds', `2:${receipt_sha256}`),
        /THE CHAIN WAS CUT: 2:.* holds no receipt 2/,
      );
    }
  });

  test('rewritten and sealed anew, whole by itself: known from the head that was seen, silent once it is back', async () => {
    const tenant = await ledger.doomedTenant();
    await mint(tenant, 3);
    const seen = seenFile();
    await look(ledger.url, tenant.keys.auditor, '--seen', seen);
    const kept = JSON.parse(readFileSync(seen, 'utf8')).head;
    await mint(tenant, 2);
    const chain = await readChain(ledger.db, tenant.organization_id);
    await writeChain(ledger.db, tenant.organization_id, rewrittenFrom(chain, 1));
    await forgetSigned(ledger.db, tenant.organization_id);
    assert.equal((await tenant.as('auditor')('GET', '/ledger/verify')).ok, true, 'by itself it is a whole chain');
    found(
      await look(ledger.url, tenant.keys.auditor, '--seen', seen),
      /THE LOG WAS REWRITTEN: the checkpoint of 5 receipts does not continue the one of 3/,
    );
    found(
      await look(ledger.url, tenant.keys.auditor, '--holds', `2:${kept.receipt_sha256}`),
      new RegExp(`the chain does not hold 2:${kept.receipt_sha256}: 2:`),
    );
    await writeChain(ledger.db, tenant.organization_id, chain);
    await forgetSigned(ledger.db, tenant.organization_id);
    assert.deepEqual(await look(ledger.url, tenant.keys.auditor, '--seen', seen), WELL);
    assert.deepEqual(await look(ledger.url, tenant.keys.auditor, '--holds', `2:${kept.receipt_sha256}`), WELL);
  });

  test('what was seen of one organization is not held against another, nor against what is no such file', async () => {
    const [one, other] = [await ledger.tenant(), await ledger.tenant()];
    await mint(one, 1);
    await mint(other, 1);
    const seen = seenFile();
    await look(ledger.url, one.keys.auditor, '--seen', seen);
    found(
      await look(ledger.url, other.keys.auditor, '--seen', seen),
      new RegExp(`could not be verified: the key is one of [^ ]+${other.organization_id}, .*${one.organization_id}`),
    );
    writeFileSync(seen, '{"org_seq": 1');
    found(await look(ledger.url, one.keys.auditor, '--seen', seen), /is not what this command wrote/);
    assert.equal(readFileSync(seen, 'utf8'), '{"org_seq": 1');
    found(
      await look(ledger.url, one.keys.auditor, '--seen', join(seen, 'x')),
      /could not be verified: --seen: ENOTDIR/,
    );
    found(
      await look(ledger.url, one.keys.auditor, '--seen', join(folder, 'no', 'x')),
      /what was seen could not be kept/,
    );
  });

  describe('what stands between it and a ledger', () => {
    /** Hands on to the ledger what `change` does not answer itself. */
    async function between(
      change: (path: string, text: string) => string | null,
    ): Promise<{ url: string; server: Server }> {
      const server = createServer(async (request, response) => {
        const answer = await fetch(`${ledger.url}${request.url}`, {
          headers: { authorization: request.headers.authorization! },
        });
        const text = change(request.url!, await answer.text());
        if (text === null) return;
        response.writeHead(answer.status, { 'content-type': 'application/json' });
        response.end(text);
      });
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
    }

    test('nobody there, no credential, another page, silence: it could not be verified', async (t) => {
      const tenant = await ledger.tenant();
      const key = tenant.keys.auditor;
      await mint(tenant, 1);
      const { url, server } = await between(() => null);
      t.after(() => server.closeAllConnections());
      t.after(() => server.close());
      found(
        await look(url, key, '--timeout', '1'),
        /could not be verified: GET \/ledger\/verify: no answer within 1 s/,
      );
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      found(await look(url, key), /could not be verified: GET \/ledger\/verify: connect ECONNREFUSED/);
      found(await look(ledger.url, 'rk_unknown_key'), /could not be verified: GET \/ledger\/verify: 401 /);
      found(await look(`${ledger.url}/nowhere`, key), /could not be verified: GET \/ledger\/verify: 404 /);
    });

    test('a verification that broke off is none, whatever it answers', async (t) => {
      const tenant = await ledger.tenant();
      await mint(tenant, 2);
      const nothing = '{"ok":true,"receipts_checked":0,"head":null,"violation":null,"violations":[]}';
      const half = (text: string) => text.replace('"receipts_checked":2', '"receipts_checked":1');
      for (const [answer, words] of [
        [() => nothing, /could not be verified: .* ended without reading the chain/],
        [half, /could not be verified: .* broke off: it answers ok for 1 receipts/],
        [(text: string) => text.slice(0, 20), /could not be verified: .* cut off or is no verification/],
        [(text: string) => text.replace('"ok":true', '"ok":false'), /answers ok: false, and names nothing/],
      ] as const) {
        const { url, server } = await between((path, text) => (path === '/ledger/verify' ? answer(text) : text));
        t.after(() => server.close());
        found(await look(url, tenant.keys.auditor), words);
      }
    });

    test('a ledger that says ok to everything is found out by what it serves', async (t) => {
      const tenant = await ledger.tenant();
      await mint(tenant, 3);
      const seen = seenFile();
      await look(ledger.url, tenant.keys.auditor, '--seen', seen);
      await mint(tenant, 2);
      for (const [served, words] of [
        [(text: string) => text.replace('"title":"', '"title":"Not '), /serves a receipt RCPT-000002-.* not the hash/],
        [
          (text: string) => text.replace(/\{"approval".*?\},(?=\{"approval")/, ''),
          /serves 3:.* where org_seq 2 should/,
        ],
        [
          () => '{"receipts":[],"next_after_seq":null}',
          /GET \/ledger ends at org_seq 1, before the signed checkpoint of 5 receipts/,
        ],
        [() => '<html>', /could not be verified: GET \/ledger: 200, but the answer is cut off/],
      ] as const) {
        const { url, server } = await between((path, text) => (path.startsWith('/ledger?') ? served(text) : text));
        t.after(() => server.close());
        found(await look(url, tenant.keys.auditor, '--seen', seen), words);
      }
      assert.deepEqual(await look(ledger.url, tenant.keys.auditor, '--seen', seen), WELL);
      assert.ok(!existsSync(`${seen}.new`));
    });
  });
}

// A client of the ledger: what stands behind the answers it reads makes no difference to it.
eachLedger('the chain, looked at from outside', looks, {}, { engines: ['sqlite'] });
