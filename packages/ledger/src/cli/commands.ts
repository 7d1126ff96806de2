/**
 * `./rcpt migrate`, `org …`, `key …` and `member …`: what each takes, and what it does on the ledger's database. All words
 * are read before a database is opened.
 */
import { EmailAddress } from '@rcpt/contract/ledger/people.ts';
import { RouterAddress } from '@rcpt/contract/ledger/router.ts';
import { KeyLabel } from '@rcpt/contract/public-name.ts';
import { Role } from '@rcpt/contract/vocabulary.ts';
import { Line } from '@rcpt/contract/wire.ts';
import { WrongUse } from '@rcpt/proof/cli-arguments.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { migrate } from '@rcpt/service/db/migrate.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { now, secretSha256 } from '@rcpt/service/ids.ts';
import type { z } from 'zod';
import { OPERATOR_ACTS } from '../activity/actor.ts';
import type { Config } from '../config.ts';
import { openLogKeys } from '../log/keys.ts';
import { openMasterKey } from '../log/master-key.ts';
import { MIGRATIONS } from '../migrations.ts';
import { issueKey, revokeKey } from '../people/keys.ts';
import { addMember, OPERATOR, recordMember, removeMember } from '../people/members.ts';
import { changeStorageLimit, foundOrganization } from '../people/organizations.ts';
import type { People } from '../people/people.ts';
import { linkByOperator } from '../people/sign-in.ts';
import { connectRouter } from '../router/connect.ts';
import { findMemberByEmail } from '../store/people.ts';
import { readStorage } from '../store/storage.ts';
import { loadOrganization } from '../store/tenancy.ts';
import { hostOf, takeInChains } from './take-in.ts';

export const OPTIONS = {
  name: { type: 'string' },
  'four-eyes': { type: 'boolean' },
  org: { type: 'string' },
  url: { type: 'string' },
  none: { type: 'boolean' },
  bytes: { type: 'string' },
  default: { type: 'boolean' },
  role: { type: 'string' },
  label: { type: 'string' },
  email: { type: 'string' },
  'base-url': { type: 'string' },
} as const;

type Option = keyof typeof OPTIONS;
export type Given = { [Name in Option]?: (typeof OPTIONS)[Name]['type'] extends 'boolean' ? boolean : string } & {
  /** The word behind the command. */
  subject?: string | undefined;
  /** The ledger's own settings, for what is not given. */
  settings: Config;
};

/** Printed as JSON with --json, else as `name: value` lines. */
export type Answer = Record<string, unknown>;

export interface Command {
  words: string;
  /** What stands behind the words. */
  takes: string;
  does: string;
  options: readonly Option[];
  subject?: true;
  /** It begins where there is no database yet. */
  begins?: true;
  /** Throws `WrongUse`. */
  read(given: Given): (db: Db) => Promise<Answer>;
}

export const COMMANDS: readonly Command[] = [
  {
    words: 'migrate',
    takes: '',
    does: "bring the database's schema up to date: the ledger's, and the router's where ROUTER_DATABASE_URL names it",
    options: [],
    begins: true,
    read:
      ({ settings }) =>
      async (db) => ({ applied: await migrate(db, MIGRATIONS), taken_in: await takeInChains(db, settings) }),
  },
  {
    words: 'org create',
    takes: '--name NAME [--four-eyes]',
    does: 'create an organization and its first owner key; --four-eyes: who executed a Run can neither decide its checks nor approve it',
    options: ['name', 'four-eyes'],
    begins: true,
    read(given) {
      const name = lineOf('--name', given.name);
      return (db) =>
        db.transaction(async (tx) => ({
          ...(await foundOrganization(tx, { name, four_eyes: given['four-eyes'] ?? false }, now())),
        }));
    },
  },
  {
    words: 'org router',
    takes: '--org ORG --url URL|--none',
    does: 'connect an organization with its compute router, or with none',
    options: ['org', 'url', 'none'],
    read(given) {
      const org = orgOf(given);
      if ((given.url === undefined) === !given.none)
        throw new WrongUse('takes --url URL to connect a router, or --none to connect none');
      const url = given.none ? null : taken('--url', RouterAddress.safeParse(given.url), given.url);
      return async (db) => ({ ...(await connectRouter(db, org, url, now())) });
    },
  },
  {
    words: 'org storage',
    takes: '--org ORG --bytes BYTES|--default',
    does: 'let an organization store so many bytes, 0 for without end, or as many as LEDGER_ORGANIZATION_STORAGE_BYTES says',
    options: ['org', 'bytes', 'default'],
    read(given) {
      const org = orgOf(given);
      if ((given.bytes === undefined) === !given.default)
        throw new WrongUse('takes --bytes BYTES, or --default for what the ledger gives every organization');
      const bytes = given.bytes === undefined ? null : bytesOf(given.bytes);
      return (db) =>
        db.transaction(async (tx) => {
          await changeStorageLimit(tx, org, bytes, now());
          return { ...(await readStorage(tx, org, given.settings.organization_storage_bytes)) };
        });
    },
  },
  {
    words: 'key create',
    takes: '--org ORG --role ROLE [--label LABEL]',
    does: 'create an API key; ROLE is agent, approver, auditor or owner; LABEL is sealed, in public, with what the key approves',
    options: ['org', 'role', 'label'],
    read(given) {
      const org = orgOf(given);
      const role = roleOf(given);
      const label = labelOf(given);
      return (db) =>
        db.transaction(async (tx) => {
          await loadOrganization(tx, org);
          const { id, ...key } = await issueKey(tx, org, OPERATOR_ACTS, { role, label }, now());
          return { key_id: id, id, ...key };
        });
    },
  },
  {
    words: 'key revoke',
    takes: 'KEY',
    does: 'revoke an API key, named by its id (key_…) or itself (rk_…)',
    options: [],
    subject: true,
    read({ subject }) {
      if (subject === undefined) throw new WrongUse('got no KEY, takes its id (key_…) or itself (rk_…)');
      return async (db) => ({ ...(await revoke(db, subject)) });
    },
  },
  {
    words: 'key rotate',
    takes: '--org ORG',
    does: 'make the next key that signs the checkpoints of an organization; the one before it signs it, and signs on beside it',
    options: ['org'],
    read(given) {
      const org = orgOf(given);
      return async (db) => {
        await loadOrganization(db, org);
        const keys = openLogKeys(db, openMasterKey(given.settings), () => hostOf(given.settings), now);
        return { organization_id: org, ...(await keys.rotate(org, OPERATOR_ACTS)) };
      };
    },
  },
  {
    words: 'member add',
    takes: '--org ORG --email EMAIL --role ROLE',
    does: 'let a person sign in; nothing is mailed',
    options: ['org', 'email', 'role'],
    read(given) {
      const org = orgOf(given);
      const asked = { email: emailOf(given), role: roleOf(given) };
      return (db) =>
        db.transaction(async (tx) => {
          await loadOrganization(tx, org);
          const at = now();
          const member = await addMember(tx, org, asked, OPERATOR, at);
          await recordMember(tx, org, OPERATOR_ACTS, 'member_added', member, at);
          return { ...member };
        });
    },
  },
  {
    words: 'member remove',
    takes: '--org ORG --email EMAIL',
    does: "end that; the person's sessions are refused within five seconds",
    options: ['org', 'email'],
    read(given) {
      const org = orgOf(given);
      const email = emailOf(given);
      return async (db) => {
        const { id } = await memberOf(db, org, email);
        return { ...(await removeMember(peopleOf(db), org, OPERATOR_ACTS, id)) };
      };
    },
  },
  {
    words: 'member link',
    takes: '--org ORG --email EMAIL [--base-url URL]',
    does: 'print a link that signs a member in, once, within 15 minutes; it starts with --base-url, else with LEDGER_BASE_URL',
    options: ['org', 'email', 'base-url'],
    read(given) {
      const org = orgOf(given);
      const email = emailOf(given);
      const { base_url } = given.settings;
      if (base_url === undefined)
        throw new WrongUse(
          'got no --base-url and no LEDGER_BASE_URL, takes the address people open, e.g. http://127.0.0.1:8080',
        );
      return async (db) => {
        const member = await memberOf(db, org, email);
        return { sign_in_url: await linkByOperator(db, base_url, member.id, now()) };
      };
    },
  },
];

function orgOf({ org }: Given): string {
  if (org === undefined) throw new WrongUse('--org: got nothing, takes the id of an organization (org_…)');
  return org;
}

function bytesOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new WrongUse(`--bytes: got ${JSON.stringify(text)}, takes a number of bytes`);
  return Number(text);
}

function roleOf({ role }: Given): Role {
  return taken('--role', Role.safeParse(role), role, `one of ${Role.options.join(', ')}`);
}

/** It is sealed in receipts: the same rule as over HTTP. */
function labelOf({ label }: Given): string {
  if (label === undefined) return '';
  const takes = 'one line of 1 to 500 visible characters, with no e-mail address and no id in it';
  return taken('--label', KeyLabel.safeParse(label), label, takes);
}

function emailOf({ email }: Given): string {
  return taken('--email', EmailAddress.safeParse(email), email, 'an e-mail address');
}

/** It is printed on receipts: the same rule as over HTTP. */
function lineOf(option: string, text: string | undefined): string {
  return taken(option, Line.safeParse(text), text, 'one line of 1 to 500 readable characters');
}

function taken<T>(option: string, parsed: z.ZodSafeParseResult<T>, got: string | undefined, takes?: string): T {
  if (parsed.success) return parsed.data;
  const what = takes ?? parsed.error.issues[0]!.message.replace(/^must be /, '');
  throw new WrongUse(`${option}: got ${got === undefined ? 'nothing' : JSON.stringify(got)}, takes ${what}`);
}

/** @param key its id, or the key itself, for one that was found in the open */
async function revoke(db: Db, key: string) {
  const row = await db.get<{ organization_id: string; id: string }>(
    'select organization_id, id from api_keys where id = $1 or secret_sha256 = $2',
    [key, secretSha256(key)],
  );
  if (row === undefined) throw new Refusal('not_found', 'There is no such key; name it by its id (key_…) or as rk_….');
  return revokeKey(peopleOf(db), row.organization_id, OPERATOR_ACTS, row.id);
}

/** A command has no cache; the running processes are told at its end. */
function peopleOf(db: Db): People {
  return { db, credentials: { invalidate: async () => {} }, now };
}

async function memberOf(db: Db, org: string, email: string) {
  await loadOrganization(db, org);
  const known = await findMemberByEmail(db, org, email);
  if (known === undefined)
    throw new Refusal('not_found', `${email} is no member of this organization; ./rcpt member add makes one.`);
  return known;
}
