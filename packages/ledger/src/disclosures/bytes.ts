/** What a link shows beside its receipt, in the bytes that the receipt is bound to; hashed as they are read, and never sent altered. */
import { Buffer } from 'node:buffer';
import type { JsonObject } from '@rcpt/proof/canonical.ts';
import { OUTPUT, sealedFileAt } from '@rcpt/proof/disclosures.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { Ledger } from '../ledger.ts';
import { refuse } from '../problems.ts';
import { fetchEvidence, hashOf } from '../runs/evidence.ts';
import { commitmentsOf, type Place } from '../store/disclosures.ts';
import { loadMarks } from '../store/runs.ts';
import { besideOf } from './list.ts';
import { outputOf } from './output.ts';
import { loadDecided } from './read.ts';
import type { ReadReceipt } from './receipts.ts';

export interface ShownBytes {
  bytes: Buffer;
  content_type: string;
  /** Of the file, behind the receipt's id. */
  name: string;
}

/** What a browser may be told of a file that anybody may have written; everything else is bytes. */
const SAFE_TYPES = new Set([
  'text/plain',
  'text/csv',
  'application/json',
  'application/pdf',
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
]);

/**
 * Throws `not_found` for what is not beside this receipt, `disclosure_withheld`, `disclosure_erased`, `evidence_altered`,
 * `storage_unavailable`.
 */
export async function shownBytes(
  ledger: Pick<Ledger, 'db' | 'storage' | 'config'>,
  place: Omit<Place, 'run_id'>,
  receipt: ReadReceipt,
  path: string,
): Promise<ShownBytes> {
  const { payload } = receipt;
  const { state, disclosure, erased_at, reason } = await stateOf(ledger, place, payload, path);
  if (state === 'erased')
    throw refuse('disclosure_erased', `It was erased at ${erased_at}, because: ${reason}`, { erased_at, reason });
  if (state === 'withheld')
    throw refuse(
      'disclosure_withheld',
      'The organization that shares this receipt does not show this. The receipt holds its hash.',
    );
  return disclosure === undefined
    ? file(ledger, place, payload, path, nameOf(path))
    : shownText(receipt, path, disclosure);
}

/** A committed member's disclosure, as it was listed. Throws `evidence_altered`. */
export function shownText({ check }: ReadReceipt, path: string, disclosure: string): ShownBytes {
  if (!check(path, disclosure).ok) throw altered(path);
  return {
    bytes: Buffer.from(disclosure, 'ascii'),
    content_type: 'text/plain; charset=utf-8',
    name: `${nameOf(path)}.disclosure.txt`,
  };
}

function nameOf(path: string): string {
  return path.slice(1).replaceAll(/[^\w.-]+/g, '-');
}

async function stateOf({ db }: Pick<Ledger, 'db'>, place: Omit<Place, 'run_id'>, payload: JsonObject, path: string) {
  const listed = besideOf(payload, await loadDecided(db, place, { texts: path })).find((item) => item.path === path);
  if (listed === undefined) throw new Refusal('not_found', 'There is no such thing beside this receipt.');
  return listed;
}

async function file(
  ledger: Pick<Ledger, 'db' | 'storage' | 'config'>,
  place: Omit<Place, 'run_id'>,
  payload: JsonObject,
  path: string,
  name: string,
): Promise<ShownBytes> {
  const { db } = ledger;
  const sealed = sealedFileAt(payload, path)!;
  const { run_id } = (await commitmentsOf(db, place))!;
  const run = await loadMarks(db, place.organization_id, run_id, 'lane', 'inputs', 'execution', 'evidence');
  if (path === OUTPUT) {
    const output = outputOf(run);
    if (output === null) throw new Refusal('not_found', 'It is not stored here any more.');
    if ((await hashOf(output.bytes)) !== sealed.sha256) throw altered(path);
    return { bytes: output.bytes, content_type: output.content_type, name: `${name}.${output.ending}` };
  }
  const item = run.evidence[Number(path.slice('/evidence/'.length))];
  if (item?.sha256 !== sealed.sha256) throw altered(path);
  const { bytes } = await fetchEvidence(ledger, run, item.id, 'refuse');
  const [type = ''] = item.content_type.split(';');
  return { bytes, content_type: SAFE_TYPES.has(type) ? item.content_type : 'application/octet-stream', name };
}

function altered(path: string): Refusal {
  return refuse('evidence_altered', `What is stored of ${path} is not what the receipt is bound to. It is not shown.`);
}
