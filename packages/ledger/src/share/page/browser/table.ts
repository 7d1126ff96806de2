/** Files that are compared with what this receipt seals: hashed here, sent nowhere. Loaded with the first of them. */
import { shownLine } from '@rcpt/contract/shown.ts';
import type { JsonObject } from '@rcpt/proof/canonical.ts';
import type { FileHashes } from '@rcpt/proof/file-hashes.ts';
import { sealedFilesOf } from '@rcpt/proof/sealed-files.ts';
import { bytes, compare } from '@rcpt/proof/sealed-words.ts';
import { made, type PickedFile, type Spot, spot, write } from './dom.ts';
import { type Hashing, startHashing } from './file-hashing.ts';

/** A receipt whose hash this browser has just recomputed. */
export interface Verified {
  receipt: JsonObject;
  receipt_id: string;
  receipt_sha256: string;
}

/** A bar is drawn for what takes longer. */
const PATIENCE_MS = 300;
const LONGEST_NAME = 200;

/** Rejects where this browser cannot hash files. */
export async function setTable(verified: Verified): Promise<Table> {
  return new Table(verified, await startHashing());
}

/** Where files are laid beside the receipt, one after the other. */
export class Table {
  readonly #comparable: Verified;
  readonly #hashing: Hashing;
  readonly #answers = spot('#answers');

  constructor(comparable: Verified, hashing: Hashing) {
    this.#comparable = comparable;
    this.#hashing = hashing;
    spot('#stop')?.addEventListener('click', () => hashing.stop());
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
