/** Passkeys, what their holders are asked to sign, and what they signed. */
import type { Passkey } from '@rcpt/contract/ledger/passkeys.ts';
import type { ApprovalFile } from '@rcpt/proof/approval/approval.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { refuse } from '../problems.ts';

export interface StoredPasskey extends Passkey {
  person_id: string;
  public_key_pem: string;
  transports: string[];
  sign_count: number;
}

/** Of one person in one organization. */
const MOST_PASSKEYS = 20;
/** Removed ones among them. */
const MOST_ROWS = 200;
/** Of one session: browsers ask for one at a time. */
const MOST_CHALLENGES = 50;

const PASSKEY =
  'id, person_id, credential_id, public_key_pem, algorithm, transports, name, sign_count, created_at, last_used_at';

type Row = Omit<StoredPasskey, 'transports' | 'sign_count'> & { transports: string; sign_count: number | string };

function read({ transports, sign_count, ...row }: Row): StoredPasskey {
  return { ...row, transports: JSON.parse(transports) as string[], sign_count: Number(sign_count) };
}

/** Those that sign, oldest first. */
export async function listPasskeys(db: Queries, organization_id: string, person_id: string): Promise<StoredPasskey[]> {
  const rows = await db.all<Row>(
    `select ${PASSKEY} from passkeys where organization_id = $1 and person_id = $2 and removed_at is null order by id`,
    [organization_id, person_id],
  );
  return rows.map(read);
}

/** One of this person's own that signs. */
export async function findPasskey(
  db: Queries,
  organization_id: string,
  person_id: string,
  credential_id: string,
): Promise<StoredPasskey | null> {
  const row = await db.get<Row>(
    `select ${PASSKEY} from passkeys where organization_id = $1 and person_id = $2 and credential_id = $3
       and removed_at is null`,
    [organization_id, person_id, credential_id],
  );
  return row === undefined ? null : read(row);
}

/** Throws `passkey_limit`, `passkey_exists`. */
export async function insertPasskey(tx: Queries, organization_id: string, passkey: StoredPasskey): Promise<void> {
  const { id, person_id, credential_id, public_key_pem, algorithm, transports, name, sign_count, created_at } = passkey;
  const counted = await tx.get<{ live: number; rows: number }>(
    `select count(case when removed_at is null then 1 end) as live, count(*) as rows from passkeys
     where organization_id = $1 and person_id = $2`,
    [organization_id, person_id],
  );
  if (Number(counted?.live) >= MOST_PASSKEYS || Number(counted?.rows) >= MOST_ROWS)
    throw refuse(
      'passkey_limit',
      `A person has ${MOST_PASSKEYS} passkeys in an organization at most. Remove one first.`,
    );
  const inserted = await tx.run(
    `insert into passkeys (organization_id, id, person_id, credential_id, public_key_pem, algorithm, transports, name, sign_count,
       created_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing`,
    [
      organization_id,
      id,
      person_id,
      credential_id,
      public_key_pem,
      algorithm,
      JSON.stringify(transports),
      name,
      sign_count,
      created_at,
    ],
  );
  if (inserted === 0)
    throw refuse('passkey_exists', 'This passkey was enrolled in this organization before. Make another one.');
}

/** Throws `not_found`: also for another person's, and for one that was removed. */
export async function renamePasskey(
  tx: Queries,
  organization_id: string,
  person_id: string,
  id: string,
  name: string,
): Promise<StoredPasskey> {
  return found(
    await tx.get<Row>(
      `update passkeys set name = $4 where organization_id = $1 and person_id = $2 and id = $3 and removed_at is null
       returning ${PASSKEY}`,
      [organization_id, person_id, id, name],
    ),
  );
}

/** It signs no more from now on; its row stays. Throws `not_found` as `renamePasskey`. */
export async function markPasskeyRemoved(
  tx: Queries,
  organization_id: string,
  person_id: string,
  id: string,
  at: string,
): Promise<StoredPasskey> {
  return found(
    await tx.get<Row>(
      `update passkeys set removed_at = $4 where organization_id = $1 and person_id = $2 and id = $3 and removed_at is null
       returning ${PASSKEY}`,
      [organization_id, person_id, id, at],
    ),
  );
}

/** All of a person's, as `markPasskeyRemoved`; those that were removed now. */
export async function markPasskeysRemoved(
  tx: Queries,
  organization_id: string,
  person_id: string,
  at: string,
): Promise<StoredPasskey[]> {
  const rows = await tx.all<Row>(
    `update passkeys set removed_at = $3 where organization_id = $1 and person_id = $2 and removed_at is null
     returning ${PASSKEY}`,
    [organization_id, person_id, at],
  );
  return rows.map(read);
}

function found(row: Row | undefined): StoredPasskey {
  if (row === undefined) throw new Refusal('not_found', 'You have no such passkey in this organization.');
  return read(row);
}

/** False: it was removed, or signed meanwhile with a counter that is as high. */
export async function countUse(
  tx: Queries,
  organization_id: string,
  { id, sign_count, at }: { id: string; sign_count: number; at: string },
): Promise<boolean> {
  const used = await tx.run(
    `update passkeys set sign_count = $3, last_used_at = $4 where organization_id = $1 and id = $2 and removed_at is null
       and (sign_count < cast($3 as bigint) or (sign_count = 0 and cast($3 as bigint) = 0))`,
    [organization_id, id, sign_count, at],
  );
  return used === 1;
}

export interface Challenge {
  session_id: string;
  challenge: string;
  /** '' to enrol. */
  run_id: string;
  approved_at: string;
  note_sha256: string;
}

/** Throws `rate_limited`. */
export async function insertChallenge(
  db: Queries,
  organization_id: string,
  { session_id, challenge, run_id, approved_at, note_sha256 }: Challenge,
  expires_at: string,
): Promise<void> {
  const inserted = await db.run(
    `insert into passkey_challenges (organization_id, session_id, challenge, run_id, approved_at, note_sha256, expires_at)
     select $1, $2, $3, $4, $5, $6, $7
     where (select count(*) from passkey_challenges where organization_id = $1 and session_id = $2) < ${MOST_CHALLENGES}
     on conflict (organization_id, session_id, run_id, challenge) do update
     set approved_at = excluded.approved_at, note_sha256 = excluded.note_sha256, expires_at = excluded.expires_at`,
    [organization_id, session_id, challenge, run_id, approved_at, note_sha256, expires_at],
  );
  if (inserted === 0)
    throw new Refusal('rate_limited', 'Too many signatures were asked for and not given. Try again in a few minutes.');
}

/** One that has not run out. */
export async function findChallenge(
  db: Queries,
  organization_id: string,
  { session_id, run_id, challenge }: Pick<Challenge, 'session_id' | 'run_id' | 'challenge'>,
  at: string,
): Promise<Challenge | null> {
  const row = await db.get<Challenge>(
    `select session_id, challenge, run_id, approved_at, note_sha256 from passkey_challenges
     where organization_id = $1 and session_id = $2 and run_id = $3 and challenge = $4 and expires_at > $5`,
    [organization_id, session_id, run_id, challenge, at],
  );
  return row ?? null;
}

/** Of many uses at once one gets it, since one deletes the row. */
export async function useChallenge(
  tx: Queries,
  organization_id: string,
  { session_id, run_id, challenge }: Pick<Challenge, 'session_id' | 'run_id' | 'challenge'>,
  at: string,
): Promise<boolean> {
  const used = await tx.run(
    `delete from passkey_challenges
     where organization_id = $1 and session_id = $2 and run_id = $3 and challenge = $4 and expires_at > $5`,
    [organization_id, session_id, run_id, challenge, at],
  );
  return used === 1;
}

/** Run now and then. */
export async function forgetChallenges(db: Queries, at: string): Promise<void> {
  await db.run('delete from passkey_challenges where expires_at < $1', [at]);
}

const FILE =
  'approved_sha256, client_data_json, authenticator_data, signature, public_key_pem, credential_id, approver_id, approver_name';

/** False: this signature was used for another Run. */
export async function insertSignature(
  tx: Queries,
  organization_id: string,
  run_id: string,
  file: ApprovalFile,
  replay_sha256: string,
): Promise<boolean> {
  const inserted = await tx.run(
    `insert into approval_signatures (organization_id, run_id, ${FILE}, replay_sha256)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict do nothing`,
    [
      organization_id,
      run_id,
      file.approved_sha256,
      file.client_data_json,
      file.authenticator_data,
      file.signature,
      file.public_key_pem,
      file.credential_id,
      file.approver_id,
      file.approver_name,
      replay_sha256,
    ],
  );
  return inserted === 1;
}

/** Of the Run that the receipt at this place of the chain was minted of; null where no passkey signed its approval. */
export async function findSignature(
  db: Queries,
  organization_id: string,
  org_seq: number,
): Promise<ApprovalFile | null> {
  const row = await db.get<ApprovalFile>(
    `select ${FILE} from approval_signatures s where organization_id = $1
       and run_id = (select run_id from receipts r where r.organization_id = $1 and r.org_seq = $2)`,
    [organization_id, org_seq],
  );
  return row === undefined ? null : { ...row };
}

/** Of these Runs, by their ids; those that no passkey signed have none. */
export async function findSignatures(
  db: Queries,
  organization_id: string,
  run_ids: string[],
): Promise<Map<string, ApprovalFile>> {
  const rows = await db.all<ApprovalFile & { run_id: string }>(
    `select run_id, ${FILE} from approval_signatures where organization_id = $1 and run_id ${db.dialect.isAmong('$2')}`,
    [organization_id, JSON.stringify(run_ids)],
  );
  return new Map(rows.map(({ run_id, ...file }) => [run_id, file]));
}
