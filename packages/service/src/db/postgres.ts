/** PostgreSQL through `pg`: two pools, one rule for another attempt, and errors that tell "away" from "wrong". */
import { Pool, type PoolClient, type PoolConfig, TypeOverrides } from 'pg';
import { DatabaseUnavailable } from '../error.ts';
import type { Db } from './db.ts';
import { isConflict, unavailableOr } from './postgres/errors.ts';
import { listenOn } from './postgres/listen.ts';
import { execute, queriesOf } from './postgres/queries.ts';
import { snapshotOf } from './postgres/snapshot.ts';
import { inTransaction, type Statements } from './postgres/transaction.ts';

const STATEMENT_MS = 60_000;
const ATTEMPTS = 8;
const INT8 = 20;
/**
 * Of the connections for transactions. A prepared statement keeps the plan it got when the table was empty, until the table is
 * analyzed: then reading all of it is cheapest. What changes rows finds them by key.
 */
const BY_KEY = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off';

export interface PostgresSettings {
  url: string;
  /** Connections at most for transactions, and as many for reading; default 10. */
  connections?: number;
  /** Where idle-connection errors go: they are not any caller's. */
  onIdleError?(error: Error): void;
}

export function openPostgres({ url, connections = 10, onIdleError }: PostgresSettings): Db {
  const types = new TypeOverrides();
  // bigint arrives as a string; every one of ours is a count or a sequence below 2^53.
  types.setTypeParser(INT8, Number);
  const settings: PoolConfig = {
    connectionString: url,
    max: connections,
    // A server that does not answer, and also the wait for a connection that is in use.
    connectionTimeoutMillis: 15_000,
    statement_timeout: STATEMENT_MS,
    // A server that is silent, not gone: the connection is given up a little after the server should have.
    query_timeout: STATEMENT_MS + 5_000,
    keepAlive: true,
    pipeline: true,
    types,
  };
  const reading = new Pool(settings);
  const changing = new Pool({ ...settings, options: BY_KEY });
  for (const pool of [reading, changing]) pool.on('error', (error) => onIdleError?.(error));

  async function withClient<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => {
      throw new DatabaseUnavailable(error);
    });
    let broken = false;
    // Without a listener the loss of a connection in use would end the process.
    const lost = () => {
      broken = true;
    };
    client.on('error', lost);
    try {
      return await work(client);
    } catch (error) {
      const away = unavailableOr(error);
      broken ||= away instanceof DatabaseUnavailable;
      throw away;
    } finally {
      client.off('error', lost);
      client.release(broken);
    }
  }

  async function once<T>(
    pool: Pool,
    begin: string,
    work: (client: PoolClient, statements: Statements) => Promise<T>,
  ): Promise<T> {
    return withClient(pool, async (client) => {
      const statements = inTransaction(client, begin);
      try {
        const value = await work(client, statements);
        await statements.commit();
        return value;
      } catch (error) {
        // When the connection is gone there is nothing to roll back: the server does it.
        await client.query('rollback').catch(() => undefined);
        throw statements.causeOf(error);
      }
    });
  }

  return {
    ...queriesOf((sql, params) => withClient(reading, (client) => execute(client, sql, params))),
    engine: 'postgres',
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await once(changing, 'begin', (_, { execute, commitWith }) =>
            work({ ...queriesOf(execute), commitWith }),
          );
        } catch (error) {
          if (attempt === ATTEMPTS || !isConflict(error)) throw error;
        }
      }
    },
    snapshot: (work) =>
      once(reading, 'begin isolation level repeatable read read only', (client) => work(snapshotOf(client))),
    emptyLog: async () => true,
    listen: (channel, onMessage) => listenOn(url, channel, onMessage),
    close: async () => void (await Promise.all([reading.end(), changing.end()])),
  };
}
