/** The router beside the job queues of others, on both engines in one run. */
import { type EngineName, openEngine } from './database.ts';
import type { Report } from './report.ts';
import { type DepthSizes, measureDepth } from './router-depth.ts';
import { type IdleSizes, measureIdle } from './router-idle.ts';
import { type LatencySizes, measureLatency } from './router-latency.ts';
import { createDatabase, openGraphileWorker, openPgBoss } from './router-peers.ts';
import { measureThroughput, type ThroughputSizes } from './router-throughput.ts';

export interface RouterSizes {
  throughput: ThroughputSizes;
  latency: LatencySizes;
  depth: DepthSizes;
  idle: IdleSizes;
}

/** Which served each of them best here. */
const PG_BOSS_CONNECTIONS = 10;
const GRAPHILE_CONNECTIONS = 24;
const GRAPHILE_WORKERS = 24;

export async function measureRouter(
  names: EngineName[],
  folder: string,
  sizes: RouterSizes,
  report: Report,
): Promise<void> {
  // The others need the server also where only the embedded engine is measured.
  const server = await openEngine('postgres', folder);
  const files = await openEngine('sqlite', folder);
  try {
    const engines = names.map((name) => (name === 'postgres' ? server : files));
    const { url, db } = await server.create('beside');
    await db.close();
    const boss = await openPgBoss(await createDatabase(url, 'pg_boss'), PG_BOSS_CONNECTIONS);
    const graphile = await openGraphileWorker(
      await createDatabase(url, 'graphile_worker'),
      GRAPHILE_CONNECTIONS,
      GRAPHILE_WORKERS,
    );
    try {
      await measureThroughput(engines, [boss, graphile], sizes.throughput, report);
      await measureLatency(engines, graphile, sizes.latency, report);
    } finally {
      await boss.close();
      await graphile.close();
    }
    for (const engine of engines) {
      await measureDepth(engine, sizes.depth, report);
      await measureIdle(engine, sizes.idle, report);
    }
  } finally {
    await files.stop();
    await server.stop();
  }
}
