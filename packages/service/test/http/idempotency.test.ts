/** Idempotency-Key on both engines: claimed in the transaction that creates, answered again in full, unreadable in the database. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { createOnce, forgetOldKeys } from '../../src/http/idempotency.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../ledger/migrations', import.meta.url));
const REQUEST = {
  organization_id: 'org_1',
  key: 'k1',
  credential: 'rk_secret',
  request: { method: 'POST', body: { a: 1, b: [2] } },
};

eachEngine('an idempotent creation', MIGRATIONS, (fresh) => {
  const answer = (body: unknown) => ({ body, location: '/things/1' });
  const refused = { code: 'idempotency_key_reused' };

  async function counting() {
    const { db } = await fresh();
    let runs = 0;
    const create = () => async () => {
      runs++;
      return answer({ id: runs, api_key: 'rk_only_once' });
    };
    return { db, create, runs: () => runs };
  }

  test('happens once, and is answered the same again', async () => {
    const { db, create, runs } = await counting();
    const first = await createOnce(db, REQUEST, create());
    assert.deepEqual(await createOnce(db, REQUEST, create()), first);
    assert.deepEqual(first, answer({ id: 1, api_key: 'rk_only_once' }));
    assert.equal(runs(), 1);
  });

  test('is the same request whatever the order of its members', async () => {
    const { db, create, runs } = await counting();
    await createOnce(db, REQUEST, create());
    await createOnce(db, { ...REQUEST, request: { body: { b: [2], a: 1 }, method: 'POST' } }, create());
    assert.equal(runs(), 1);
  });

  test('without a key happens every time', async () => {
    const { db, create, runs } = await counting();
    for (let i = 0; i < 2; i++) await createOnce(db, { ...REQUEST, key: undefined }, create());
    assert.equal(runs(), 2);
    assert.deepEqual(await db.all('select * from idempotency_keys'), []);
  });

  test('with another request under its key is refused', async () => {
    const { db, create } = await counting();
    await createOnce(db, REQUEST, create());
    await assert.rejects(
      createOnce(db, { ...REQUEST, request: { method: 'POST', body: { a: 2 } } }, create()),
      refused,
    );
  });

  test('by another credential or organization is another creation', async () => {
    const { db, create, runs } = await counting();
    for (const change of [{}, { credential: 'rk_other' }, { organization_id: 'org_2' }, { key: 'k2' }])
      await createOnce(db, { ...REQUEST, ...change }, create());
    assert.equal(runs(), 4);
  });

  test('that fails is not remembered', async () => {
    const { db, create, runs } = await counting();
    await assert.rejects(
      createOnce(db, REQUEST, async () => {
        throw new Error('on purpose');
      }),
      /on purpose/,
    );
    await createOnce(db, REQUEST, create());
    assert.equal(runs(), 1);
  });

  test('asked for by many at once happens once', async () => {
    const { db, create } = await counting();
    const answers = await Promise.all(Array.from({ length: 25 }, () => createOnce(db, REQUEST, create())));
    assert.equal(new Set(answers.map((each) => JSON.stringify(each))).size, 1);
    assert.equal((await db.all('select * from idempotency_keys')).length, 1);
  });

  test('without a credential is answered the same again, but for a secret: that is not kept', async () => {
    const { db, create, runs } = await counting();
    const open = { ...REQUEST, credential: '' };
    assert.deepEqual(await createOnce(db, open, create()), await createOnce(db, open, create()));
    const secret = { ...open, key: 'k2' };
    const holding = async () => ({ ...(await create()()), holds_secret: true as const });
    await createOnce(db, secret, holding);
    await assert.rejects(createOnce(db, secret, holding), { code: 'secret_shown_once' });
    await assert.rejects(createOnce(db, { ...secret, request: { other: 1 } }, holding), refused);
    assert.equal(runs(), 2);
    const known = { ...secret, credential: 'rk_secret' };
    assert.deepEqual(await createOnce(db, known, holding), await createOnce(db, known, holding));
  });

  test('leaves nothing readable: neither key, nor credential, nor request, nor answer', async () => {
    const { db, create } = await counting();
    await createOnce(db, { ...REQUEST, key: 'a-key-of-mine' }, create());
    const stored = JSON.stringify(await db.all('select * from idempotency_keys'));
    for (const secret of ['a-key-of-mine', 'rk_secret', 'rk_only_once', '/things/1']) {
      assert.ok(!stored.includes(secret), secret);
      assert.ok(!stored.includes(Buffer.from(secret).toString('base64').slice(0, -3)), secret);
    }
  });

  test('is forgotten after 24 hours and not before', async () => {
    const { db, create, runs } = await counting();
    const age = (hours: number) =>
      db.run('update idempotency_keys set created_at = $1', [new Date(Date.now() - hours * 3_600_000).toISOString()]);
    await createOnce(db, REQUEST, create());
    await age(23.9);
    assert.equal(await forgetOldKeys(db), 0);
    await createOnce(db, REQUEST, create());
    assert.equal(runs(), 1);
    await age(24.1);
    await createOnce(db, REQUEST, create());
    assert.equal(runs(), 2);
    await age(24.1);
    assert.equal(await forgetOldKeys(db), 1);
  });
});
