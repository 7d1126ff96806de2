/** What is disclosed beside the receipt: fetched, and held against the receipt that this browser has just verified. */
import { shownLine } from '@rcpt/contract/shown.ts';
import type { JsonObject } from '@rcpt/proof/canonical.ts';
import { type BesideState, besideInWords, type Checked } from '@rcpt/proof/disclosure-words.ts';
import { checkDisclosure, sealedFileAt } from '@rcpt/proof/disclosures.ts';
import type { Comparable } from './compare.ts';
import { made, type PickedFile, root, spot, write } from './dom.ts';
import { startHashing } from './file-hashing.ts';

interface Listed extends BesideState {
  disclosure?: string;
  byte_size?: number;
}

/** As the page lists them. */
const MOST = 60;
const LONGEST_VALUE = 4_000;
const LONGEST_TITLE = 300;
/** A larger file is left to its reader: to be downloaded, and compared. */
const FETCHED_BYTES = 4_194_304;

const base = (root().dataset.download ?? '').replace(/download$/, 'disclosures');
const load = (url: string) => fetch(url, { cache: 'no-store' });

export async function showBeside(comparable: Comparable): Promise<void> {
  const list = spot('#beside');
  if (!list || 'why_not' in comparable) return;
  try {
    const { disclosures } = (await (await load(base)).json()) as { disclosures: Listed[] };
    list.replaceChildren();
    for (const item of disclosures.slice(0, MOST)) list.append(await row(item, comparable.receipt));
    write('#beside-state', 'Checked in your browser, by bytes that it hashed itself.');
  } catch {
    write('#beside-state', 'Not checked: the list could not be read. Load the page again.');
  }
}

async function row(item: Listed, receipt: JsonObject) {
  const { path, state, disclosure } = item;
  const url = base + encodeURI(path);
  const more = made('p', 'piece');
  let checked: Checked = null;
  if (disclosure !== undefined) {
    const found = checkDisclosure(receipt, path, disclosure);
    checked = found;
    const { value } = found;
    if (found.ok && typeof value === 'string' && spot('#private-title')?.dataset.path === path)
      write('#private-title', shownLine(value, LONGEST_TITLE));
    if (found.ok) more.append(shownLine(typeof value === 'string' ? value : JSON.stringify(value), LONGEST_VALUE));
  } else if (state === 'disclosed') {
    checked =
      (item.byte_size ?? 0) > FETCHED_BYTES ? null : await fileChecked(url, sealedFileAt(receipt, path)?.sha256);
    const link = made('a', '', 'Download it');
    link.setAttribute('href', url);
    more.append(link);
  }
  const { tone, said } = besideInWords(item, checked, (at) => at);
  const name = made('strong', 'laid', made('bdi', '', shownLine(path, 200)));
  return made(
    'li',
    `answer ${tone}`,
    name,
    made('p', 'said', shownLine(said, 1_000)),
    ...(state === 'disclosed' ? [more] : []),
  );
}

async function fileChecked(url: string, sha256: string | undefined): Promise<Checked> {
  try {
    const answer = await load(url);
    if (!answer.ok) return { ok: false, fault: 'not_read' };
    const hashes = await (await startHashing()).hash((await answer.blob()) as unknown as PickedFile, () => {});
    return hashes?.sha256 === sha256 ? { ok: true } : { ok: false, fault: 'bytes_differ' };
  } catch {
    return { ok: false, fault: 'not_read' };
  }
}
