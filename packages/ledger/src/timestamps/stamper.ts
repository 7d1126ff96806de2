/**
 * Has checkpoints time-stamped, best effort and beside the mint: a log that was signed anew waits here until its turn, at most one per log and
 * interval, by all processes together. What waits is in memory; a start finds it again in the database. A crash while an answer is on its way
 * costs that stamp: the next one is asked for an interval later.
 */
import type { Db } from '@rcpt/service/db/db.ts';
import type { Logger } from '@rcpt/service/process/log.ts';
import type { Logs } from '../log/logs.ts';
import { type LogName, loadSignedEnd } from '../store/logs.ts';
import {
  findTimestamp,
  insertTimestamp,
  logsWithoutTimestamp,
  returnTimestampTurn,
  takeTimestampTurn,
} from '../store/timestamps.ts';
import { askAuthority } from './authority.ts';

/** So that the receipts of a moment share a stamp. */
const GATHER_MS = 1_000;
/** What begins to wait meanwhile is looked at after so long. */
const LOOK_MS = 10_000;
/** After an authority has failed, before anybody asks it again. */
const REST_MS = 300_000;
const NONE: Stamper = { close: async () => undefined };

export interface Stamper {
  close(): Promise<void>;
}

export interface StamperSettings {
  db: Db;
  logs: Pick<Logs, 'onSigned'>;
  logger: Logger;
  /** Undefined: nothing is stamped. */
  url: string | undefined;
  /** Between two stamps of one log. */
  interval_seconds: number;
  gather_ms?: number;
}

interface Waiting {
  organization_id: string;
  log: LogName;
  /** In milliseconds since 1970. */
  due_at: number;
}

export function startStamper({
  db,
  logs,
  logger,
  url,
  interval_seconds,
  gather_ms = GATHER_MS,
}: StamperSettings): Stamper {
  if (url === undefined) return NONE;
  const waiting = new Map<string, Waiting>();
  const ending = new AbortController();
  let rest_until = 0;
  let timer: NodeJS.Timeout | null = null;
  let busy: Promise<void> = Promise.resolve();

  const wait = (organization_id: string, log: LogName, due_at: number) => {
    const name = `${log} ${organization_id}`;
    if (!waiting.has(name)) waiting.set(name, { organization_id, log, due_at });
    schedule();
  };

  function schedule(): void {
    if (timer !== null || ending.signal.aborted || waiting.size === 0) return;
    let next = Number.POSITIVE_INFINITY;
    for (const { due_at } of waiting.values()) next = Math.min(next, due_at);
    const delay = Math.max(next, rest_until) - Date.now();
    timer = setTimeout(
      () => {
        busy = stampDue().finally(() => {
          timer = null;
          schedule();
        });
      },
      Math.max(gather_ms, Math.min(delay, LOOK_MS)),
    );
    timer.unref();
  }

  /** One after the other: an authority is somebody else's machine. */
  async function stampDue(): Promise<void> {
    for (const [name, one] of waiting) {
      const now = Date.now();
      if (ending.signal.aborted || now < rest_until) return;
      if (now < one.due_at) continue;
      waiting.delete(name);
      try {
        await stamp(one, now);
      } catch (error) {
        if (ending.signal.aborted) return;
        rest_until = Date.now() + REST_MS;
        waiting.set(name, { ...one, due_at: rest_until });
        logger.warn({ err: error, organization_id: one.organization_id }, 'a checkpoint was not time-stamped');
      }
    }
  }

  async function stamp({ organization_id, log }: Waiting, now: number): Promise<void> {
    const [end, last] = [
      await loadSignedEnd(db, organization_id, log),
      await findTimestamp(db, organization_id, log, undefined),
    ];
    if (end === null || (last !== null && last.size >= end.size)) return;
    const [at, before] = [now, now - interval_seconds * 1000].map((ms) => new Date(ms).toISOString());
    if (!(await takeTimestampTurn(db, organization_id, log, at!, before!))) {
      wait(organization_id, log, now + interval_seconds * 1000);
      return;
    }
    try {
      const { size, checkpoint } = end;
      const { answer, stamped_at } = await askAuthority(url!, Buffer.from(checkpoint), ending.signal);
      const stamp = { size, checkpoint, answer: Buffer.from(answer).toString('base64'), stamped_at };
      await insertTimestamp(db, organization_id, log, stamp);
    } catch (error) {
      await returnTimestampTurn(db, organization_id, log, at!, before!);
      throw error;
    }
  }

  const stop = logs.onSigned((organization_id, log) => wait(organization_id, log, 0));
  const found = logsWithoutTimestamp(db).then(
    (all) => {
      for (const { organization_id, log } of all) wait(organization_id, log, 0);
    },
    (error: unknown) => logger.warn({ err: error }, 'what was not time-stamped yet waits for its next checkpoint'),
  );
  return {
    async close() {
      stop();
      ending.abort();
      if (timer !== null) clearTimeout(timer);
      await found;
      await busy;
    },
  };
}
