/** The receipts on paper. All packs together draw one at a time: of the threads that draw, one at least is left to readers. */
import { setTimeout as wait } from 'node:timers/promises';
import { Refusal } from '@rcpt/service/error.ts';
import type { PackRow } from '../store/pack.ts';
import { createTurns } from '../turns/turns.ts';
import type { Judged } from './judge.ts';
import type { Packing } from './packing.ts';
import type { ZipEntry } from './zip.ts';

const DRAWING = createTurns({ at_once: 1, each: 1, waiting_each: 1, waiting: 64, what: 'PDFs of packs' });
/** Readers of links come first: where too many wait, the pack waits and asks again. */
const BUSY = ['rate_limited', 'overloaded'];
const ASKED_AGAIN = 20;
const PAUSE_MS = 500;

export async function* pdfEntry(
  packing: Packing,
  row: PackRow,
  { bytes }: Judged,
  at: string,
): AsyncGenerator<ZipEntry> {
  const giveBack = await DRAWING.take(packing.organization.id, packing.signal);
  let content: Uint8Array;
  try {
    content = await drawn(packing, row, bytes);
  } catch (error) {
    if (!(error instanceof Refusal) || packing.signal.aborted) throw error;
    packing.problems.add(`${row.receipt_id}: there is no PDF of it: ${error.detail}`);
    return;
  } finally {
    giveBack();
  }
  packing.included.pdfs++;
  yield { path: `pdf/${row.receipt_id}.pdf`, at, content };
}

async function drawn({ ledger, organization, signal }: Packing, row: PackRow, bytes: Buffer): Promise<Uint8Array> {
  const asked = {
    organization_id: organization.id,
    org_seq: row.org_seq,
    bytes: bytes.toString('utf8'),
    share_url: `${ledger.base_url}/share/${row.share_token}`,
  };
  for (let left = ASKED_AGAIN; ; left--) {
    try {
      return (await ledger.printer.pdf(asked)).file;
    } catch (error) {
      if (!(error instanceof Refusal) || !BUSY.includes(error.code) || left === 0) throw error;
    }
    await wait(PAUSE_MS, undefined, { signal });
  }
}
