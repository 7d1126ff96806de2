/**
 * The activity chain's receipts (docs/spec.md §27): the envelope of every receipt and one block, `activity`. It holds ids and names as
 * they were, and never a mailbox, a secret or a token.
 */
import { z } from 'zod';
import { ACTIVITY_KINDS, type ActivityKind } from './activity-kinds.ts';
import { Role } from './vocabulary.ts';
import { Instant, inDigits, Line, PageSize, Sha256, text } from './wire.ts';

export const ACTIVITY_SCHEMA = 'service.activity-receipt/v1';

const Id = text(200);
const Words = text(2_000);
/** Somebody or something by id, and by the name it had. */
const Named = z.strictObject({ id: Id, name: Words });
const Switched = z.strictObject({ before: z.boolean(), after: z.boolean() });
const Head = z.strictObject({ org_seq: z.int().nonnegative(), receipt_sha256: Sha256 });
const Key = z.strictObject({ key: Named, role: Role });
/** A member who has not signed in yet, or has no public name, is named by the id. */
const Member = z.strictObject({ member: Named, role: Role });
/** By the credential's id, as WebAuthn writes it, and the SHA-256 of the public key's DER. */
const Passkey = z.strictObject({
  member: Named,
  passkey: z.strictObject({ id: text(1_364), name: Words }),
  public_key_sha256: Sha256,
});
const Witness = z.strictObject({ name: Words, url: Words, key: Words });

/** What each kind tells. A kind's members are never changed; what has to tell more is a new kind. */
export const ACTIVITY_DETAILS = {
  /** Before the first act of an organization that is older than its activity chain: what stood then. */
  activity_begun: z.strictObject({
    organization_created_at: Instant,
    four_eyes: z.boolean(),
    keys: z.int(),
    members: z.int(),
  }),
  organization_created: z.strictObject({ four_eyes: z.boolean() }),
  organization_renamed: z.strictObject({ before: Line, after: Line }),
  four_eyes_switched: Switched,
  passkey_approvals_changed: z.strictObject({ before: Words, after: Words }),
  /** Bytes; 0 is without end, null what the ledger gives every organization. */
  storage_limit_changed: z.strictObject({
    before: z.int().nonnegative().nullable(),
    after: z.int().nonnegative().nullable(),
  }),
  router_connected: z.strictObject({ before: Words.nullable(), after: Words.nullable() }),
  /** Asked of the router; its own receipts say what became of it. */
  router_called: z.strictObject({ call: Words, id: Id.nullable() }),
  key_issued: Key,
  key_revoked: Key,
  member_added: Member,
  member_joined: Member,
  member_role_changed: z.strictObject({ member: Named, before: Role, after: Role }),
  member_removed: Member,
  invitation_sent: Member,
  public_name_changed: z.strictObject({ before: Words.nullable(), after: Words }),
  sign_in_link_made: z.strictObject({ member: Named }),
  passkey_enrolled: Passkey,
  passkey_removed: Passkey,
  agent_profile_described: z.strictObject({ agent_profile: Named }),
  flight_sheet_published: z.strictObject({
    flight_sheet: z.strictObject({ name: Words, version: Words, sha256: Sha256 }),
  }),
  share_switched: z.strictObject({ receipt_id: Id, before: z.boolean(), after: z.boolean() }),
  disclosures_changed: z.strictObject({
    receipt_id: Id,
    before: z.array(Words).max(500),
    after: z.array(Words).max(500),
  }),
  erased: z.strictObject({ receipt_id: Id, path: Words, reason: Words }),
  witness_added: Witness,
  witness_removed: Witness,
  /** Verifier keys, as signed notes write them. */
  log_key_created: z.strictObject({ key: Words }),
  /** With the note that both keys signed; lines from before it was recorded have none. */
  log_key_rotated: z.strictObject({ before: Words, after: Words, succession: text(4_000).optional() }),
  export_taken: z.strictObject({ chain: z.enum(['receipts', 'activity']), head: Head.nullable() }),
  pack_taken: z.strictObject({ from: Words, to: Words }),
} as const satisfies Record<ActivityKind, z.ZodType>;

/** `user_…`, `key_…`, `operator` for the service's admin token and the command line, `ledger` for the service itself. */
export const Actor = Named;
export type Actor = z.infer<typeof Actor>;

/** One act, as a story names it. */
export type Act = {
  [Kind in ActivityKind]: { by: Actor; kind: Kind; details: z.infer<(typeof ACTIVITY_DETAILS)[Kind]> };
}[ActivityKind];

const [first, ...others] = Object.entries(ACTIVITY_DETAILS).map(([kind, details]) =>
  z.strictObject({ kind: z.literal(kind as ActivityKind), by: Actor, details }),
);
export const ActivityBlock = z.discriminatedUnion('kind', [first!, ...others]) as unknown as z.ZodType<Act>;

export const ActivityReceipt = z.strictObject({
  schema: z.literal(ACTIVITY_SCHEMA),
  receipt_id: z.string().regex(/^ACT-\d{6,}$/),
  org_seq: z.int().nonnegative(),
  parent_hash: Sha256,
  created_at: Instant,
  organization: z.strictObject({ id: Id, name: Line }),
  activity: ActivityBlock,
  /** No link shows it. */
  share_url: z.literal(''),
  receipt_sha256: Sha256,
});
export type ActivityReceipt = z.infer<typeof ActivityReceipt>;

const Seq = z.int().min(-1).max(Number.MAX_SAFE_INTEGER);

export const ActivityQuery = z.object({
  order: z.enum(['oldest', 'newest']).default('oldest').describe('Which come first'),
  after_seq: inDigits(Seq.optional()).describe('`next_after_seq` of the page before'),
  before_seq: inDigits(Seq.optional()).describe('`next_before_seq` of the page before, newest first'),
  kind: z
    .enum(Object.keys(ACTIVITY_KINDS) as [ActivityKind, ...ActivityKind[]])
    .optional()
    .describe('Acts of this kind alone'),
  by: Id.optional().describe('Acts of this person or key alone, by id; `operator`, `ledger`'),
  limit: PageSize,
});
export type ActivityQuery = z.infer<typeof ActivityQuery>;

/** Of the two that lead on, the one of the order that was asked for; null: nothing follows. */
export const ActivityPage = z.object({
  receipts: z.array(ActivityReceipt),
  next_after_seq: z.int().nullable(),
  next_before_seq: z.int().nullable(),
});
export type ActivityPage = z.infer<typeof ActivityPage>;
