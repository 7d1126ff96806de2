/** Receipts as dear to draw as a body of a megabyte makes them, and readers who ask for them from everywhere. */
import { mintedReceipt } from '../../../packages/ledger/test/kit/story.ts';
import type { Attack, Attacker } from './victim.ts';

/** More of them than are kept, so that some are drawn anew all the time. */
const RECEIPTS = 40;
const READERS = 24;

/** Public links, each to a receipt with these inputs. */
export async function shareEach(
  { tenant }: Attacker,
  inputsOf: (i: number) => Record<string, unknown>,
): Promise<string[]> {
  const links: string[] = [];
  for (let i = 0; i < RECEIPTS; i++) {
    const { share_url } = await mintedReceipt(tenant, 'generic', { inputs: { task: 'Fill the page', ...inputsOf(i) } });
    links.push(new URL(share_url).pathname);
  }
  return links;
}

/** Asks for each in turn, until the signal aborts; no two readers come from one address for long. */
export async function readAll(
  { call, signal, prepared: links }: Parameters<Attack>[0],
  forms: { form: string; accept: string }[],
): Promise<void> {
  let asked = 0;
  const read = async () => {
    while (!signal.aborted) {
      const i = asked++;
      const { form, accept } = forms[i % forms.length]!;
      const link = links[Math.floor(i / forms.length) % links.length];
      const from = `203.0.${(i >> 8) & 255}.${i & 255}`;
      await call('GET', `${link}${form}`, { headers: { accept, 'x-forwarded-for': from } });
    }
  };
  await Promise.all(Array.from({ length: READERS }, read));
}

/** The same words in every run. */
export function wordsOf(letters: string, marks: string): (seed: number, characters: number) => string {
  const [of_letters, of_marks] = [Array.from(letters), Array.from(marks)];
  return (seed, characters) => {
    let state = seed + 1;
    const next = (from: string[]) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return from[Math.floor((state / 2 ** 32) * from.length)] ?? '';
    };
    let text = '';
    while (text.length < characters) text += `${text.length % 7 === 0 ? ' ' : ''}${next(of_letters)}${next(of_marks)}`;
    return text.slice(0, characters);
  };
}
