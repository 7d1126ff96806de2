/** Reads of one instant, by a cursor where there are many. */
import type { PoolClient } from 'pg';
import type { Snapshot } from '../db.ts';
import { execute, queriesOf } from './queries.ts';

/** Rows may hold megabytes, and a thread that scans has 512 MB. */
const SCAN_ROWS = 32;

export function snapshotOf(client: PoolClient): Snapshot {
  return {
    ...queriesOf((sql, params) => execute(client, sql, params)),
    async *scan(sql, params = []) {
      await client.query(`declare scan no scroll cursor for ${sql}`, params);
      for (;;) {
        const { rows } = await client.query({ text: `fetch ${SCAN_ROWS} from scan`, rowMode: 'array' });
        if (rows.length === 0) break;
        yield rows as unknown[][];
      }
      await client.query('close scan');
    },
  };
}
