/** What stands beside the receipt: fetched, and held against the receipt that this browser has just verified. */
import { shownLine } from '@rcpt/contract/shown.ts';
import type { Json, JsonObject } from '@rcpt/proof/canonical.ts';
import { type BesideState, besideInWords, type Checked } from '@rcpt/proof/disclosure-words.ts';
import { checkDisclosure, sealedFileAt } from '@rcpt/proof/disclosures.ts';
import type { Comparable } from './compare.ts';
import { made, type PickedFile, root, type Spot, spot, write } from './dom.ts';
import { type Hashing, startHashing } from './file-hashing.ts';

interface Listed extends BesideState {
  disclosure?: string;
  byte_size?: number;
}

/** As the page lists them. */
const MOST = 60;
const LONGEST_VALUE = 4_000;
/** A larger file is fetched when its reader asks for it. */
const FETCHED_BYTES = 1_048_576;

export async function showBeside(comparable: Comparable): Promise<void> {
  const list = spot('#beside');
  if (!list || 'why_not' in comparable) return;
  const base = (root().dataset.download ?? '').replace(/download$/, 'disclosures');
  let listed: Listed[];
  try {
    const answer = await fetch(base, { cache: 'no-store' });
    if (!answer.ok) throw new Error();
    ({ disclosures: listed } = (await answer.json()) as { disclosures: Listed[] });
  } catch {
    return write('#beside-state', 'Not checked: the list could not be read. Load the page again.');
  }
  list.replaceChildren();
  let hashing: Hashing | undefined;
  for (const item of listed.slice(0, MOST)) {
    const row = new Row(item, `${base}${encodeURI(item.path)}`);
    list.append(row.spot);
    if (item.state !== 'disclosed') continue;
    if (item.disclosure !== undefined) row.disclosed(comparable.receipt, item.disclosure);
    else {
      hashing ??= await startHashing().catch(() => undefined);
      if ((item.byte_size ?? 0) <= FETCHED_BYTES) await row.fetched(comparable.receipt, hashing);
      else row.offer(() => row.fetched(comparable.receipt, hashing));
    }
  }
  write('#beside-state', 'Checked in your browser, by bytes that it hashed itself.');
}

function worded(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

class Row {
  readonly spot: Spot;
  readonly #item: Listed;
  readonly #url: string;
  readonly #said = made('p', 'said');
  readonly #more = made('div', '');

  constructor(item: Listed, url: string) {
    this.#item = item;
    this.#url = url;
    const path = made('strong', 'laid', made('bdi', '', shownLine(item.path, 200)));
    this.spot = made('li', 'answer neutral', path, this.#said, this.#more);
    if (item.state === 'disclosed') {
      const link = made('a', '', 'Download it');
      link.setAttribute('href', url);
      this.#more.append(made('p', '', link));
    }
    this.#say(null);
  }

  disclosed(receipt: JsonObject, text: string): void {
    const found = checkDisclosure(receipt, this.#item.path, text);
    this.#say(found);
    if (found.ok)
      this.#more.replaceChildren(made('p', 'piece', made('bdi', '', shownLine(worded(found.value), LONGEST_VALUE))));
  }

  async fetched(receipt: JsonObject, hashing: Hashing | undefined): Promise<void> {
    const sealed = sealedFileAt(receipt, this.#item.path);
    try {
      const answer = await fetch(this.#url, { cache: 'no-store' });
      const hashes =
        answer.ok && hashing && (await hashing.hash((await answer.blob()) as unknown as PickedFile, () => {}));
      if (!hashes) return this.#say({ ok: false, fault: answer.status === 409 ? 'bytes_differ' : 'not_read' });
      this.#say(hashes.sha256 === sealed?.sha256 ? { ok: true } : { ok: false, fault: 'bytes_differ' });
    } catch {
      this.#say({ ok: false, fault: 'not_read' });
    }
  }

  offer(check: () => Promise<void>): void {
    const button = made('button', 'button', 'Check it');
    button.setAttribute('type', 'button');
    button.addEventListener('click', () => {
      button.hidden = true;
      void check();
    });
    this.#more.append(button);
  }

  #say(checked: Checked): void {
    const { tone, said } = besideInWords(this.#item, checked, (at) => at.replace('T', ' ').replace('Z', ' UTC'));
    this.spot.setAttribute('class', `answer ${tone}`);
    this.#said.textContent = shownLine(said, 1_000);
  }
}
