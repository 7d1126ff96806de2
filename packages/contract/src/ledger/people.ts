/** People on the ledger's wire: sign-in by mailed link, sessions, and who belongs to an organization in which role. */
import { z } from 'zod';
import { PublicName } from '../public-name.ts';
import { Role } from '../vocabulary.ts';
import { Instant, text } from '../wire.ts';
import { Organization } from './tenancy.ts';

/** Compared in lower case: one mailbox is one person. */
export const EmailAddress = z.email().max(254).toLowerCase();

/** The answer is the same for every address: it does not tell who is a member. */
export const SignInRequest = z.object({ email: EmailAddress });
export const SignInAnswer = z.object({ sent: z.literal(true), expires_in_seconds: z.int() });

/**
 * `token`: from the fragment of the mailed link, good once. `replace`: also where another person is signed in; else that is
 * refused, with `signed_in_as` and `link_for`, and the link stays good.
 */
export const NewSession = z.object({ token: z.string().min(16).max(200), replace: z.boolean().optional() });

/** An organization to work in. Two may have the same name: the id and the inviter tell them apart. */
export const PlaceOfWork = z.object({
  id: z.string(),
  name: z.string(),
  role: Role,
  invited_by: z.string().optional().describe('Of a person: an e-mail address, a key’s label, or the operator'),
  invited_at: Instant.optional(),
  accepted_at: Instant.nullable()
    .optional()
    .describe('When the person chose to work there; null: never. Like the two before it, absent where a key asks'),
});
export type PlaceOfWork = z.infer<typeof PlaceOfWork>;

/** The holder of the credential of this call: a person with a session, or an API key. */
export const Session = z.object({
  kind: z.enum(['person', 'key']),
  /** `user_…` or `key_…`: what `stages[].by` names. */
  id: z.string(),
  name: z
    .string()
    .describe('For the organization’s own eyes: a public name, else the mailbox; a key’s label, else its id'),
  email: z.string().nullable().describe('The person’s mailbox, for themselves; null for a key. It is never sealed'),
  public_name: z
    .string()
    .nullable()
    .describe('What is sealed, in public, when this one approves or decides; null: a person has chosen none yet'),
  role: Role.nullable(),
  organization: Organization.nullable().describe(
    'Where the session works. Null: a person has to choose one of `organizations` first, and what needs one is refused with 409 `organization_not_chosen`',
  ),
  organizations: z.array(PlaceOfWork).describe('Every organization this person may work in; of a key its own'),
  /** When the session ends by itself; null for a key. */
  expires_at: Instant.nullable(),
});
export type Session = z.infer<typeof Session>;

/** Works in another of one's organizations from now on, or under another public name in all of them. */
export const SessionChange = z
  .object({ organization_id: text(100).optional(), public_name: PublicName.optional() })
  .refine(
    (change) => Object.values(change).some((value) => value !== undefined),
    'must hold organization_id or public_name',
  );
export type SessionChange = z.infer<typeof SessionChange>;

export const NewTeamMember = z.object({ email: EmailAddress, role: Role });
export const TeamMemberChange = z.object({ role: Role });
/** A person of the organization; invited until the first sign-in. */
export const TeamMember = z.object({
  id: z.string(),
  email: z.string(),
  public_name: z
    .string()
    .nullable()
    .describe('By which they stand in receipts; null until they have chosen it and signed in here'),
  role: Role,
  /** A person's e-mail address, or the label of the key that invited. */
  invited_by: z.string(),
  invited_at: Instant,
  joined_at: Instant.nullable(),
});
export type TeamMember = z.infer<typeof TeamMember>;
export const TeamMemberList = z.object({ members: z.array(TeamMember) });
