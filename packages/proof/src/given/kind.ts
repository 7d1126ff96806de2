/** What a file is that somebody brings along, told by its content: names are anybody's. */
import { parseApproval } from '../approval/approval.ts';
import { ProofError } from '../error.ts';
import { parseConsistency } from '../log/consistency-file.ts';
import { parsePolicy } from '../log/policy.ts';
import { parseVerifierKeys } from '../log/verifier-key.ts';
import { isPdf } from './pdf-attachments.ts';

/** `receipts`: what none of the others is; one receipt, or an export. */
export type GivenKind = 'pdf' | 'approval' | 'proof' | 'checkpoint' | 'keys' | 'policy' | 'consistency' | 'receipts';

/** Nothing but receipts is longer. */
export const LARGEST_TEXT_BYTES = 1024 * 1024;

/** @param bytes the whole file, or its first megabyte where it is longer */
export function kindOf(bytes: Uint8Array): GivenKind {
  if (isPdf(bytes)) return 'pdf';
  if (bytes.length > LARGEST_TEXT_BYTES) return 'receipts';
  const text = new TextDecoder().decode(bytes);
  if (text.startsWith('c2sp.org/tlog-proof@')) return 'proof';
  if (text.includes('"authenticator_data"') && reads(() => parseApproval(text))) return 'approval';
  if (/^\s*\{/.test(text) || text.trim() === '') return 'receipts';
  // A note that is no checkpoint is said to be none.
  if (/\n\n\u2014 /.test(text)) return 'checkpoint';
  if (reads(() => parseVerifierKeys(text))) return 'keys';
  if (reads(() => parseConsistency(text))) return 'consistency';
  return reads(() => parsePolicy(text)) ? 'policy' : 'receipts';
}

function reads(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch (error) {
    if (error instanceof ProofError) return false;
    throw error;
  }
}
