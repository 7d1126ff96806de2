/** What stands beside a receipt, as its link lists it. Pure: also drawn by the threads that draw pages. */
import type { Beside } from '@rcpt/contract/ledger/disclosures.ts';
import type { JsonObject } from '@rcpt/proof/canonical.ts';
import { evidencePath, OUTPUT } from '@rcpt/proof/disclosures.ts';
import { sealedFilesOf } from '@rcpt/proof/sealed-files.ts';
import type { Decision } from '../store/disclosures.ts';

/** What is stored of it beside the receipt. */
export interface Decided {
  /** Paths of committed members. */
  committed: string[];
  decisions: Decision[];
  /** Of committed members that are disclosed: their disclosures, by path. */
  texts: Record<string, string>;
}

export const NOTHING_DECIDED: Decided = { committed: [], decisions: [], texts: {} };

/** In the order in which they were marked, then the output, then the evidence. Never throws, whatever the receipt holds. */
export function besideOf(receipt: object, { committed, decisions, texts }: Decided): Beside[] {
  const { output, evidence } = sealedFilesOf(receipt as JsonObject);
  const decided = new Map(decisions.map((decision) => [decision.path, decision]));
  const files = [
    ...(output ? [{ path: OUTPUT, file: output }] : []),
    ...evidence.map((file, i) => ({ path: evidencePath(i), file })),
  ];
  return [
    ...committed.map((path) => stated(path, decided.get(path), {}, texts[path])),
    ...files.map(({ path, file: { sha256, byte_size } }) =>
      stated(path, decided.get(path), { sha256, ...(byte_size !== null && { byte_size }) }, ''),
    ),
  ];
}

/** @param disclosure undefined: there is nothing to be shown; '': there are bytes */
function stated(
  path: string,
  decision: Decision | undefined,
  file: Pick<Beside, 'sha256' | 'byte_size'>,
  disclosure: string | undefined,
): Beside {
  if (decision?.erased_at)
    return { path, state: 'erased', ...file, erased_at: decision.erased_at, reason: decision.reason ?? '' };
  if (!decision?.disclosed || disclosure === undefined) return { path, state: 'withheld', ...file };
  return { path, state: 'disclosed', ...(disclosure !== '' && { disclosure }), ...file };
}
