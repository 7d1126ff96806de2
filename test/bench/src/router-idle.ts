/** What a fleet costs that has nothing to do. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from './database.ts';
import type { Report } from './report.ts';
import { openRouter, openWire, post } from './router-process.ts';

export interface IdleSizes {
  workers: number;
  beat_every_seconds: number;
  measured_seconds: number;
}

export async function measureIdle(
  engine: Engine,
  { workers, beat_every_seconds, measured_seconds }: IdleSizes,
  report: Report,
): Promise<void> {
  const router = await openRouter(engine, 'idle');
  const wires = [];
  try {
    for (let i = 0; i < workers; i++) {
      const token = await router.worker();
      const beat = post(
        '/workers/heartbeat',
        { status: 'online', current_jobs: 0, metrics: { gpu_load: 0.02 } },
        token,
      );
      wires.push({ wire: await openWire(router.process.port), beat });
    }
    let over = false;
    const every_ms = beat_every_seconds * 1000;
    const beating = wires.map(async ({ wire, beat }, i) => {
      for (let at = performance.now() + (i / workers) * every_ms; !over; at += every_ms) {
        await sleep(Math.max(0, at - performance.now()));
        if (!over) await wire.ask(beat);
      }
    });
    await sleep(every_ms);
    const before = router.process.cpu().all_us;
    await Promise.race([sleep(measured_seconds * 1000), Promise.all(beating)]);
    const share = (router.process.cpu().all_us - before) / (measured_seconds * 1e6);
    const { resident } = router.process.memory();
    over = true;
    await Promise.all(beating);
    const name = `${workers} idle workers`;
    report.add({ name, on: engine.name, unit: '% of a core', rounds: [share * 100], aim: '< 10' });
    report.add({ name, on: engine.name, unit: 'MB resident', rounds: [resident / 1e6], aim: '< 300' });
  } finally {
    for (const { wire } of wires) wire.close();
    await router.close();
  }
}
