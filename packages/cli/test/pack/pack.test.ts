/** `./rcpt pack`: what it fetches is checked before it has its name; a later pack is held against an earlier one. */
import { strict as assert } from 'node:assert';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { rcpt } from '../../../../test/kit/process.ts';
import { eachLedger, type Tenant } from '../../../ledger/test/kit/running.ts';
import { mintedReceipt } from '../../../ledger/test/kit/story.ts';
import { readChain, writeChain } from '../../../ledger/test/kit/tampering.ts';
import { cutTo, forgetSigned, rewrittenFrom } from '../monitor/kit/operator.ts';

const folder = mkdtempSync(join(tmpdir(), 'rcpt-pack-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

async function pack(url: string, key: string, ...words: string[]) {
  const out = join(folder, `${++files}.zip`);
  const asked = ['pack', '--url', url, '--no-pdfs', '--out', out, ...words];
  const { code, stdout, stderr } = await rcpt(asked, { RCPT_KEY: key });
  return { out, code, stdout, said: stderr.join('\n') };
}

async function minted(tenant: Tenant, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await mintedReceipt(tenant);
}

eachLedger('rcpt pack', (ledger) => {
  test('writes what it has checked, says whose key it is, and takes no name that is taken', async () => {
    const tenant = await ledger.tenant();
    await minted(tenant, 3);
    const key = (await tenant.ask('auditor', 'GET', '/ledger/key')).text.trim();
    const first = await pack(ledger.url, tenant.keys.auditor);
    assert.equal(first.code, 0, first.said + first.stdout);
    assert.match(first.stdout, /3 receipts, 0 to 2; \d+ bytes, each checksum holds/);
    assert.match(first.stdout, /signed by the key in the pack: give --key/);
    const again = await rcpt(['pack', '--url', ledger.url, '--out', first.out], { RCPT_KEY: tenant.keys.auditor });
    assert.equal(again.code, 2);
    const told = await pack(ledger.url, tenant.keys.owner, '--key', key, '--json');
    assert.deepEqual(
      { ...JSON.parse(told.stdout), bytes: 0, entries: 0 },
      {
        ok: true,
        file: told.out,
        bytes: 0,
        entries: 0,
        receipts: 3,
        faults: [],
        problems: 0,
        before_size: 0,
        end_size: 3,
        newest_size: 3,
      },
    );
    const other = await ledger.tenant();
    const wrong = (await other.ask('auditor', 'GET', '/ledger/key')).text.trim();
    const doubted = await pack(ledger.url, tenant.keys.auditor, '--key', wrong);
    assert.equal(doubted.code, 1);
    assert.match(doubted.stdout, /FAILS: checkpoints\/end\.txt is signed by none of the keys given/);
  });

  test('is named for its period where no name is given, and replaces a file only where it is told to', async () => {
    const tenant = await ledger.tenant();
    await minted(tenant, 1);
    const cwd = mkdtempSync(join(folder, 'here-'));
    const period = ['--from', '2026-01-01', '--to', '2099-12-31'];
    const take = (...words: string[]) =>
      rcpt(['pack', '--url', ledger.url, '--no-pdfs', ...words], { RCPT_KEY: tenant.keys.auditor }, { cwd });
    const { code, stdout } = await take(...period);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^pack-2026-01-01-2099-12-31\.zip: 1 receipt, /);
    assert.deepEqual(readdirSync(cwd), ['pack-2026-01-01-2099-12-31.zip']);
    const taken = join(cwd, 'pack-2026-01-01-2099-12-31.zip');
    writeFileSync(taken, 'mine');
    assert.equal((await take(...period)).code, 2);
    assert.equal(readFileSync(taken, 'utf8'), 'mine');
    assert.equal((await take(...period, '--force')).code, 0);
    assert.equal(readFileSync(taken).subarray(0, 2).toString(), 'PK');
    assert.equal((await take()).code, 0);
    assert.ok(readdirSync(cwd).some((name) => /^pack-start-\d{4}-\d\d-\d\d\.zip$/.test(name)));
  });

  test('leaves nothing of a pack that it may not take, and of one that is cut off or damaged', async () => {
    const tenant = await ledger.tenant();
    await minted(tenant, 2);
    const refused = await pack(ledger.url, tenant.keys.agent);
    assert.equal(refused.code, 1);
    assert.match(refused.said, /403 forbidden/);
    const whole = readFileSync((await pack(ledger.url, tenant.keys.auditor)).out);
    const damaged = Buffer.from(whole);
    damaged[damaged.indexOf('"title":"') + 9]! ^= 1;
    for (const [bytes, words] of [
      [whole.subarray(0, whole.length - 30), /is no whole zip/],
      [whole.subarray(0, 1000), /is no whole zip/],
      [damaged, /does not have its checksum/],
      [Buffer.from('{}'), /is no whole zip/],
    ] as const) {
      const server = createServer((_, answer) => answer.end(bytes));
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      const said = await pack(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, tenant.keys.auditor);
      server.close();
      assert.equal(said.code, 1);
      assert.match(said.said, words);
      assert.equal(existsSync(said.out), false);
    }
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.part')),
      [],
    );
  });

  test('keeps a pack with an altered receipt, and names it', async () => {
    const tenant = await ledger.doomedTenant();
    await minted(tenant, 2);
    await tenant.ask('auditor', 'GET', '/ledger/checkpoint');
    const chain = await readChain(ledger.db, tenant.organization_id);
    const [first, second] = chain.rows;
    const altered = { ...first!, payload: first!.payload.replace('"title":"', '"title":"Not ') };
    await writeChain(ledger.db, tenant.organization_id, { ...chain, rows: [altered, second!] });
    const { code, stdout, out } = await pack(ledger.url, tenant.keys.auditor);
    assert.equal(code, 1);
    assert.match(stdout, /FAILS: RCPT-000000-\w+ is not what was sealed/);
    assert.match(stdout, /FAILS: RCPT-000000-\w+ does not stand at 0 in the signed tree/);
    assert.match(stdout, /PROBLEMS\.txt names \d+ problems? that/);
    assert.ok(existsSync(out));
  });

  test('drill: a tail that was cut off between two packs, and a chain that was rewritten, are caught by the earlier pack', async () => {
    for (const [tamper, words] of [
      [cutTo, /FAILS: THE CHAIN WAS CUT: the earlier pack's checkpoint counts 4 receipts, the newest one now 2/],
      [rewrittenFrom, /FAILS: THE CHAIN WAS REWRITTEN: the first 4 receipts are not those/],
    ] as const) {
      const tenant = await ledger.doomedTenant();
      await minted(tenant, 4);
      const earlier = await pack(ledger.url, tenant.keys.auditor);
      await mintedReceipt(tenant);
      const honest = await pack(ledger.url, tenant.keys.auditor, '--earlier', earlier.out);
      assert.equal(honest.code, 0, honest.stdout);
      assert.match(honest.stdout, /it continues /);
      const chain = await readChain(ledger.db, tenant.organization_id);
      await writeChain(ledger.db, tenant.organization_id, tamper(chain, 2));
      await forgetSigned(ledger.db, tenant.organization_id);
      const alone = await pack(ledger.url, tenant.keys.auditor);
      assert.equal(alone.code, 0, alone.stdout);
      const caught = await pack(ledger.url, tenant.keys.auditor, '--earlier', earlier.out);
      assert.equal(caught.code, 1, caught.stdout);
      assert.match(caught.stdout, words);
    }
  });

  test('an earlier pack that is none is said to be none', async () => {
    const tenant = await ledger.tenant();
    await minted(tenant, 1);
    const file = join(folder, 'none.zip');
    writeFileSync(file, 'none');
    const { code, stdout } = await pack(ledger.url, tenant.keys.auditor, '--earlier', file);
    assert.equal(code, 1);
    assert.match(stdout, /that it continues .*none\.zip was not shown/);
  });
});
