/**
 * What an activity chain tells of who may act, line by line, held against what the tables say: a key or a member that no line
 * explains was put there past the ledger.
 */
import type { Act } from '@rcpt/contract/activity.ts';
import { publicKeySha256 } from '@rcpt/proof/approval/public-key.ts';
import type { Fault } from '@rcpt/proof/receipt.ts';
import { passkeyWords } from '../people/organizations.ts';
import type { Standing } from '../store/standing.ts';

/** A difference, and the place of the last line that speaks of it; null: none does. */
export interface Unexplained {
  org_seq: number | null;
  fault: Fault;
}

interface Told<T> {
  value: T;
  org_seq: number;
}
type ById = Map<string, Told<string | null>>;

export class ToldByActivity {
  #name: Told<string> | null = null;
  #four_eyes: Told<boolean> | null = null;
  #passkey_approvals: Told<string> = { value: 'off', org_seq: 0 };
  /** By id; null: revoked or removed. */
  readonly #keys: ById = new Map();
  readonly #members: ById = new Map();
  readonly #passkeys: ById = new Map();
  /** The chain is younger than its organization: when it began, and how many keys and members there were. */
  #begun: { at: string; keys: number; members: number } | null = null;

  /** Of a line that is intact. */
  line(act: Act, { org_seq, created_at, name }: { org_seq: number; created_at: string; name: string }): void {
    this.#name = { value: name, org_seq };
    switch (act.kind) {
      case 'activity_begun':
        this.#begun = { at: created_at, keys: act.details.keys, members: act.details.members };
        this.#four_eyes = { value: act.details.four_eyes, org_seq };
        break;
      case 'organization_created':
        this.#four_eyes = { value: act.details.four_eyes, org_seq };
        break;
      case 'four_eyes_switched':
        this.#four_eyes = { value: act.details.after, org_seq };
        break;
      case 'key_issued':
      case 'key_revoked':
        this.#keys.set(act.details.key.id, { value: act.kind === 'key_issued' ? act.details.role : null, org_seq });
        break;
      case 'member_added':
      case 'member_removed':
        this.#members.set(act.details.member.id, {
          value: act.kind === 'member_added' ? act.details.role : null,
          org_seq,
        });
        break;
      case 'member_role_changed':
        this.#members.set(act.details.member.id, { value: act.details.after, org_seq });
        break;
      case 'passkey_approvals_changed':
        this.#passkey_approvals = { value: act.details.after, org_seq };
        break;
      case 'passkey_enrolled':
      case 'passkey_removed': {
        const { member, passkey, public_key_sha256 } = act.details;
        const value = act.kind === 'passkey_enrolled' ? ofMember(member.id, public_key_sha256) : null;
        this.#passkeys.set(passkey.id, { value, org_seq });
      }
    }
  }

  differences(now: Standing): Unexplained[] {
    return [
      ...differing(this.#name, now.organization.name, 'the name of the organization'),
      ...differing(this.#four_eyes, now.organization.four_eyes, 'four eyes'),
      ...differing(this.#passkey_approvals, passkeyWords(now.organization), 'who signs with a passkey'),
      ...this.#unexplained('key', this.#keys, now.keys.map(byRole), this.#begun?.keys ?? 0),
      ...this.#unexplained('member', this.#members, now.members.map(byRole), this.#begun?.members ?? 0),
      ...this.#unexplained('passkey', this.#passkeys, now.passkeys.map(byPublicKey), 0),
    ];
  }

  #unexplained(
    what: string,
    told: ById,
    now: { id: string; value: string; since: string }[],
    older: number,
  ): Unexplained[] {
    const found: Unexplained[] = [];
    const missing = new Map(told);
    let untold = 0;
    for (const { id, value, since } of now) {
      const known = told.get(id);
      missing.delete(id);
      if (known === undefined) {
        if (this.#begun !== null && since <= this.#begun.at) {
          untold++;
          continue;
        }
        const detail = `${what} ${id} is stored as ${value}, and no line says who brought it in`;
        found.push({ org_seq: null, fault: { expected: null, actual: value, detail } });
      } else if (known.value !== value) {
        const detail = `${what} ${id} is stored as ${value}; the last line about it says ${known.value ?? 'that it was withdrawn'}`;
        found.push({ org_seq: known.org_seq, fault: { expected: known.value, actual: value, detail } });
      }
    }
    for (const [id, { value, org_seq }] of missing) {
      if (value === null) continue;
      const detail = `${what} ${id} is not stored any more, and no line says who took it away`;
      found.push({ org_seq, fault: { expected: value, actual: null, detail } });
    }
    if (untold > older) {
      const detail = `the activity chain began with ${older} ${what}s, and ${untold} are stored as older than it`;
      found.push({ org_seq: 0, fault: { expected: older, actual: untold, detail } });
    }
    return found;
  }
}

function differing<T extends string | boolean>(told: Told<T> | null, now: T, what: string): Unexplained[] {
  if (told === null || told.value === now) return [];
  const detail = `${what} is stored otherwise than the last line about it says`;
  return [{ org_seq: told.org_seq, fault: { expected: String(told.value), actual: String(now), detail } }];
}

const byRole = ({ id, role, since }: Standing['keys'][number]) => ({ id, value: role, since });
const byPublicKey = ({ id, person_id, public_key_pem, since }: Standing['passkeys'][number]) => ({
  id,
  value: ofMember(person_id, hashOf(public_key_pem)),
  since,
});

function ofMember(id: string, public_key_sha256: string): string {
  return `the one of ${id} with the public key ${public_key_sha256}`;
}

function hashOf(public_key_pem: string): string {
  try {
    return publicKeySha256(public_key_pem);
  } catch {
    return '(none)';
  }
}
