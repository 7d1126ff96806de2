/** Time stamps of checkpoints, and whose turn it is to ask for the next one. */
import type { Queries } from '@rcpt/service/db/db.ts';
import type { LogName } from './logs.ts';

export interface StoredTimestamp {
  /** Of the checkpoint. */
  size: number;
  checkpoint: string;
  /** TimeStampResp, in base64. */
  answer: string;
  stamped_at: string;
}

const COLUMNS = 'size, checkpoint, answer, stamped_at';

/** Of this size, or the last one. */
export async function findTimestamp(
  db: Queries,
  organization_id: string,
  log: LogName,
  size: number | undefined,
): Promise<StoredTimestamp | null> {
  const [of_size, values] = size === undefined ? ['', []] : ['and size = $3', [size]];
  const row = await db.get<StoredTimestamp>(
    `select ${COLUMNS} from timestamps where organization_id = $1 and log = $2 ${of_size} order by size desc limit 1`,
    [organization_id, log, ...values],
  );
  return row ?? null;
}

/** The first one whose tree holds the entry: that is by when it was there. */
export async function firstTimestampOf(
  db: Queries,
  organization_id: string,
  log: LogName,
  index: number,
): Promise<StoredTimestamp | null> {
  const row = await db.get<StoredTimestamp>(
    `select ${COLUMNS} from timestamps where organization_id = $1 and log = $2 and size > $3 order by size limit 1`,
    [organization_id, log, index],
  );
  return row ?? null;
}

/** The first stamp of a checkpoint stays. */
export async function insertTimestamp(
  tx: Queries,
  organization_id: string,
  log: LogName,
  { size, checkpoint, answer, stamped_at }: StoredTimestamp,
): Promise<void> {
  await tx.run(
    `insert into timestamps (organization_id, log, size, checkpoint, answer, stamped_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (organization_id, log, size) do nothing`,
    [organization_id, log, size, checkpoint, answer, stamped_at],
  );
}

/** False where somebody asked after `before`: then it is not this caller's turn. */
export async function takeTimestampTurn(
  tx: Queries,
  organization_id: string,
  log: LogName,
  now: string,
  before: string,
): Promise<boolean> {
  const changed = await tx.run(
    `insert into timestamp_turns (organization_id, log, asked_at) values ($1, $2, $3)
     on conflict (organization_id, log) do update set asked_at = excluded.asked_at where timestamp_turns.asked_at <= $4`,
    [organization_id, log, now, before],
  );
  return changed === 1;
}

/** Nothing came of it: the next one who asks has a turn again. */
export async function returnTimestampTurn(
  tx: Queries,
  organization_id: string,
  log: LogName,
  now: string,
  before: string,
): Promise<void> {
  await tx.run('update timestamp_turns set asked_at = $4 where organization_id = $1 and log = $2 and asked_at = $3', [
    organization_id,
    log,
    now,
    before,
  ]);
}

/** Logs with a signed checkpoint that is longer than the last one that was stamped. */
export async function logsWithoutTimestamp(db: Queries): Promise<{ organization_id: string; log: LogName }[]> {
  return db.all<{ organization_id: string; log: LogName }>(
    `select e.organization_id, e.log from log_ends e
     where not exists (
       select 1 from timestamps t where t.organization_id = e.organization_id and t.log = e.log and t.size >= e.size
     )`,
  );
}
