/**
 * What an activity chain tells of who may act, line by line, held against what the tables say: a key or a member that no line
 * explains was put there past the ledger.
 */
import type { Act } from '@rcpt/contract/activity.ts';
import type { Fault } from '@rcpt/proof/receipt.ts';
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

export class ToldByActivity {
  #name: Told<string> | null = null;
  #four_eyes: Told<boolean> | null = null;
  /** By id; a role of null: revoked or removed. */
  readonly #keys = new Map<string, Told<string | null>>();
  readonly #members = new Map<string, Told<string | null>>();
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
    }
  }

  differences(now: Standing): Unexplained[] {
    return [
      ...differing(this.#name, now.name, 'the name of the organization'),
      ...differing(this.#four_eyes, now.four_eyes, 'four eyes'),
      ...this.#unexplained('key', this.#keys, now.keys, this.#begun?.keys ?? 0),
      ...this.#unexplained('member', this.#members, now.members, this.#begun?.members ?? 0),
    ];
  }

  #unexplained(
    what: string,
    told: Map<string, Told<string | null>>,
    now: Standing['keys'],
    older: number,
  ): Unexplained[] {
    const found: Unexplained[] = [];
    const missing = new Map(told);
    let untold = 0;
    for (const { id, role, since } of now) {
      const known = told.get(id);
      missing.delete(id);
      if (known === undefined) {
        if (this.#begun !== null && since <= this.#begun.at) {
          untold++;
          continue;
        }
        const detail = `${what} ${id} is stored as ${role}, and no line says who brought it in`;
        found.push({ org_seq: null, fault: { expected: null, actual: role, detail } });
      } else if (known.value !== role) {
        const detail = `${what} ${id} is stored as ${role}; the last line about it says ${known.value ?? 'that it was withdrawn'}`;
        found.push({ org_seq: known.org_seq, fault: { expected: known.value, actual: role, detail } });
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
