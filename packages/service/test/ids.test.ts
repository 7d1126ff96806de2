import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId, newSortedSecret, newUntimedId } from '../src/ids.ts';

describe('ids', () => {
  test('are a prefix and a UUID of version 7 without hyphens', () => {
    const before = Date.now();
    const id = newId('run');
    assert.match(id, /^run_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
    const at = Number.parseInt(id.slice(4, 16), 16);
    assert.ok(at >= before && at <= Date.now(), `${at} is not now`);
  });

  test('a hundred thousand in a row differ and sort by the instant they were made', () => {
    const ids = Array.from({ length: 100_000 }, () => newId('job'));
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(ids.toSorted(), ids);
  });

  test('go on sorting when the clock is set back', (t) => {
    const first = newId('job');
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() - 3_600_000 });
    assert.ok(newId('job') > first);
  });

  test('of what is not to tell its age look alike and are chance', () => {
    const ids = Array.from({ length: 1_000 }, () => newUntimedId('user'));
    for (const id of ids) assert.match(id, /^user_[0-9a-f]{32}$/);
    // Where a timed id tells the instant.
    assert.equal(new Set(ids.map((id) => id.slice(5, 17))).size, ids.length);
  });
});

test('sorted secrets begin with the instant they were made, and hold 128 random bits after it', async () => {
  const made = (secret: string) => Number.parseInt(secret.slice(0, 9), 36);
  const before = Date.now();
  const secrets = [newSortedSecret()];
  const after = Date.now();
  while (Date.now() === after) await new Promise((lap) => setImmediate(lap));
  for (let i = 0; i < 1_000; i++) secrets.push(newSortedSecret());
  for (const secret of secrets) assert.match(secret, /^[0-9a-z]{9}[\w-]{22}$/);
  assert.ok(made(secrets[0]!) >= before && made(secrets[0]!) <= after);
  assert.ok(secrets[0]! < secrets[1]!);
  assert.equal(new Set(secrets.map((secret) => secret.slice(9))).size, secrets.length);
});
