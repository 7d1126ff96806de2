import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { watchEventLoop } from '../src/pressure.ts';

function block(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

test('the delay is as long as the loop was held, is seen at once and soon forgotten', async () => {
  const pressure = watchEventLoop();
  try {
    await pause(250);
    block(700);
    const seen = pressure.delay();
    assert.ok(seen >= 500 && seen < 5_000, `${seen} ms`);
    await pause(0);
    assert.ok(pressure.delay() >= 250, 'still known by the next request');
    for (const end = performance.now() + 20_000; pressure.delay() > 100 && performance.now() < end; ) await pause(50);
    assert.ok(pressure.delay() <= 100, 'forgotten');
  } finally {
    pressure.close();
  }
});
