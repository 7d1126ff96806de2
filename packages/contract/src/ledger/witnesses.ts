/** An organization's witnesses on the ledger's wire. */
import { z } from 'zod';
import { Instant, Line, text } from '../wire.ts';

/** A prefix: what is called is `<url>/add-checkpoint`. */
const WITNESS_URL = /^https?:\/\/[^\s?#@\\]+$/;

export const NewWitness = z.object({
  url: text(500)
    .refine((url) => WITNESS_URL.test(url) && URL.canParse(url), 'must be an http:// or https:// address')
    .transform((url) => url.replace(/\/+$/, ''))
    .describe('Its submission prefix (C2SP tlog-witness), without credentials, query and fragment'),
  key: Line.describe('Its verifier key, which it prints: name+id+base64'),
});
export type NewWitness = z.infer<typeof NewWitness>;

/**
 * `cosigned`: the last checkpoint. `waiting`: it will be asked. `unreachable`: it does not answer. `refused`: it answers, but does not cosign
 * this log. `contradicted`: what it has cosigned before is not the beginning of what is stored here.
 */
export const WITNESS_STATES = ['cosigned', 'waiting', 'unreachable', 'refused', 'contradicted'] as const;
export const WitnessState = z.enum(WITNESS_STATES);
export type WitnessState = z.infer<typeof WitnessState>;

export const WitnessLog = z.object({
  log: z.enum(['receipts', 'activity']),
  state: WitnessState,
  /** Entries of the last checkpoint of this log; null: none was signed yet. */
  size: z.int().nullable(),
  cosigned_size: z.int().nullable(),
  /** The witness's word. */
  cosigned_at: Instant.nullable(),
  /** In plain words, where the state says that something is wrong. */
  reason: z.string().nullable(),
  /** Null: nothing is due. */
  next_attempt_at: Instant.nullable(),
});
export type WitnessLog = z.infer<typeof WitnessLog>;

export const Witness = z.object({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  key: z.string(),
  created_at: Instant,
  logs: z.array(WitnessLog),
});
export type Witness = z.infer<typeof Witness>;
export const WitnessList = z.object({ witnesses: z.array(Witness) });
