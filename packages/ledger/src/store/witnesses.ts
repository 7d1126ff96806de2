/** Witnesses, and what became of the last checkpoints that were sent to each. */
import type { Witness, WitnessLog, WitnessState } from '@rcpt/contract/ledger/witnesses.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { refuse } from '../problems.ts';

/** A note has room for 64 signatures. */
export const MOST_WITNESSES = 16;
const LOGS: readonly WitnessLog['log'][] = ['receipts', 'activity'];

export interface WitnessRow extends Omit<Witness, 'logs'> {
  organization_id: string;
  /** Base64, beside the name and id of the verifier key. */
  public_key: string;
}

/** Throws `witness_exists`, `witness_limit`. */
export async function insertWitness(tx: Queries, witness: WitnessRow): Promise<void> {
  const { organization_id, id, name, url, key, public_key, created_at } = witness;
  const present = await tx.all<{ public_key: string }>('select public_key from witnesses where organization_id = $1', [
    organization_id,
  ]);
  if (present.some((other) => other.public_key === public_key))
    throw refuse('witness_exists', 'The organization has a witness with this key already. A key counts once.');
  if (present.length >= MOST_WITNESSES)
    throw refuse('witness_limit', `An organization has ${MOST_WITNESSES} witnesses at most. Remove one of them first.`);
  await tx.run(
    `insert into witnesses (organization_id, id, name, url, verifier_key, public_key, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [organization_id, id, name, url, key, public_key, created_at],
  );
  for (const log of LOGS)
    await tx.run(
      `insert into witness_logs (organization_id, witness_id, log, known_size, state, failures, next_attempt_at)
       values ($1, $2, $3, 0, 'waiting', 0, $4)`,
      [organization_id, id, log, created_at],
    );
}

/** With its cosignatures: what is served from now on has them no more. Throws `not_found`. */
export async function deleteWitness(tx: Queries, organization_id: string, id: string): Promise<Witness> {
  const witness = (await listWitnesses(tx, organization_id)).find((each) => each.id === id);
  if (witness === undefined) throw new Refusal('not_found', 'This organization has no such witness.');
  await tx.run('delete from witnesses where organization_id = $1 and id = $2', [organization_id, id]);
  await tx.run('delete from witness_logs where organization_id = $1 and witness_id = $2', [organization_id, id]);
  await tx.run('delete from cosignatures where organization_id = $1 and witness_id = $2', [organization_id, id]);
  return witness;
}

type StateRow = Omit<WitnessLog, 'next_attempt_at'> & { witness_id: string; next_attempt_at: string };

export async function listWitnesses(db: Queries, organization_id: string): Promise<Witness[]> {
  const witnesses = await db.all<Omit<Witness, 'logs'>>(
    `select id, name, url, verifier_key as key, created_at from witnesses where organization_id = $1 order by id`,
    [organization_id],
  );
  if (witnesses.length === 0) return [];
  const states = await db.all<StateRow>(
    `select l.witness_id, l.log, l.state, e.size, l.cosigned_size, l.cosigned_at, l.reason, l.next_attempt_at
     from witness_logs l left join log_ends e on e.organization_id = l.organization_id and e.log = l.log
     where l.organization_id = $1 order by l.log desc`,
    [organization_id],
  );
  return witnesses.map((witness) => ({
    ...witness,
    logs: states.filter(({ witness_id }) => witness_id === witness.id).map(shown),
  }));
}

/** A checkpoint that was signed since is not cosigned yet. */
function shown({ log, state, size, cosigned_size, cosigned_at, reason, next_attempt_at }: StateRow): WitnessLog {
  const is_due = size !== null && size !== cosigned_size;
  return {
    log,
    state: state === 'cosigned' && is_due ? 'waiting' : state,
    size,
    cosigned_size,
    cosigned_at,
    reason,
    next_attempt_at: is_due ? next_attempt_at : null,
  };
}

/** Of all organizations, looked up at once. */
export const MOST_DUE = 500;

/** A log whose last checkpoint a witness has not cosigned, or not for long. */
export interface DueSubmission {
  organization_id: string;
  witness_id: string;
  url: string;
  key: string;
  log: WitnessLog['log'];
  known_size: number;
  state: WitnessState;
  failures: number;
  next_attempt_at: string;
  /** What was signed last. */
  size: number;
  checkpoint: string;
}

const DUE = `select l.organization_id, l.witness_id, w.url, w.verifier_key as key, l.log, l.known_size, l.state, l.failures,
    l.next_attempt_at, e.size, e.checkpoint
  from witness_logs l
  join witnesses w on w.organization_id = l.organization_id and w.id = l.witness_id
  join log_ends e on e.organization_id = l.organization_id and e.log = l.log
  where l.next_attempt_at <= $1 and (l.cosigned_size is null or l.cosigned_size <> e.size or l.next_attempt_at < $2)`;

/** @param sent_before what was cosigned earlier, by our clock, is sent again, so that a witness that has gone or knows more is noticed */
export function dueSubmissions(
  db: Queries,
  { at, sent_before, organization_id }: { at: string; sent_before: string; organization_id: string | null },
): Promise<DueSubmission[]> {
  return organization_id === null
    ? db.all<DueSubmission>(`${DUE} order by l.next_attempt_at limit ${MOST_DUE}`, [at, sent_before])
    : db.all<DueSubmission>(`${DUE} and l.organization_id = $3`, [at, sent_before, organization_id]);
}

/** For the time until then no other process takes it. False: another one has. */
export async function claimSubmission(db: Queries, due: DueSubmission, until: string): Promise<boolean> {
  const { organization_id, witness_id, log, next_attempt_at } = due;
  const claimed = await db.run(
    `update witness_logs set next_attempt_at = $5
     where organization_id = $1 and witness_id = $2 and log = $3 and next_attempt_at = $4`,
    [organization_id, witness_id, log, next_attempt_at, until],
  );
  return claimed === 1;
}

/** The last checkpoint as of now: another process may have signed since. */
export async function lastSigned(
  db: Queries,
  { organization_id, log }: Pick<DueSubmission, 'organization_id' | 'log'>,
): Promise<{ size: number; checkpoint: string } | null> {
  const row = await db.get<{ size: number; checkpoint: string }>(
    'select size, checkpoint from log_ends where organization_id = $1 and log = $2',
    [organization_id, log],
  );
  return row ?? null;
}

export interface Failure {
  state: WitnessState;
  reason: string;
  /** What the witness has told; null: nothing new. */
  known_size: number | null;
  failures: number;
  next_attempt_at: string;
}

export async function noteFailure(db: Queries, due: DueSubmission, failure: Failure): Promise<void> {
  const { organization_id, witness_id, log } = due;
  await db.run(
    `update witness_logs
     set state = $4, reason = $5, known_size = coalesce($6, known_size), failures = $7, next_attempt_at = $8
     where organization_id = $1 and witness_id = $2 and log = $3`,
    [
      organization_id,
      witness_id,
      log,
      failure.state,
      failure.reason,
      failure.known_size,
      failure.failures,
      failure.next_attempt_at,
    ],
  );
}

/** One more cosignature of a checkpoint; older ones with no more of them than this one has now are forgotten. */
export async function keepCosignature(
  tx: Queries,
  { organization_id, witness_id, log }: DueSubmission,
  {
    size,
    checkpoint,
    line,
    cosigned_at,
    at,
  }: { size: number; checkpoint: string; line: string; cosigned_at: string; at: string },
): Promise<void> {
  const noted = await tx.run(
    `update witness_logs
     set state = 'cosigned', reason = null, known_size = $4, cosigned_size = $4, cosigned_at = $5, failures = 0, next_attempt_at = $6
     where organization_id = $1 and witness_id = $2 and log = $3`,
    [organization_id, witness_id, log, size, cosigned_at, at],
  );
  // It was removed meanwhile.
  if (noted === 0) return;
  const place = [organization_id, log, size];
  const kept = await tx.run(
    `insert into cosigned_checkpoints (organization_id, log, size, checkpoint) values ($1, $2, $3, $4)
     on conflict (organization_id, log, size) do update set checkpoint = excluded.checkpoint
     where cosigned_checkpoints.checkpoint <> excluded.checkpoint`,
    [...place, checkpoint],
  );
  // Of another checkpoint of this size, or of none.
  if (kept > 0) await tx.run('delete from cosignatures where organization_id = $1 and log = $2 and size = $3', place);
  await tx.run(
    `insert into cosignatures (organization_id, log, size, witness_id, line) values ($1, $2, $3, $4, $5)
     on conflict (organization_id, log, size, witness_id) do update set line = excluded.line`,
    [...place, witness_id, line],
  );
  await forgetOutdone(tx, organization_id, log, size);
}

const COUNTED = `(select count(*) from cosignatures s
  where s.organization_id = c.organization_id and s.log = c.log and s.size = c.size)`;

async function forgetOutdone(tx: Queries, organization_id: string, log: string, size: number): Promise<void> {
  const place = [organization_id, log, size];
  const outdone = await tx.all<{ size: number }>(
    `select c.size from cosigned_checkpoints c
     where c.organization_id = $1 and c.log = $2 and c.size < $3 and ${COUNTED} <=
       (select count(*) from cosignatures n where n.organization_id = $1 and n.log = $2 and n.size = $3)`,
    place,
  );
  for (const { size: older } of outdone) {
    const at = [organization_id, log, older];
    await tx.run('delete from cosignatures where organization_id = $1 and log = $2 and size = $3', at);
    await tx.run('delete from cosigned_checkpoints where organization_id = $1 and log = $2 and size = $3', at);
  }
}

export interface CosignedCheckpoint {
  size: number;
  checkpoint: string;
  /** In the order in which the witnesses were listed. */
  lines: string[];
}

/** Of more than this many entries, the one with the most cosignatures, of these the newest; null: none is cosigned. */
export async function mostCosigned(
  db: Queries,
  organization_id: string,
  log: string,
  entries: number,
): Promise<CosignedCheckpoint | null> {
  const row = await db.get<{ size: number; checkpoint: string }>(
    `select c.size, c.checkpoint from cosigned_checkpoints c
     where c.organization_id = $1 and c.log = $2 and c.size > $3 and ${COUNTED} > 0
     order by ${COUNTED} desc, c.size desc limit 1`,
    [organization_id, log, entries],
  );
  if (row === undefined) return null;
  return { ...row, lines: await cosignatureLines(db, organization_id, log, row) };
}

/** Of exactly this checkpoint. */
export async function cosignatureLines(
  db: Queries,
  organization_id: string,
  log: string,
  { size, checkpoint }: { size: number; checkpoint: string },
): Promise<string[]> {
  const rows = await db.all<{ line: string }>(
    `select s.line from cosignatures s join cosigned_checkpoints c
       on c.organization_id = s.organization_id and c.log = s.log and c.size = s.size
     where s.organization_id = $1 and s.log = $2 and s.size = $3 and c.checkpoint = $4 order by s.witness_id`,
    [organization_id, log, size, checkpoint],
  );
  return rows.map(({ line }) => line);
}
