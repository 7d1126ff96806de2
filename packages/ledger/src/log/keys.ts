/**
 * The organizations' keys (docs/spec.md §34): Ed25519, one per organization, for all its logs. The name of a key is the name of its log; it
 * holds the host under which the ledger was reached when the key was made, and stays when the ledger moves.
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { Actor } from '@rcpt/contract/activity.ts';
import { concat } from '@rcpt/proof/log/bytes.ts';
import { formatNote } from '@rcpt/proof/log/signed-note.ts';
import { formatVerifierKey, type VerifierKey, verifierKey } from '@rcpt/proof/log/verifier-key.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { ConfigError } from '@rcpt/service/process/config.ts';
import { LEDGER_ACTS } from '../activity/actor.ts';
import { recordActivity } from '../activity/record.ts';
import { anyLogKey, insertLogKey, type LogKeyRow, type LogName, loadLogKeys } from '../store/logs.ts';
import type { MasterKey } from './master-key.ts';

/** One key, under the name of one log. */
export interface SigningKey {
  verifier: VerifierKey;
  sign(bytes: Uint8Array): Uint8Array;
}

export interface LogKeys {
  /** Those that sign now: the newest, and the one before it. Makes the first. */
  signing(organization_id: string, log: LogName): Promise<SigningKey[]>;
  /** All there ever were, the newest first. */
  all(organization_id: string): Promise<LogKeyRow[]>;
  /** Makes the next one. Returns what both have signed. */
  rotate(organization_id: string, by: Actor): Promise<{ from: string; to: string; succession: string }>;
}

/** `example.com/org/org_1` and `example.com/org/org_1/activity`. */
export function originOf(origin: string, log: LogName): string {
  return log === 'receipts' ? origin : `${origin}/${log}`;
}

/** @param host of the ledger's address, with its port, for keys that are made from now on */
export function openLogKeys(db: Db, master: MasterKey, host: () => string, now: () => string): LogKeys {
  async function all(organization_id: string): Promise<LogKeyRow[]> {
    const rows = await loadLogKeys(db, organization_id);
    return rows.length > 0 ? rows : first(organization_id);
  }

  async function first(organization_id: string): Promise<LogKeyRow[]> {
    const origin = `${host()}/org/${organization_id}`;
    const at = now();
    const row = { ...newKey(master, organization_id, 0, origin, at), succession: null };
    const key = formatVerifierKey(verifierOf(row, 'receipts'));
    await db.transaction(async (tx) => {
      const isNew = await insertLogKey(tx, organization_id, row);
      const act = { by: LEDGER_ACTS, kind: 'log_key_created', details: { key } } as const;
      if (isNew) await recordActivity(tx, organization_id, act, at);
    });
    // Another process may have been first.
    return loadLogKeys(db, organization_id);
  }

  return {
    all,
    async signing(organization_id, log) {
      const rows = await all(organization_id);
      return rows.slice(0, 2).map((row) => signingKey(master, organization_id, log, row));
    },
    async rotate(organization_id, by) {
      const [before] = (await all(organization_id)) as [LogKeyRow];
      const at = now();
      const next = newKey(master, organization_id, before.generation + 1, before.origin, at);
      const pair = [next, before].map((row) => signingKey(master, organization_id, 'receipts', row));
      const [to, from] = pair.map(({ verifier }) => formatVerifierKey(verifier)) as [string, string];
      const succession = signNote(
        `rcpt-key-succession/v1\n${before.origin}\nfrom ${from}\nto ${to}\ntime ${at}\n`,
        pair,
      );
      await db.transaction(async (tx) => {
        if (!(await insertLogKey(tx, organization_id, { ...next, succession })))
          throw new Refusal(
            'overloaded',
            'Another process has just made the next key. Look at it before you make one more.',
          );
        const act = { by, kind: 'log_key_rotated', details: { before: from, after: to, succession } } as const;
        await recordActivity(tx, organization_id, act, at);
      });
      return { from, to, succession };
    },
  };
}

/** Throws `ConfigError` where the master key is not the one under which the stored keys were encrypted. */
export async function checkMasterKey(db: Db, master: MasterKey): Promise<void> {
  const row = await anyLogKey(db);
  if (row === null) return;
  try {
    master.open(row.sealed_private_key, aboutKey(row.organization_id, row.generation));
  } catch {
    throw new ConfigError(
      'LEDGER_MASTER_KEY: got (not shown), takes the key under which the keys in this database were encrypted; LEDGER_MASTER_KEY_FILE names the file that holds it',
    );
  }
}

export function signNote(text: string, keys: readonly SigningKey[]): string {
  const message = new TextEncoder().encode(text);
  const signatures = keys.map(({ verifier: { name, id }, sign }) => ({ name, id, bytes: sign(message) }));
  return formatNote({ text, signatures });
}

function newKey(master: MasterKey, organization_id: string, generation: number, origin: string, created_at: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  return {
    generation,
    origin,
    public_key: publicKey.export({ format: 'jwk' }).x!,
    sealed_private_key: master.seal(der, aboutKey(organization_id, generation)),
    created_at,
  };
}

function aboutKey(organization_id: string, generation: number): string {
  return `log key ${generation} of ${organization_id}`;
}

function signingKey(
  master: MasterKey,
  organization_id: string,
  log: LogName,
  row: Omit<LogKeyRow, 'succession'>,
): SigningKey {
  const der = master.open(row.sealed_private_key, aboutKey(organization_id, row.generation));
  const key: KeyObject = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return { verifier: verifierOf(row, log), sign: (bytes) => sign(null, bytes, key) };
}

export function verifierOf(
  { origin, public_key }: Pick<LogKeyRow, 'origin' | 'public_key'>,
  log: LogName,
): VerifierKey {
  return verifierKey(originOf(origin, log), 1, concat(Buffer.from(public_key, 'base64url')));
}
