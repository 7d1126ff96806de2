/**
 * Runs in the visitor's browser: downloads the receipt's bytes, its proof and the keys beside it, and gives the four answers with the code an
 * auditor runs. The server's own opinion is not asked.
 */
import { ANSWER_TITLES, type Answer, type Answers, fails, notShown } from '@rcpt/proof/answers/answer.ts';
import { answersOfReceipt } from '@rcpt/proof/answers/receipt.ts';
import { parseVerifierKeys, type VerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { type ReceiptVerdict, verifyReceipt } from '@rcpt/proof/receipt.ts';
import { type Comparable, offerComparison } from './compare.ts';
import { root, spot, write } from './dom.ts';
import { cosignedBy } from './witnesses.ts';

declare const location: { href: string };
declare const navigator: { clipboard?: { writeText(text: string): Promise<void> } };

const NOT_CHECKED = { why_not: 'The receipt was not checked, so no file is compared with it. Load the page again.' };
const ANOTHER = { why_not: 'This page shows another receipt than its link leads to, so no file is compared with it.' };
const ALTERED = { why_not: 'The receipt itself does not verify, so no file is compared with it.' };
const TONES = { holds: 'good', fails: 'bad', not_shown: 'neutral' };

offerCopy();
offerConsent();
for (const [name] of ANSWER_TITLES) spot(`#${name}`)?.setAttribute('aria-busy', 'true');
const files = await check();
for (const [name] of ANSWER_TITLES) spot(`#${name}`)?.setAttribute('aria-busy', 'false');
offerComparison(files);
// Loaded where there is something to check.
if (spot('#beside')?.dataset.check) await (await import('./beside.ts')).showBeside(files);

/** Says what was found; what files may be compared with. */
async function check(): Promise<Comparable> {
  const receipt = await loaded('download');
  if (!(receipt instanceof Uint8Array)) {
    say('integrity', notShown('altered', `Not checked: ${receipt}.`));
    return NOT_CHECKED;
  }
  const [proof, keys, witnesses] = await Promise.all([loaded('proof'), loaded('key'), loaded('witnesses')]);
  write('#check', 'Checked in your browser just now');
  const text = proof instanceof Uint8Array ? new TextDecoder().decode(proof) : null;
  const answers = await answersOfReceipt(receipt, text, { beside: [...keysIn(keys), ...keysIn(witnesses)] });
  if (typeof proof === 'string') answers.inclusion_and_completeness.advice = `No proof came with this page: ${proof}.`;
  if (text !== null && typeof witnesses !== 'string')
    write('#time .cosigned', await cosignedBy(text, keysIn(witnesses)));
  const verdict = verifyReceipt(receipt);
  const is_shown = isShown(verdict);
  sayAll(is_shown || !verdict.ok ? answers : { ...answers, integrity: another(verdict) });
  const size = receipt.length.toLocaleString('en');
  write(
    '#integrity .found',
    `${size} bytes, downloaded at ${time()}, have the SHA-256 ${verdict.computed_sha256 ?? 'of no receipt'}`,
  );
  if (!verdict.ok) return ALTERED;
  const { payload, receipt_id, receipt_sha256 } = verdict;
  return is_shown ? { receipt: payload!, receipt_id: receipt_id!, receipt_sha256: receipt_sha256! } : ANOTHER;
}

/** Its bytes, or why they did not come. */
async function loaded(what: 'download' | 'proof' | 'key' | 'witnesses'): Promise<Uint8Array | string> {
  try {
    const answer = await fetch(root().dataset[what] ?? '', { cache: 'no-store' });
    return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : `the ${what} was answered with ${answer.status}`;
  } catch {
    return `the ${what} could not be loaded`;
  }
}

function keysIn(loaded: Uint8Array | string): VerifierKey[] {
  try {
    return typeof loaded === 'string' ? [] : parseVerifierKeys(new TextDecoder().decode(loaded));
  } catch {
    return [];
  }
}

function isShown({ receipt_id, receipt_sha256 }: ReceiptVerdict): boolean {
  return receipt_id === spot('#receipt-id')?.textContent && receipt_sha256 === spot('#receipt-sha256')?.textContent;
}

function another({ receipt_id }: ReceiptVerdict): Answer {
  return fails('altered', `This page shows another receipt than the one behind its link, which is ${receipt_id}.`);
}

/** By the visitor's own clock. */
function time(): string {
  return new Date().toLocaleTimeString('en-GB');
}

/** Without a clipboard, as on pages that came over plain HTTP, the address bar has the link. */
function offerCopy(): void {
  const button = spot('#copy');
  if (!button || !navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard?.writeText(location.href);
    button.textContent = 'Copied';
  });
}

/** What checks a signature is loaded when it is asked for: most receipts have none. */
function offerConsent(): void {
  const button = spot('#check-consent');
  if (!button) return;
  button.hidden = false;
  button.addEventListener('click', () => {
    button.hidden = true;
    void import('./approval.ts');
  });
}

function sayAll(answers: Answers): void {
  for (const [name] of ANSWER_TITLES) say(name, answers[name]);
}

function say(name: (typeof ANSWER_TITLES)[number][0], { state, text, advice }: Answer): void {
  const found = spot(`#${name}`);
  if (found) found.className = TONES[state];
  write(`#${name} .finding`, text);
  write(`#${name} .advice`, advice);
}
