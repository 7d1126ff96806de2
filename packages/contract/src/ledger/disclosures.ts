/** What stands beside a receipt, on the wire (docs/spec.md §31, §32). */
import { z } from 'zod';
import { Instant, Line, Sha256, text } from '../wire.ts';

/** A JSON Pointer of what is private, `/output`, or `/evidence/0`. */
const Path = text(1_000);

export const DisclosureState = z.enum(['disclosed', 'withheld', 'erased']);
export type DisclosureState = z.infer<typeof DisclosureState>;

export const Beside = z.object({
  path: z.string(),
  state: DisclosureState,
  disclosure: z
    .string()
    .optional()
    .describe('Of a member that is disclosed: base64url of `[salt, name, value]` (RFC 9901)'),
  sha256: Sha256.optional().describe('Of the output and of evidence, as it is sealed'),
  byte_size: z.int().nonnegative().optional(),
  erased_at: Instant.optional(),
  reason: z.string().optional(),
});
export type Beside = z.infer<typeof Beside>;

export const DisclosureList = z.object({ disclosures: z.array(Beside) });
export type DisclosureList = z.infer<typeof DisclosureList>;

/** All that the link shows from now on; what is not named is withheld. */
export const DisclosureChange = z.object({ disclosed: z.array(Path).max(500) });
export type DisclosureChange = z.infer<typeof DisclosureChange>;

/** The reason is public: it never holds what is erased. */
export const NewErasure = z.object({ path: Path, reason: Line });
export type NewErasure = z.infer<typeof NewErasure>;
