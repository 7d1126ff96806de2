/** Runs on the ledger's wire: one shape per call of the seven stages (docs/spec.md §13). */
import { z } from 'zod';
import { MOST_PRIVATE } from '../lanes/private.ts';
import { Decision, EvidenceKind, LaneName, Outcome, Stage } from '../vocabulary.ts';
import { Instant, JsonObject, KnownObject, Line, PageSize, Prose, Sha256, text } from '../wire.ts';
import { AgentProfile, Approval, Check, Verdict } from '../work.ts';

export const NewRun = z
  .object({
    lane: LaneName,
    title: Line,
    /** Per lane; validated by the lane. */
    inputs: JsonObject,
    private: z
      .array(text(1_000))
      .max(MOST_PRIVATE)
      .optional()
      .describe(
        'JSON Pointers to what the receipt holds a salted digest of, in place of its words: `/title`, `/note` (of the approval) and members of `/inputs`, such as `/inputs/task`, as far as the lane seals them; 422 `private_refused` says why one cannot be. Later `PUT /receipts/{receipt_id}/disclosures` chooses what the link shows, and `POST /receipts/{receipt_id}/erasures` erases.',
      ),
    agent_profile_id: z
      .string()
      .regex(/^\w{1,100}$/, 'must be the id of an agent profile')
      .optional(),
  })
  .meta({
    examples: [
      { lane: 'generic', title: 'Summary of a visit', inputs: { task: 'Summarize the visit report', kind: 'agent' } },
    ],
  });
export type NewRun = z.infer<typeof NewRun>;

/** JSON form of an evidence upload; `multipart/form-data` carries the same members beside `file`. */
export const NewEvidence = z.object({
  kind: EvidenceKind,
  label: Line,
  /** Text; the server hashes its UTF-8 bytes. Without it `sha256` declares evidence that is kept elsewhere. */
  content: z.string().optional(),
  sha256: Sha256.optional(),
  content_type: z
    .string()
    .regex(/^[\w.+-]+\/[\w.+-]+(; ?[\w.+-]+=[\w.+-]+)*$/, 'must be a media type such as text/plain')
    .max(120)
    .optional(),
});
export type NewEvidence = z.infer<typeof NewEvidence>;

export const Evidence = z.object({
  id: z.string(),
  kind: EvidenceKind,
  label: z.string(),
  sha256: Sha256,
  byte_size: z.int().nonnegative(),
  content_type: z.string(),
  /** False: the bytes are not with us, only their hash. */
  stored: z.boolean(),
});
export type Evidence = z.infer<typeof Evidence>;

export const CheckDecision = z.object({ status: z.enum(['pass', 'flag']), detail: Prose.optional() });
export type CheckDecision = z.infer<typeof CheckDecision>;
export const ApprovalDecision = z.object({
  decision: Decision,
  note: Prose.optional(),
  assertion: z
    .unknown()
    .meta({ type: 'object' })
    .describe('What the passkey answered to the options of this approval, in WebAuthn’s JSON form')
    .optional() as unknown as z.ZodOptional<z.ZodType<object>>,
});
/** What a passkey is asked to sign; nothing is decided by it. */
export const ApprovalQuestion = z.object({ decision: Decision, note: Prose.optional() });
export type ApprovalDecision = z.infer<typeof ApprovalDecision>;
export type ApprovalQuestion = z.infer<typeof ApprovalQuestion>;
export const CheckList = z.object({ checks: z.array(Check) });

export const StageMark = z.object({ stage: Stage, at: Instant, by: z.string() });
export type StageMark = z.infer<typeof StageMark>;

export const Run = z.object({
  id: z.string(),
  organization_id: z.string(),
  lane: LaneName,
  title: z.string(),
  stage: Stage,
  stages: z.array(StageMark),
  inputs: KnownObject,
  private: z
    .array(z.string())
    .optional()
    .describe('JSON Pointers to what the receipt seals by a digest; absent where nothing is private'),
  agent_profile: AgentProfile,
  evidence: z.array(Evidence),
  execution: KnownObject.nullable(),
  checks: z.array(Check),
  verdict: Verdict.nullable(),
  approval: Approval.nullable(),
  receipt_id: z.string().nullable(),
  created_at: Instant,
  updated_at: Instant,
});
export type Run = z.infer<typeof Run>;

export const RunList = z.object({ runs: z.array(Run), next_after: z.string().nullable() });

export const RunQuery = z.object({
  lane: LaneName.optional(),
  stage: Stage.optional(),
  /** Of the verdict. */
  outcome: Outcome.optional(),
  /** Part of a title. */
  search: text(200).optional(),
  /** The id of the last Run of the page before. */
  after: z
    .string()
    .regex(/^run_[0-9a-f]{32}$/, 'must be the id of a Run')
    .optional(),
  limit: PageSize,
});
export type RunQuery = z.infer<typeof RunQuery>;
