/** What `text/event-stream` answers of the ledger carry: each event is `event: <name>` with one line of JSON in `data:`. */
import { z } from 'zod';

/**
 * `GET /events`, event `changed`: what changed in the organization since the last event, gathered for a fraction of a
 * second. After a reconnect anything may have changed.
 */
export const Changed = z.object({
  /** Runs that took a step, at most a hundred of them; null when there were more. */
  runs: z.array(z.string()).nullable(),
  /** A receipt was minted or a share switched. */
  receipts: z.boolean(),
  /** Keys, members, flight sheets, agent profiles or the organization itself. */
  settings: z.boolean(),
});
export type Changed = z.infer<typeof Changed>;

/** `GET /ledger/verify` as a stream: events `progress`, then one `report` (a `Verification`) or one `problem` (a `Problem`). */
export const VerifyProgress = z.object({
  receipts_checked: z.int(),
  /** How many there are to check, by the recorded head. */
  receipts: z.int(),
});
export type VerifyProgress = z.infer<typeof VerifyProgress>;
