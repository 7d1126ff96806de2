/** An organization's list of witnesses. */
import type { Actor } from '@rcpt/contract/activity.ts';
import type { NewWitness, Witness } from '@rcpt/contract/ledger/witnesses.ts';
import { ProofError } from '@rcpt/proof/error.ts';
import { toBase64 } from '@rcpt/proof/log/bytes.ts';
import { parseVerifierKey, type VerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import type { Db, Queries } from '@rcpt/service/db/db.ts';
import { isLiteralNotPublic } from '@rcpt/service/http/public-address.ts';
import { newId } from '@rcpt/service/ids.ts';
import { recordActivity } from '../activity/record.ts';
import { changes } from '../changes/transaction.ts';
import { refuse } from '../problems.ts';
import { lockOrganization } from '../store/tenancy.ts';
import { deleteWitness, insertWitness, listWitnesses } from '../store/witnesses.ts';

/** Throws `witness_key_invalid`, `witness_address`, `witness_exists`, `witness_limit`. */
export async function addWitness(
  tx: Queries,
  organization_id: string,
  by: Actor,
  { url, key: text }: NewWitness,
  { at, only_public }: { at: string; only_public: boolean },
): Promise<Witness> {
  const key = witnessKeyOf(text);
  if (only_public && isLiteralNotPublic(new URL(url)))
    throw refuse(
      'witness_address',
      `This ledger calls public addresses only, and ${new URL(url).hostname} is none. Its operator can allow others: LEDGER_WITNESS_PRIVATE_ADDRESSES.`,
    );
  await lockOrganization(tx, organization_id);
  const public_key = toBase64(key.key);
  const row = { organization_id, id: newId('witness'), name: key.name, url, key: text, public_key, created_at: at };
  await insertWitness(tx, row);
  const witness = (await listWitnesses(tx, organization_id)).find(({ id }) => id === row.id)!;
  changes(tx, organization_id, { settings: true });
  await recordActivity(tx, organization_id, { by, kind: 'witness_added', details: described(witness) }, at);
  return witness;
}

/** Throws `not_found`. */
export async function removeWitness(
  db: Db,
  organization_id: string,
  by: Actor,
  id: string,
  at: string,
): Promise<Witness> {
  return db.transaction(async (tx) => {
    await lockOrganization(tx, organization_id);
    const witness = await deleteWitness(tx, organization_id, id);
    changes(tx, organization_id, { settings: true });
    await recordActivity(tx, organization_id, { by, kind: 'witness_removed', details: described(witness) }, at);
    return witness;
  });
}

/**
 * A policy (C2SP tlog-policy) with these logs and witnesses, more than half of whom are asked for. It is a proposal of the party that is
 * checked: who verifies keeps a copy of their own, and changes it themselves.
 */
export function policyOf(
  organization_name: string,
  log_keys: readonly string[],
  witnesses: readonly Pick<Witness, 'key' | 'url'>[],
): string {
  const lines = [
    `# What ${oneLine(organization_name)} signs with, and who cosigns it. Keep it where the ledger cannot change it.`,
    ...log_keys.map((key) => `log ${key}`),
    ...witnesses.map(({ key, url }, i) => `witness w${i + 1} ${key} ${url}`),
  ];
  const names = witnesses.map((_, i) => `w${i + 1}`);
  if (names.length === 0) return `${[...lines, 'quorum none'].join('\n')}\n`;
  const most = Math.floor(names.length / 2) + 1;
  return `${[...lines, `group witnesses ${most} ${names.join(' ')}`, 'quorum witnesses'].join('\n')}\n`;
}

function witnessKeyOf(text: string): VerifierKey {
  try {
    const key = parseVerifierKey(text);
    if (key.type === 4) return key;
  } catch (error) {
    if (error instanceof ProofError) throw refuse('witness_key_invalid', `key: ${error.reason}.`);
    throw error;
  }
  throw refuse('witness_key_invalid', 'key: this is the key of a log; take the one that the witness prints.');
}

function described({ name, url, key }: Witness) {
  return { name, url, key };
}

function oneLine(text: string): string {
  return text.replace(/[\p{C}\u2028\u2029]+/gu, ' ');
}
