import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { watchEventLoopDelay } from '../../src/http/event-loop-delay.ts';

function block(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

test('a loop that is held again and again is late by what it was held, one long step is not, and both are soon forgotten', async () => {
  const eventLoop = watchEventLoopDelay();
  const forgotten = async () => {
    // A busy machine holds the loop by itself now and then, for less.
    for (const end = performance.now() + 60_000; eventLoop.delay() > 200; await pause(50))
      assert.ok(performance.now() < end, 'not forgotten');
  };
  try {
    // A few looks that are in time.
    await pause(250);
    // A machine that has other work may itself hold the loop just before, more than once.
    let in_one_step = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 4 && in_one_step >= 1_500; attempt++) {
      await forgotten();
      block(3_000);
      in_one_step = eventLoop.delay();
    }
    assert.ok(in_one_step < 1_500, `${in_one_step} ms in the middle of one long step`);
    await forgotten();
    // A lap of the loop between them, in which it looks and finds itself late.
    for (let held = 0; held < 3; held++) {
      block(700);
      await pause(0);
    }
    assert.ok(eventLoop.delay() >= 500, `${eventLoop.delay()} ms, held again and again`);
    await forgotten();
  } finally {
    eventLoop.close();
  }
});
