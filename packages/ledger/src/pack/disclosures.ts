/** What stands beside a receipt, as its link shows it: the list, and the bytes of what is disclosed. What is withheld is in no pack. */
import { Refusal } from '@rcpt/service/error.ts';
import { shownBytes, shownText } from '../disclosures/bytes.ts';
import { besideOf } from '../disclosures/list.ts';
import { loadDecided } from '../disclosures/read.ts';
import { readReceipt } from '../disclosures/receipts.ts';
import type { PackRow } from '../store/pack.ts';
import type { Judged } from './judge.ts';
import type { Packing } from './packing.ts';
import type { ZipEntry } from './zip.ts';

/** Only where something was decided, and the link is switched on. */
export async function* disclosureEntries(
  packing: Packing,
  row: PackRow,
  { verdict }: Judged,
  at: string,
): AsyncGenerator<ZipEntry> {
  const { ledger, organization, included, problems } = packing;
  const { payload } = verdict;
  if (!row.is_decided || !row.share.enabled || payload === null) return;
  const place = { organization_id: organization.id, org_seq: row.org_seq };
  const folder = `disclosures/${row.receipt_id}`;
  const disclosures = besideOf(payload, await loadDecided(ledger.db, place));
  included.decided++;
  yield { path: `${folder}/list.json`, at, content: `${JSON.stringify({ disclosures })}\n` };
  const receipt = readReceipt(payload);
  for (const [i, { path, state, disclosure }] of disclosures.entries()) {
    if (state !== 'disclosed') continue;
    try {
      const { bytes, name } = await packing.inTurn(async () => {
        await new Promise((lap) => setImmediate(lap));
        return disclosure === undefined
          ? shownBytes(ledger, place, receipt, path)
          : shownText(receipt, path, disclosure);
      });
      included.disclosed++;
      yield { path: `${folder}/${i}-${fileName(name)}`, at, content: bytes };
    } catch (error) {
      if (!(error instanceof Refusal) || packing.signal.aborted) throw error;
      problems.add(`${row.receipt_id} ${path}: what is disclosed could not be read: ${error.detail}`);
    }
  }
}

/** Made of a path that a client chose. */
function fileName(name: string): string {
  return name
    .replaceAll(/[^\w.-]/g, '-')
    .replaceAll('..', '.')
    .slice(0, 80);
}
