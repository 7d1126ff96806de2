/** Drop a file on the page, or choose one: is it what this receipt seals? Hashed here, sent nowhere. */
import { shownLine } from '@rcpt/contract/shown.ts';
import type { JsonObject } from '@rcpt/proof/canonical.ts';
import type { FileHashes } from '@rcpt/proof/file-hashes.ts';
import { sealedFilesOf } from '@rcpt/proof/sealed-files.ts';
import { bytes, compare } from '@rcpt/proof/sealed-words.ts';
import { type Happening, made, type PickedFile, page, type Spot, spot, write } from './dom.ts';
import { type Hashing, startHashing } from './file-hashing.ts';

/** A receipt whose hash this browser has just recomputed; else why files cannot be compared with it. */
export type Comparable = { receipt: JsonObject; receipt_id: string; receipt_sha256: string } | { why_not: string };

/** A bar is drawn for what takes longer. */
const PATIENCE_MS = 300;
const LONGEST_NAME = 200;

export async function offerComparison(comparable: Comparable): Promise<void> {
  const zone = spot('#drop');
  if (!zone) return;
  if ('why_not' in comparable) return write('#compare-state', comparable.why_not);
  let hashing: Hashing;
  try {
    hashing = await startHashing();
  } catch {
    return write('#compare-state', 'This browser cannot hash files on a page. Compare by hand, as described below.');
  }
  const table = new Table(comparable, hashing);
  listen(zone, (files) => void table.lay(files));
  spot('#stop')?.addEventListener('click', () => hashing.stop());
  write('#compare-state', '');
  zone.hidden = false;
}

/** Wherever on the page a file is dropped: beside the zone, the browser would open it and leave the page. */
function listen(zone: Spot, take: (files: PickedFile[]) => void): void {
  const over = (is: boolean) => zone.setAttribute('class', is ? 'drop over' : 'drop');
  const bears = ({ dataTransfer }: Happening) => dataTransfer?.types.includes('Files') === true;
  page().addEventListener('dragover', (event) => {
    if (!bears(event)) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
    over(true);
  });
  page().addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) over(false);
  });
  page().addEventListener('drop', (event) => {
    if (!bears(event)) return;
    event.preventDefault();
    over(false);
    zone.scrollIntoView({ block: 'nearest' });
    take([...(event.dataTransfer?.files ?? [])]);
  });
  const input = spot('#file');
  input?.addEventListener('change', () => {
    const files = [...(input.files ?? [])];
    // So that the same file, changed meanwhile, can be chosen again.
    input.value = '';
    if (files.length > 0) take(files);
  });
}

/** Where files are laid beside the receipt, one after the other. */
class Table {
  readonly #comparable: Exclude<Comparable, { why_not: string }>;
  readonly #hashing: Hashing;
  readonly #answers = spot('#answers');

  constructor(comparable: Exclude<Comparable, { why_not: string }>, hashing: Hashing) {
    this.#comparable = comparable;
    this.#hashing = hashing;
  }

  async lay(files: PickedFile[]): Promise<void> {
    this.#answers?.replaceChildren();
    write('#compared-with', '');
    write('#compared-hash', '');
    for (const file of files) {
      const answer = await this.#answer(file);
      if (answer === null) return;
      this.#answers?.append(answer);
    }
    const { receipt_id, receipt_sha256 } = this.#comparable;
    write('#compared-with', `Compared with ${receipt_id}, whose hash this browser recomputed: `);
    write('#compared-hash', receipt_sha256);
  }

  async #answer(file: PickedFile): Promise<Spot | null> {
    const bar = spot('#progress');
    const reading = spot('#reading');
    write('#reading-name', `Hashing ${seen(file.name)}, ${bytes(file.size)}`);
    if (bar) bar.value = 0;
    const started = Date.now();
    try {
      const hashes = await this.#hashing.hash(file, (read) => {
        if (reading && Date.now() - started > PATIENCE_MS) reading.hidden = false;
        if (bar) bar.value = file.size === 0 ? 1 : read / file.size;
      });
      return hashes && this.#found(file.name, hashes);
    } catch {
      return laid('neutral', file.name, 'It could not be read. A folder cannot be compared: drop the file itself.');
    } finally {
      if (reading) reading.hidden = true;
    }
  }

  #found(name: string, hashes: FileHashes): Spot {
    const { output, evidence } = sealedFilesOf(this.#comparable.receipt);
    const { matched, sentences } = compare([...(output ? [output] : []), ...evidence], hashes);
    const hash = made('p', 'hash', hashes.sha256);
    if (matched.length === 0)
      return laid(
        'bad',
        name,
        'This file is not in this receipt.',
        ...sentences.map((hint) => made('p', '', hint)),
        hash,
      );
    const labels = matched.flatMap(({ sealed: { label } }) => (label === null ? [] : [label]));
    const pieces = labels.map((label) => made('p', 'piece', made('bdi', '', seen(label))));
    return laid('good', name, [...new Set(sentences)].join(' '), ...pieces, hash);
  }
}

function laid(tone: string, name: string, sentence: string, ...more: Spot[]): Spot {
  const file = made('strong', 'laid', made('bdi', '', seen(name)));
  return made('li', `answer ${tone}`, file, made('p', 'said', sentence), ...more);
}

/** A name or a label, as anybody may have written it. */
function seen(text: string): string {
  return shownLine(text, LONGEST_NAME);
}
