/**
 * A transaction whose statements travel together where they do not wait for each other's answers; the server runs them in the order
 * they were sent, and after one that fails it refuses the rest.
 */
import type { Writable } from 'node:stream';
import type { PoolClient } from 'pg';
import { together } from '../db.ts';
import { execute } from './queries.ts';

export type Statements = ReturnType<typeof inTransaction>;
const READS = /^\s*select\b/i;
const REFUSED_AFTER_ANOTHER = '25P02';

/**
 * `begin` travels with the first statements when they only read and lock. Writes wait for its answer: sent after a `begin`
 * that failed, they would be committed by themselves.
 */
export function inTransaction(client: PoolClient, begin: string) {
  sendTogether(client);
  const begun = client.query(begin);
  let mayWrite = false;
  let committed: Promise<void> | null = null;
  let cause: unknown = null;
  const failed = (error: unknown) => {
    cause ??= error;
  };
  begun.catch(failed);

  /** Behind the writes, which wait for the answer to `begin` too. */
  async function commit(): Promise<void> {
    await begun;
    const send = hold(client);
    try {
      // By then it is known whether one of them failed before it was sent: the server would not know.
      await new Promise<void>((tick) => process.nextTick(tick));
      if (cause !== null) throw cause;
    } finally {
      // The commit leaves in the same packet.
      process.nextTick(send);
    }
    const { command } = await client.query('commit');
    // The server's answer to the commit of a transaction in which something failed.
    if (command !== 'COMMIT') throw cause ?? new Error(`the transaction ended with ${command}`);
  }

  return {
    /** The first error, where this one only says that the transaction is over. */
    causeOf: (error: unknown) =>
      (error as { code?: string }).code === REFUSED_AFTER_ANOTHER ? (cause ?? error) : error,
    async execute(sql: string, params: unknown[]) {
      // It would be committed by itself.
      if (committed !== null) throw new Error('a statement came after the commit of its transaction');
      mayWrite ||= !READS.test(sql);
      // The order stays: whatever comes after a write waits with it.
      if (mayWrite) await begun;
      sendTogether(client);
      const answer = execute(client, sql, params);
      answer.catch(failed);
      return answer;
    },
    async commitWith(...last: Promise<unknown>[]) {
      for (const statement of last) statement.catch(failed);
      committed = commit();
      await together(...last, committed);
    },
    commit: () => (committed ??= commit()),
  };
}

/** Statements of one turn of the event loop leave in one packet: each packet costs both sides more than what is in it. */
function sendTogether(client: PoolClient): void {
  process.nextTick(hold(client));
}

/** Returns what lets go of it again. */
function hold(client: PoolClient): () => void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  stream.cork();
  return () => stream.uncork();
}
