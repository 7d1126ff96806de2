/** A turn that lasts until its answer has left is handed on by a lap of the event loop. */
import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import test from 'node:test';
import { holdTurn } from '../../src/http/answer-turns.ts';
import { createTurns } from '../../src/turns/turns.ts';

test('what waits already goes before the next turn', async () => {
  const turns = createTurns({ at_once: 1, each: 1, waiting_each: 2, waiting: 2, what: 'answers' });
  const answer = () => new ServerResponse(new IncomingMessage(new Socket()));
  const [first, second] = [answer(), answer()];
  const order: string[] = [];
  await holdTurn(turns, 'a', first, 60_000, () => undefined);
  const next = holdTurn(turns, 'a', second, 60_000, () => undefined).then(() => order.push('the next turn'));
  const other = new Promise((lap) => setImmediate(lap)).then(() => order.push('somebody else'));
  first.emit('close');
  await Promise.all([next, other]);
  assert.deepEqual(order, ['somebody else', 'the next turn']);
  second.emit('close');
});
