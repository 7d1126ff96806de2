/** Each receipt of a period as it is stored, and beside it what shows its place, its approval and how it reads on paper. */
import { includes } from '@rcpt/proof/log/merkle.ts';
import { formatProofFile } from '@rcpt/proof/log/proof-file.ts';
import { type PackRow, packRows } from '../store/pack.ts';
import { type Anchor, reasonOf } from './anchors.ts';
import { approvalEntries } from './approvals.ts';
import { disclosureEntries } from './disclosures.ts';
import { type Judged, judge } from './judge.ts';
import { inPages, type Packing } from './packing.ts';
import { pdfEntry } from './pdfs.ts';
import type { ZipEntry } from './zip.ts';

interface Files {
  row: PackRow;
  judged: Judged;
  at: string;
  entries: ZipEntry[];
}

export async function* receiptEntries(packing: Packing): AsyncGenerator<ZipEntry> {
  const { included, problems, with_pdfs } = packing;
  const pages = inPages(packing, async (place) => {
    if (place.payload !== null) return filesOf(packing, place);
    included.missing++;
    problems.add(`Receipt ${place.org_seq} is missing: it was deleted from the ledger. Its number is still counted.`);
    return null;
  });
  for await (const page of pages)
    for (const files of page) {
      if (files === null) continue;
      yield* files.entries;
      yield* disclosureEntries(packing, files.row, files.judged, files.at);
      if (with_pdfs) yield* pdfEntry(packing, files.row, files.judged, files.at);
    }
}

async function filesOf(packing: Packing, row: PackRow): Promise<Files> {
  const { included, problems, anchors, period } = packing;
  const judged = await judge(packing, row);
  const at = dateOf(judged) ?? period.taken_at;
  const entries: ZipEntry[] = [{ path: `receipts/${row.receipt_id}.json`, at, content: judged.bytes }];
  included.receipts++;
  if (judged.fault !== null) {
    problems.add(`${row.receipt_id}: ${judged.fault.text}. The file in receipts/ is what is stored.`);
  }
  const proof = await proofOf(packing, row, anchors.end ?? anchors.newest);
  if (proof !== null) {
    included.proofs++;
    entries.push({ path: `proofs/${row.receipt_id}.tlog-proof`, at, content: proof });
  }
  entries.push(...approvalEntries(packing, row, at));
  return { row, judged, at, entries };
}

/** Of what was minted at this place, also where something else is stored there now. Null: told as a problem. */
async function proofOf(
  { tree, problems, anchors }: Packing,
  { org_seq: index, receipt_id }: PackRow,
  anchor: Anchor | null,
): Promise<string | null> {
  // What is not signed has been told of.
  if (tree === null || anchor === null || index >= Math.min(anchor.size, anchors.signed!.size)) return null;
  const { size, root, checkpoint } = anchor;
  try {
    const hashes = await tree.proof(index, size);
    if (includes({ index, size, leaf: await tree.leaf(index), root }, hashes))
      return formatProofFile({ index, hashes, checkpoint });
    problems.add(`${receipt_id}: no proof of its place: the stored tree is not the one that was signed.`);
  } catch (error) {
    problems.add(`${receipt_id}: no proof of its place: ${reasonOf(error)}`);
  }
  return null;
}

/** The receipts right before and right after the period: that they are outside of it shows that the list is not short at its ends. */
export async function* neighbourEntries(packing: Packing): AsyncGenerator<ZipEntry> {
  const { ledger, organization, period, anchors } = packing;
  const { from, before } = period;
  for (const [org_seq, name] of [
    [from - 1, 'before'],
    [before, 'after'],
  ] as const) {
    const [row] =
      org_seq < 0 ? [] : await packRows(ledger.db, organization.id, { from: org_seq, before: org_seq + 1, limit: 1 });
    if (row === undefined) continue;
    const judged = await judge(packing, row);
    const at = dateOf(judged) ?? period.taken_at;
    const path = `neighbours/${name}-${row.receipt_id}`;
    if (judged.fault !== null) packing.problems.add(`${path}: ${judged.fault.text}.`);
    yield { path: `${path}.json`, at, content: judged.bytes };
    const proof = await proofOf(packing, row, name === 'before' ? (anchors.end ?? anchors.newest) : anchors.newest);
    if (proof !== null) yield { path: `${path}.tlog-proof`, at, content: proof };
  }
}

function dateOf({ verdict }: Judged): string | null {
  const created_at = verdict.payload?.created_at;
  return typeof created_at === 'string' && !Number.isNaN(Date.parse(created_at)) ? created_at : null;
}
