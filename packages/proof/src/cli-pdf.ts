/** A printed receipt on the command line: what is attached inside the PDF is verified, and nothing of what is drawn. */
import { open, stat } from 'node:fs/promises';
import { WrongUse } from './cli-arguments.ts';
import type { Source } from './cli-sources.ts';
import { ProofError } from './error.ts';
import { kindOf } from './given/kind.ts';
import { attachmentsOf, isPdf } from './given/pdf-attachments.ts';
import { parseVerifierKeys, type VerifierKey } from './log/verifier-key.ts';

export interface Attached {
  receipt: Source;
  proof: string | null;
  /** What the approver signed. */
  approval: Source | null;
  /** They came with it: they show no identity. */
  keys: VerifierKey[];
}

const LARGEST_BYTES = 256 * 1024 * 1024;

/** Null where the path is no PDF. Throws `WrongUse` where its attachments cannot be used. */
export async function attachedTo(path: string): Promise<Attached | null> {
  if (path === '-' || !(await stat(path)).isFile()) return null;
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(new Uint8Array(5), 0, 5, 0);
    if (!isPdf(buffer.subarray(0, bytesRead))) return null;
    if ((await handle.stat()).size > LARGEST_BYTES) throw new WrongUse(`${path} is too large for a printed receipt`);
    return await sorted(path, new Uint8Array(await handle.readFile()));
  } finally {
    await handle.close();
  }
}

async function sorted(path: string, pdf: Uint8Array): Promise<Attached> {
  const receipts: Uint8Array[] = [];
  const attached: Omit<Attached, 'receipt'> = { proof: null, approval: null, keys: [] };
  for (const file of await filesOf(path, pdf)) {
    const kind = kindOf(file);
    if (kind === 'receipts') receipts.push(file);
    else if (kind === 'approval') attached.approval = inMemory(`${path}, the approval attached to it`, file);
    else if (kind === 'proof') attached.proof = new TextDecoder().decode(file);
    else if (kind === 'keys') attached.keys.push(...parseVerifierKeys(new TextDecoder().decode(file)));
  }
  const [bytes, another] = receipts;
  if (bytes === undefined || another !== undefined)
    throw new WrongUse(`${path} has ${receipts.length} receipts attached, and one is verified: save the one you mean`);
  return { ...attached, receipt: inMemory(`${path}, the receipt attached to it`, bytes) };
}

function inMemory(name: string, bytes: Uint8Array): Source {
  const open = async function* () {
    yield bytes;
  };
  return { name, size: bytes.length, open };
}

async function filesOf(path: string, pdf: Uint8Array): Promise<Uint8Array[]> {
  try {
    return await attachmentsOf(pdf);
  } catch (error) {
    if (error instanceof ProofError) throw new WrongUse(`${path}: ${error.reason}`);
    throw error;
  }
}
