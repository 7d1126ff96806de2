import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { watchEventLoop } from '../src/pressure.ts';

function block(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

test('the delay is as long as the loop was held, is seen at once and soon forgotten', async () => {
  const began = performance.now();
  const pressure = watchEventLoop();
  try {
    await pause(250);
    block(700);
    const seen = pressure.delay();
    assert.ok(seen >= 500 && seen < performance.now() - began, `${seen} ms`);
    await pause(0);
    assert.ok(pressure.delay() >= 250, 'still known by the next request');
    // A busy machine holds the loop by itself now and then, for less.
    for (const end = performance.now() + 60_000; pressure.delay() > seen / 2; await pause(50))
      assert.ok(performance.now() < end, 'not forgotten');
  } finally {
    pressure.close();
  }
});
