/** An organization's witnesses over HTTP: what is minted is cosigned, and what is not is said. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { openByPolicy } from '@rcpt/proof/log/open-by-policy.ts';
import { parsePolicy, quorumInWords } from '@rcpt/proof/log/policy.ts';
import { parseProofFile } from '@rcpt/proof/log/proof-file.ts';
import { formatVerifierKey, parseVerifierKey, verifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { until } from '../../../../test/kit/until.ts';
import { type ServingWitness, serveWitness } from '../../../witness/test/kit/serving.ts';
import { eachLedger, type Tenant } from '../kit/running.ts';
import { mintedReceipt as mint } from '../kit/story.ts';

const text = async (tenant: Tenant, path: string) => (await tenant.ask('auditor', 'GET', path)).text;
const pathOf = ({ share_url }: { share_url: string }) => new URL(share_url).pathname;

const add = (tenant: Tenant, { url, vkey }: Pick<ServingWitness, 'url' | 'vkey'>) =>
  tenant.as('owner')('POST', '/witnesses', { url, key: vkey });

/** How the receipts stand with each witness. */
async function receiptsAt(tenant: Tenant) {
  const { witnesses } = await tenant.as('auditor')('GET', '/witnesses');
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what it reads
  return witnesses.map(({ logs }: any) => logs.find(({ log }: { log: string }) => log === 'receipts'));
}

const reach = (tenant: Tenant, ...states: string[]) =>
  until(`the witnesses are ${states}`, async () => {
    const now = await receiptsAt(tenant);
    return now.every(({ state }: { state: string }, i: number) => state === states[i]) && now;
  });

eachLedger('witnesses', (ledger) => {
  let one: ServingWitness;
  let other: ServingWitness;
  before(async () => {
    one = await serveWitness('witness.example/one');
    other = await serveWitness('witness.example/other');
  });
  after(() => Promise.all([one.close(), other.close()]));

  async function watched(...witnesses: ServingWitness[]): Promise<Tenant> {
    const tenant = await ledger.tenant();
    for (const witness of witnesses) {
      witness.watch((await text(tenant, '/ledger/key')).trim());
      await add(tenant, witness);
    }
    return tenant;
  }

  test('cosign what is minted: the checkpoint and the public proof carry it, and the policy holds it to be enough', async () => {
    const tenant = await watched(one, other);
    const receipt = await mint(tenant);
    const [first] = await reach(tenant, 'cosigned', 'cosigned');
    assert.deepEqual([first.size, first.cosigned_size, first.reason, first.next_attempt_at], [1, 1, null, null]);
    const policy = parsePolicy(await text(tenant, '/ledger/policy'));
    assert.equal(quorumInWords(policy.quorum), '2 of w1, w2');
    const { checkpoint } = parseProofFile((await ledger.call('GET', `${pathOf(receipt)}/proof`)).text);
    for (const note of [await text(tenant, '/ledger/checkpoint'), checkpoint]) {
      const { quorum_met, cosigned, size } = await openByPolicy(note, policy);
      assert.deepEqual([quorum_met, cosigned.length, size], [true, 2, 1]);
      assert.equal(new Date(cosigned[0]!.time * 1000).toISOString(), first.cosigned_at);
    }
    const listed = await ledger.call('GET', `${pathOf(receipt)}/witnesses`);
    assert.deepEqual([listed.status, listed.text], [200, `${one.vkey}\n${other.vkey}\n`]);
  });

  test('cosign each later checkpoint with its proof, as the log grows', async () => {
    const tenant = await watched(one);
    for (let size = 1; size <= 5; size++) {
      await mint(tenant);
      const [{ cosigned_size }] = await until('all is cosigned', async () => {
        const now = await receiptsAt(tenant);
        return now[0].cosigned_size === size && now;
      });
      assert.equal(cosigned_size, size);
    }
    assert.equal(one.record.latest((await text(tenant, '/ledger/key')).split('+')[0]!)?.size, 5);
  });

  test('that are added late cosign what is there; where one is away, a proof takes the checkpoint that more have cosigned', async () => {
    const tenant = await ledger.tenant();
    const older = await mint(tenant);
    const vkey = (await text(tenant, '/ledger/key')).trim();
    for (const witness of [one, other]) witness.watch(vkey);
    for (const witness of [one, other]) await add(tenant, witness);
    // The log was signed at its first question or after the mint; both witnesses are asked without another mint.
    await reach(tenant, 'cosigned', 'cosigned');
    await other.pause();
    const newer = await mint(tenant);
    const [, away] = await reach(tenant, 'cosigned', 'unreachable');
    assert.match(away.reason, /ECONNREFUSED/);
    assert.deepEqual([away.cosigned_size, away.size], [1, 2]);
    assert.ok(away.next_attempt_at > away.cosigned_at);
    const policy = parsePolicy(await text(tenant, '/ledger/policy'));
    const proofOf = async (receipt: { share_url: string }) =>
      openByPolicy(parseProofFile((await ledger.call('GET', `${pathOf(receipt)}/proof`)).text).checkpoint, policy);
    const [of_older, of_newer] = [await proofOf(older), await proofOf(newer)];
    assert.deepEqual([of_older.size, of_older.cosigned.length, of_older.quorum_met], [1, 2, true]);
    assert.deepEqual([of_newer.size, of_newer.cosigned.length, of_newer.quorum_met], [2, 1, false]);
    await other.resume();
    await reach(tenant, 'cosigned', 'cosigned');
    assert.deepEqual((await proofOf(older)).size, 2);
  });

  test('that cosigned what was not noted here, as a crash leaves it, tell how far they are, and go on', async () => {
    const tenant = await watched(one);
    await mint(tenant);
    await reach(tenant, 'cosigned');
    await ledger.db.run(
      `update witness_logs set known_size = 0, cosigned_size = null, cosigned_at = null, state = 'waiting'
       where organization_id = $1`,
      [tenant.organization_id],
    );
    await ledger.db.run('delete from cosignatures where organization_id = $1', [tenant.organization_id]);
    await mint(tenant);
    const [again] = await until('it goes on', async () => {
      const now = await receiptsAt(tenant);
      return now[0].cosigned_size === 2 && now;
    });
    assert.deepEqual([again.state, again.reason], ['cosigned', null]);
    assert.match(await text(tenant, '/ledger/checkpoint'), /\u2014 witness\.example\/one /);
  });

  test('that do not know the log, or whose key is another, are named as such', async () => {
    const tenant = await ledger.tenant();
    await mint(tenant);
    const stranger = formatVerifierKey(verifierKey('witness.example/one', 4, new Uint8Array(32).fill(9)));
    await add(tenant, one);
    await add(tenant, { url: other.url, vkey: stranger });
    other.watch((await text(tenant, '/ledger/key')).trim());
    const [unknown, mistaken] = await reach(tenant, 'refused', 'refused');
    assert.match(
      unknown.reason,
      /It answered 404: this witness does not watch a log of that origin\. Send its operator the line of GET \/ledger\/key\.$/,
    );
    assert.match(mistaken.reason, /no cosignature of the key that was given for it/);
    assert.doesNotMatch(await text(tenant, '/ledger/checkpoint'), /witness\.example/);
    one.watch((await text(tenant, '/ledger/key')).trim());
    const [known] = await reach(tenant, 'cosigned', 'refused');
    assert.equal(known.reason, null);
  });

  test('that answer nothing hold up no other organization, and none of more than are asked at once is left out', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const held_up = await ledger.tenant();
    for (let i = 0; i < 16; i++)
      await add(held_up, { url, vkey: formatVerifierKey(verifierKey(`w${i}`, 4, new Uint8Array(32).fill(i + 1))) });
    await mint(held_up);
    await until('they are asked', () => new Promise<number>((resolve) => silent.getConnections((_, n) => resolve(n))));
    const many = await Promise.all(Array.from({ length: 8 }, () => watched(one, other)));
    await Promise.all(many.map((tenant) => mint(tenant)));
    for (const tenant of many) await reach(tenant, 'cosigned', 'cosigned');
    silent.closeAllConnections();
    silent.close();
  });

  test('are an owner’s to add and remove, and that is recorded', async () => {
    const tenant = await ledger.tenant();
    const body = { url: `${one.url}/`, key: one.vkey };
    for (const role of ['agent', 'approver', 'auditor'] as const) {
      assert.equal((await tenant.ask(role, 'POST', '/witnesses', { body })).status, 403);
      assert.deepEqual((await tenant.ask(role, 'GET', '/witnesses')).json, { witnesses: [] });
    }
    const added = await tenant.as('owner')('POST', '/witnesses', body);
    assert.deepEqual([added.name, added.url, added.key], ['witness.example/one', one.url, one.vkey]);
    const same_key = formatVerifierKey(verifierKey('another.name', 4, parseVerifierKey(one.vkey).key));
    const asked = async (wanted: object) => {
      const { status, json } = await tenant.ask('owner', 'POST', '/witnesses', { body: wanted });
      return [status, json.code];
    };
    assert.deepEqual(await asked({ ...body, key: same_key }), [409, 'witness_exists']);
    const log_key = (await text(tenant, '/ledger/key')).trim();
    assert.deepEqual(await asked({ ...body, key: log_key }), [422, 'witness_key_invalid']);
    assert.deepEqual(await asked({ ...body, key: 'a+b+c' }), [422, 'witness_key_invalid']);
    for (const url of [
      'ftp://a.example',
      'https://u:p@a.example',
      'https://a.example/?a',
      'a',
      `https://${'a'.repeat(500)}.example`,
      '',
      5,
    ])
      assert.deepEqual((await asked({ ...body, url }))[0], 422, String(url));
    const another = await ledger.tenant();
    assert.equal((await another.ask('owner', 'DELETE', `/witnesses/${added.id}`)).status, 404);
    await mint(tenant);
    assert.equal((await tenant.as('owner')('DELETE', `/witnesses/${added.id}`)).id, added.id);
    assert.equal((await tenant.ask('owner', 'DELETE', `/witnesses/${added.id}`)).status, 404);
    assert.deepEqual(await tenant.as('auditor')('GET', '/witnesses'), { witnesses: [] });
    for (let i = 0; i < 16; i++)
      await tenant.as('owner')('POST', '/witnesses', {
        url: 'http://127.0.0.1:9',
        key: formatVerifierKey(verifierKey(`w${i}`, 4, new Uint8Array(32).fill(i + 1))),
      });
    assert.deepEqual(await asked(body), [409, 'witness_limit']);
  });
});

eachLedger(
  'witnesses at public addresses alone',
  (ledger) => {
    test('an address beside the ledger is refused, and a name that leads there is not called', async () => {
      const tenant = await ledger.tenant();
      const key = (i: number) => formatVerifierKey(verifierKey(`w${i}`, 4, new Uint8Array(32).fill(i)));
      for (const url of [
        'http://127.0.0.1:7380',
        'http://[::1]:7380',
        'http://169.254.169.254/latest',
        'https://10.0.0.1',
      ])
        assert.equal(
          (await tenant.ask('owner', 'POST', '/witnesses', { body: { url, key: key(1) } })).json.code,
          'witness_address',
        );
      await tenant.as('owner')('POST', '/witnesses', { url: 'http://localhost:9', key: key(2) });
      await mint(tenant);
      const [{ reason }] = await reach(tenant, 'unreachable');
      assert.match(reason, /^Localhost is (127\.0\.0\.1|::1), which is no public address\.$/);
    });
  },
  { LEDGER_WITNESS_PRIVATE_ADDRESSES: 'no' },
  { engines: ['sqlite'] },
);
