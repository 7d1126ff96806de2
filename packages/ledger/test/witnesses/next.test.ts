/** Which witness is asked next: organizations with few in hand come first. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_AT_ONCE, MOST_OF_ONE, nextOf } from '../../src/witnesses/next.ts';

const due = (organization_id: string, witness_id: string) => [{ organization_id, witness_id }];

test('an organization with many witnesses is asked for in turn with the others, in the order in which they came', () => {
  let waiting = [
    ...['a1', 'a2', 'a3', 'a4', 'a5'].map((id) => due('a', id)),
    due('b', 'b1'),
    due('c', 'c1'),
    due('b', 'b2'),
  ];
  const in_hand = due('c', 'c0');
  for (let next = nextOf(waiting, in_hand); next !== null; next = nextOf(waiting, in_hand)) {
    in_hand.push(...next);
    waiting = waiting.filter((group) => group !== next);
  }
  const order = in_hand.map(({ witness_id }) => witness_id);
  assert.deepEqual(order, ['c0', 'a1', 'b1', 'a2', 'c1', 'b2', 'a3', 'a4']);
  assert.equal(order.filter((id) => id.startsWith('a')).length, MOST_OF_ONE);
  assert.deepEqual(waiting, [due('a', 'a5')]);
});

test('none is asked where there is no room, or none waits', () => {
  const full = Array.from({ length: MOST_AT_ONCE }, (_, i) => ({ organization_id: `o${i}`, witness_id: 'w' }));
  assert.equal(nextOf([due('b', 'b1')], full), null);
  assert.deepEqual(nextOf([due('b', 'b1')], full.slice(1)), due('b', 'b1'));
  assert.equal(nextOf([], []), null);
});
