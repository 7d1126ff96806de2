/**
 * Drills: an operator who holds database and keys takes receipts away, rewrites them, goes back to an older backup, or signs with
 * another key, and has the ledger sign the result. By itself every result is whole. A monitor that holds one earlier checkpoint says which it was.
 */
import { strict as assert } from 'node:assert';
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { cosignatureBytes, cosignedMessage, parseCheckpointText } from '@rcpt/proof/log/checkpoint.ts';
import { formatSignature, parseNote } from '@rcpt/proof/log/signed-note.ts';
import { formatVerifierKey, verifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { rcpt } from '../../../../test/kit/process.ts';
import { eachLedger, type SuiteLedger, type Tenant } from '../../../ledger/test/kit/running.ts';
import { mintedReceipt } from '../../../ledger/test/kit/story.ts';
import { readChain, writeChain } from '../../../ledger/test/kit/tampering.ts';
import { cutTo, forgetRuns, forgetSigned, rewrittenFrom } from './kit/operator.ts';

const folder = mkdtempSync(join(tmpdir(), 'drills-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

interface Watched {
  tenant: Tenant;
  key: string;
  seen: string;
  look(...words: string[]): Promise<{ code: number | null; stdout: string; said: string }>;
}

/** A tenant with three receipts, looked at once. */
async function watched(ledger: SuiteLedger, ...first: string[]): Promise<Watched> {
  const tenant = await ledger.doomedTenant();
  for (let n = 0; n < 3; n++) await mintedReceipt(tenant);
  const key = (await tenant.ask('auditor', 'GET', '/ledger/key')).text.trim();
  const seen = join(folder, `${++files}.seen`);
  const look: Watched['look'] = async (...words) => {
    const asked = ['monitor', ledger.url, '--key', key, '--seen', seen, ...words];
    const { code, stdout, stderr } = await rcpt(asked, {
      RCPT_KEY: tenant.keys.auditor,
      RCPT_SMTP_URL: `file:${folder}/mails`,
    });
    return { code, stdout, said: stderr.join('\n') };
  };
  assert.deepEqual(await look(...first), { code: 0, stdout: '', said: '' });
  return { tenant, key, seen, look };
}

function signedSize(note: string): number {
  return Number(note.split('\n')[1]);
}

function drills(ledger: SuiteLedger): void {
  /** By the checkpoint alone, and with the receipts, too: each says so, and keeps what was seen. */
  async function caught({ look, seen }: Watched, by_checkpoint: RegExp, by_receipts: RegExp): Promise<void> {
    const before = readFileSync(seen, 'utf8');
    for (const [words, expected] of [
      [['--checkpoint-only'], by_checkpoint],
      [[], by_receipts],
    ] as const) {
      const { code, said } = await look(...words);
      assert.equal(code, 1, said);
      assert.match(said, expected);
      assert.match(said, /docs\/operations\.md says what to do next/);
    }
    assert.equal(readFileSync(seen, 'utf8'), before);
  }

  test('tail cut off, and the rest signed anew', async () => {
    const one = await watched(ledger);
    const { organization_id } = one.tenant;
    await writeChain(ledger.db, organization_id, cutTo(await readChain(ledger.db, organization_id), 2));
    await forgetRuns(ledger.db, organization_id);
    await forgetSigned(ledger.db, organization_id);
    assert.equal((await one.tenant.as('auditor')('GET', '/ledger/verify')).ok, true, 'by itself it is a whole chain');
    await caught(
      one,
      /THE LOG WAS CUT: a signed checkpoint of 3 receipts was seen before, and now one of 2 is served .*Keep both/,
      /THE CHAIN WAS CUT: 2:[0-9a-f]{64} was seen before, and now it ends at 1:/,
    );
    assert.equal(signedSize(readFileSync(`${one.seen}.found`, 'utf8')), 2, 'the signed evidence is kept');
  });

  test('tail cut off, while the ledger still knows what it signed', async () => {
    const one = await watched(ledger);
    const { organization_id } = one.tenant;
    await writeChain(ledger.db, organization_id, cutTo(await readChain(ledger.db, organization_id), 2));
    await forgetRuns(ledger.db, organization_id);
    const { code, said } = await one.look('--checkpoint-only');
    assert.equal(code, 1);
    assert.match(said, /THE LEDGER CANNOT SHOW WHAT IT SIGNED: A checkpoint of 3 entries was signed, and 2 are stored/);
  });

  test('cut down to nothing', async () => {
    const one = await watched(ledger);
    const { organization_id } = one.tenant;
    await writeChain(ledger.db, organization_id, cutTo(await readChain(ledger.db, organization_id), 0));
    await forgetRuns(ledger.db, organization_id);
    await forgetSigned(ledger.db, organization_id);
    await caught(
      one,
      /THE LOG WAS CUT: a signed checkpoint of 3 receipts was seen before, and now one of 0 is served/,
      /THE CHAIN WAS CUT: .* holds no receipt at all/,
    );
  });

  test('the whole chain rewritten and signed anew, at the same length and longer', async () => {
    const one = await watched(ledger);
    const { organization_id } = one.tenant;
    await writeChain(ledger.db, organization_id, rewrittenFrom(await readChain(ledger.db, organization_id), 0));
    await forgetSigned(ledger.db, organization_id);
    assert.equal((await one.tenant.as('auditor')('GET', '/ledger/verify')).ok, true, 'by itself it is a whole chain');
    const same =
      /THE LOG WAS REWRITTEN: two checkpoints of 3 receipts are signed, and their roots differ \(.*\)\. Keep both/;
    await caught(one, same, same);
    await mintedReceipt(one.tenant);
    const longer = /THE LOG WAS REWRITTEN: the checkpoint of 4 receipts does not continue the one of 3/;
    await caught(one, longer, longer);
  });

  test('an older backup restored, log and all, and minted on until it is longer than it was', async () => {
    const one = await watched(ledger);
    const { organization_id } = one.tenant;
    await writeChain(ledger.db, organization_id, cutTo(await readChain(ledger.db, organization_id), 1));
    await forgetRuns(ledger.db, organization_id);
    await forgetSigned(ledger.db, organization_id);
    await caught(one, /now one of 1 is served \(or an older backup was restored\)/, /or an older backup was restored/);
    for (let n = 0; n < 3; n++) await mintedReceipt(one.tenant);
    const rewritten = /THE LOG WAS REWRITTEN: the checkpoint of 4 receipts does not continue the one of 3/;
    await caught(one, rewritten, rewritten);
  });

  test('another key', async () => {
    const one = await watched(ledger);
    const { organization_id } = one.tenant;
    await ledger.db.run('delete from log_keys where organization_id = $1', [organization_id]);
    await forgetSigned(ledger.db, organization_id);
    const other = new RegExp(
      `THE CHECKPOINT IS NOT SIGNED BY THE KEY THAT IS EXPECTED: .*${one.key.replaceAll('+', '\\+')}.*Ask the organization`,
    );
    await caught(one, other, other);
  });

  test('a ledger that signs more than it serves', async () => {
    const one = await watched(ledger);
    await mintedReceipt(one.tenant);
    const cut = await between((path, text) =>
      path.startsWith('/ledger?') ? JSON.stringify({ receipts: [], next_after_seq: null }) : text,
    );
    const { code, stderr } = await rcpt(['monitor', cut.url, '--seen', one.seen], {
      RCPT_KEY: one.tenant.keys.auditor,
    });
    cut.close();
    assert.equal(code, 1);
    assert.match(stderr.join(), /GET \/ledger ends at org_seq 1, before the signed checkpoint of 4 receipts/);
  });

  test('a checkpoint that ends before the chain does', async () => {
    const one = await watched(ledger);
    const old = await one.tenant.ask('auditor', 'GET', '/ledger/checkpoint');
    await mintedReceipt(one.tenant);
    const held = await between((path, text) => (path === '/ledger/checkpoint' ? old.text : text));
    const { code, stderr } = await rcpt(['monitor', held.url, '--seen', one.seen], {
      RCPT_KEY: one.tenant.keys.auditor,
    });
    held.close();
    assert.equal(code, 1);
    assert.match(stderr.join(), /THE CHECKPOINT ENDS EARLY: it is of 3 receipts, and the chain has 4/);
  });

  test('a log that has not grown for too long is stale; a cosignature of a witness makes it fresh', async () => {
    const one = await watched(ledger);
    const kept = JSON.parse(readFileSync(one.seen, 'utf8'));
    writeFileSync(one.seen, JSON.stringify({ ...kept, grown_at: new Date(Date.now() - 50 * 3_600_000).toISOString() }));
    assert.equal((await one.look('--stale', '51')).code, 0);
    const stale = await one.look('--stale', '49');
    assert.equal(stale.code, 1);
    assert.match(
      stale.said,
      /THE CHECKPOINT IS STALE: the log has ended at 3 receipts since .*, longer than 49 hours\. Mint a receipt/,
    );

    const witness = witnessAt(Math.floor(Date.now() / 1000) - 3_600);
    const cosigned = await between((path, text) => (path === '/ledger/checkpoint' ? witness.cosign(text) : text));
    const words = [
      'monitor',
      cosigned.url,
      '--key',
      one.key,
      '--seen',
      one.seen,
      '--stale',
      '49',
      '--witness',
      witness.key,
    ];
    const fresh = await rcpt(words, { RCPT_KEY: one.tenant.keys.auditor });
    cosigned.close();
    assert.deepEqual([fresh.code, fresh.stderr], [0, []]);
    await mintedReceipt(one.tenant);
    assert.equal((await one.look('--stale', '1')).code, 0, 'it has grown');
  });

  test('what is wrong is mailed, and printed as JSON', async () => {
    const one = await watched(ledger);
    assert.equal(JSON.parse((await one.look('--json', '--mail', 'auditor@example.org')).stdout).ok, true);
    const mails = () => (readdirSync(folder).includes('mails') ? readdirSync(join(folder, 'mails')) : []);
    assert.deepEqual(mails(), []);
    await forgetSigned(ledger.db, one.tenant.organization_id);
    await writeChain(
      ledger.db,
      one.tenant.organization_id,
      rewrittenFrom(await readChain(ledger.db, one.tenant.organization_id), 1),
    );
    const { code, stdout } = await one.look('--json', '--mail', 'auditor@example.org', '--mail', 'owner@example.org');
    const { ok, verified, reason } = JSON.parse(stdout);
    assert.deepEqual([code, ok, verified], [1, false, true]);
    assert.match(reason, /^THE LOG WAS REWRITTEN/);
    const [mail] = mails().map((file) => readFileSync(join(folder, 'mails', file), 'utf8'));
    assert.match(mail!, /^To: auditor@example\.org, owner@example\.org\r?$/m);
    assert.match(mail!, /^Subject: 127\.0\.0\.1:\d+: THE LOG WAS REWRITTEN\r?$/m);
    assert.match(mail!.replaceAll(/=\r?\n/g, ''), /two checkpoints of 3 receipts are signed/);
  });

  test('by a share link, without a credential', async () => {
    const tenant = await ledger.doomedTenant();
    const { share_url } = await mintedReceipt(tenant);
    const link = `${ledger.url}${new URL(share_url).pathname}`;
    await mintedReceipt(tenant);
    const seen = join(folder, `${++files}.seen`);
    const look = () => rcpt(['monitor', link, '--seen', seen], {});
    assert.deepEqual((await look()).stderr, []);
    await mintedReceipt(tenant);
    assert.deepEqual((await look()).stderr, []);
    // The proof is of the last checkpoint that was signed, and that is signed within a second.
    await tenant.ask('auditor', 'GET', '/ledger/checkpoint');
    assert.equal((await look()).code, 0);
    assert.equal(signedSize(JSON.parse(readFileSync(seen, 'utf8')).checkpoint), 3);
    const chain = await readChain(ledger.db, tenant.organization_id);
    await writeChain(ledger.db, tenant.organization_id, cutTo(chain, 2));
    await forgetSigned(ledger.db, tenant.organization_id);
    assert.match((await look()).stderr.join(), /THE LOG WAS CUT: a signed checkpoint of 3 receipts/);
    await writeChain(ledger.db, tenant.organization_id, rewrittenFrom(chain, 0));
    await forgetSigned(ledger.db, tenant.organization_id);
    assert.match((await look()).stderr.join(), /THE RECEIPT WAS EXCHANGED/);
  });

  test('what administrators did: a line taken away is missed, too', async () => {
    const tenant = await ledger.doomedTenant();
    const seen = join(folder, `${++files}.seen`);
    const look = () =>
      rcpt(['monitor', ledger.url, '--activity', '--seen', seen], {
        RCPT_KEY: tenant.keys.auditor,
        XDG_STATE_HOME: folder,
      });
    assert.deepEqual((await look()).stderr, []);
    await tenant.as('owner')('PATCH', '/organization', { four_eyes: true });
    assert.deepEqual((await look()).stderr, []);
    const { origin, size } = parseCheckpointText(parseNote(JSON.parse(readFileSync(seen, 'utf8')).checkpoint).text);
    assert.ok(origin.endsWith(`${tenant.organization_id}/activity`));
    assert.ok(size > 3, 'keys, and the switch');
    await ledger.db.run('delete from activity where organization_id = $1 and org_seq = $2', [
      tenant.organization_id,
      size - 1,
    ]);
    const { code, stderr } = await look();
    assert.equal(code, 1);
    assert.match(stderr.join(), /THE CHAIN DOES NOT VERIFY|THE CHAIN WAS CUT|CANNOT SHOW WHAT IT SIGNED/);
  });

  /** A server that hands on to the ledger, and changes what it answers. */
  async function between(change: (path: string, text: string) => string): Promise<{ url: string; close(): void }> {
    const server = createServer(async (request, response) => {
      const { authorization = '' } = request.headers;
      const answer = await fetch(`${ledger.url}${request.url}`, { headers: { authorization } });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type')! });
      response.end(change(request.url!, await answer.text()));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
  }
}

function witnessAt(time: number): { key: string; cosign(note: string): string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = verifierKey(
    'witness.example',
    4,
    new Uint8Array(publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)),
  );
  return {
    key: formatVerifierKey(key),
    cosign: (note) => {
      const ed25519 = new Uint8Array(sign(null, cosignedMessage(time, parseNote(note).text), privateKey));
      return `${note}${formatSignature({ name: key.name, id: key.id, bytes: cosignatureBytes(time, ed25519) })}`;
    },
  };
}

eachLedger('drills', drills, {}, { engines: ['sqlite'] });
