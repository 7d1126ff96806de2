/**
 * A person's own passkeys in one organization: asked for, enrolled, renamed, removed. Enrolment and removal are recorded in the organization's
 * activity (docs/spec.md §27) in their own transaction, so that no key signs there which that chain does not name.
 */
import { createHash } from 'node:crypto';
import type { CreationOptions, NewPasskey, Passkey } from '@rcpt/contract/ledger/passkeys.ts';
import type { Db, Queries } from '@rcpt/service/db/db.ts';
import { newId, newSecret } from '@rcpt/service/ids.ts';
import { changes } from '../changes/transaction.ts';
import { named } from '../people/members.ts';
import type { Principal } from '../people/principal.ts';
import { type SignedIn, worksNowhere } from '../people/sessions.ts';
import { refuse } from '../problems.ts';
import {
  findChallenge,
  insertChallenge,
  insertPasskey,
  listPasskeys,
  markPasskeyRemoved,
  renamePasskey,
  type StoredPasskey,
  useChallenge,
} from '../store/passkeys.ts';
import { loadMember } from '../store/people.ts';
import { loadOrganization } from '../store/tenancy.ts';
import { ALGORITHM_IDS, readAttestation } from './attestation.ts';
import { clientChallenge } from './client-data.ts';
import { recordPasskey } from './record.ts';
import { relyingPartyAt } from './relying-party.ts';

/** What is asked of a browser counts for so long. */
export const CHALLENGE_SECONDS = 300;
const TO_ENROL = { run_id: '', approved_at: '', note_sha256: '' };

export interface Passkeys {
  db: Db;
  /** What the relying party follows from. */
  base_url: string;
  now(): string;
}

export function endOfChallenge(at: string): string {
  return new Date(Date.parse(at) + CHALLENGE_SECONDS * 1_000).toISOString();
}

/** Throws `organization_not_chosen`, `no_organization`. */
export function placeOf(person: SignedIn): Principal {
  if (person.principal === null) throw worksNowhere(person);
  return person.principal;
}

/** What a browser is asked to make. Throws `passkey_address`, `rate_limited`, and as `placeOf`. */
export async function askToEnrol({ db, base_url, now }: Passkeys, person: SignedIn): Promise<CreationOptions> {
  const { organization_id, id } = placeOf(person);
  const party = relyingPartyAt(base_url);
  const [{ name }, enrolled] = await Promise.all([
    loadOrganization(db, organization_id),
    listPasskeys(db, organization_id, id),
  ]);
  const challenge = newSecret();
  const { session_id } = person;
  await insertChallenge(db, organization_id, { session_id, challenge, ...TO_ENROL }, endOfChallenge(now()));
  return {
    challenge,
    rp: { id: party.id, name: 'Receipt Ledger' },
    user: {
      id: userHandle(organization_id, id),
      name: `${person.email} · ${name}`,
      displayName: person.public_name ?? person.email,
    },
    pubKeyCredParams: ALGORITHM_IDS.map((alg) => ({ type: 'public-key' as const, alg })),
    timeout: CHALLENGE_SECONDS * 1_000,
    excludeCredentials: enrolled.map(asCredential),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
  };
}

export function asCredential({ credential_id, transports }: StoredPasskey) {
  return { id: credential_id, type: 'public-key' as const, transports };
}

/** An authenticator keeps one passkey per handle: of each organization one, whoever enrols there again replaces it. */
function userHandle(organization_id: string, person_id: string): string {
  return createHash('sha256').update(`${organization_id}\n${person_id}`).digest('base64url');
}

/** Throws `passkey_invalid`, `passkey_address`, `passkey_limit`, `passkey_exists`, and as `placeOf`. */
export async function enrolPasskey(
  { db, base_url, now }: Passkeys,
  person: SignedIn,
  answer: NewPasskey,
): Promise<Passkey> {
  const { organization_id, id: person_id } = placeOf(person);
  const party = relyingPartyAt(base_url);
  const at = now();
  const asked = {
    session_id: person.session_id,
    run_id: '',
    challenge: clientChallenge(answer.response.clientDataJSON),
  };
  if ((await findChallenge(db, organization_id, asked, at)) === null) throw notAsked();
  const key = await readAttestation(answer, { ...party, challenge: asked.challenge });
  const passkey: StoredPasskey = {
    ...key,
    id: newId('passkey'),
    person_id,
    transports: answer.response.transports ?? [],
    name: answer.name ?? `Passkey of ${at.slice(0, 10)}`,
    created_at: at,
    last_used_at: null,
  };
  await db.transaction(async (tx) => {
    if (!(await useChallenge(tx, organization_id, asked, at))) throw notAsked();
    await insertPasskey(tx, organization_id, passkey);
    changes(tx, organization_id, { settings: true });
    const who = await memberIn(tx, organization_id, person_id);
    await recordPasskey(tx, organization_id, 'passkey_enrolled', who, passkey, at);
  });
  return shown(passkey);
}

export async function ownPasskeys(db: Queries, person: SignedIn): Promise<{ passkeys: Passkey[] }> {
  const { organization_id, id } = placeOf(person);
  return { passkeys: (await listPasskeys(db, organization_id, id)).map(shown) };
}

/** The name is the person's own; the activity keeps the first. Throws `not_found`. */
export async function changePasskey({ db }: Passkeys, person: SignedIn, id: string, name: string): Promise<Passkey> {
  const { organization_id, id: person_id } = placeOf(person);
  return db.transaction(async (tx) => shown(await renamePasskey(tx, organization_id, person_id, id, name)));
}

/** What it signed stays signed. Throws `not_found`. */
export async function removePasskey({ db, now }: Passkeys, person: SignedIn, id: string): Promise<Passkey> {
  const { organization_id, id: person_id } = placeOf(person);
  const at = now();
  return db.transaction(async (tx) => {
    const removed = await markPasskeyRemoved(tx, organization_id, person_id, id, at);
    changes(tx, organization_id, { settings: true });
    const who = await memberIn(tx, organization_id, person_id);
    await recordPasskey(tx, organization_id, 'passkey_removed', who, removed, at);
    return shown(removed);
  });
}

async function memberIn(tx: Queries, organization_id: string, person_id: string) {
  const member = named(await loadMember(tx, organization_id, person_id));
  return { by: member, member };
}

function notAsked() {
  return refuse(
    'passkey_invalid',
    'The passkey was not enrolled: it answers nothing that this session was asked in the last five minutes. Begin again.',
  );
}

function shown({ id, credential_id, name, algorithm, created_at, last_used_at }: StoredPasskey): Passkey {
  return { id, credential_id, name, algorithm, created_at, last_used_at };
}
