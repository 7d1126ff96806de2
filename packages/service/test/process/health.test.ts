/** Probes: real, bounded in time, cached, and never throwing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createProbe } from '../../src/process/health.ts';

describe('a probe', () => {
  test('is true when its dependency answers and false when it throws, which it reports', async () => {
    const failures: unknown[] = [];
    const onFailure = (error: unknown) => failures.push(error);
    assert.equal(await createProbe(async () => {}, { onFailure }).check(), true);
    const reason = new Error('away');
    assert.equal(
      await createProbe(
        async () => {
          throw reason;
        },
        { onFailure },
      ).check(),
      false,
    );
    assert.deepEqual(failures, [reason]);
  });

  test('asked by many asks its dependency once', async () => {
    let asked = 0;
    const probe = createProbe(async () => void asked++, { cache_ms: 60_000 });
    await Promise.all(Array.from({ length: 50 }, () => probe.check()));
    await probe.check();
    assert.equal(asked, 1);
  });

  test('asks again when its answer is old, and tells the change', async () => {
    let up = true;
    const probe = createProbe(async () => assert.ok(up), { cache_ms: 0 });
    assert.equal(await probe.check(), true);
    up = false;
    assert.equal(await probe.check(), false);
    up = true;
    assert.equal(await probe.check(), true);
  });

  test('is false when no answer comes in time, and tells its dependency to stop', async () => {
    let signalled: AbortSignal | undefined;
    const probe = createProbe(
      (signal) =>
        new Promise(() => {
          signalled = signal;
        }),
      { timeout_ms: 10 },
    );
    // A timeout alone does not keep the process alive; a server would.
    const alive = setInterval(() => {}, 1_000);
    assert.equal(await probe.check(), false);
    clearInterval(alive);
    assert.equal(signalled!.aborted, true);
  });
});
