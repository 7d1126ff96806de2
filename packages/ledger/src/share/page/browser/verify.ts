/**
 * Runs in the visitor's browser: downloads the receipt's bytes, hashes them with the code an auditor runs, and says what
 * it found. The server's own opinion is not asked.
 */
import { verifyReceipt } from '@rcpt/proof/receipt.ts';
import { type Comparable, offerComparison } from './compare.ts';
import { root, spot, write } from './dom.ts';

declare const location: { href: string };
declare const navigator: { clipboard?: { writeText(text: string): Promise<void> } };

/** `hash` is what this browser computed. */
type Finding = { tone: 'good' | 'bad' | 'neutral'; text: string; hash?: string | null; files: Comparable };

const NOT_CHECKED = { why_not: 'The receipt was not checked, so no file is compared with it. Load the page again.' };
const ANOTHER = { why_not: 'This page shows another receipt than its link leads to, so no file is compared with it.' };
const ALTERED = { why_not: 'The receipt itself does not verify, so no file is compared with it.' };

offerCopy();
const integrity = spot('#integrity');
say({ tone: 'neutral', text: 'Your browser is downloading the receipt and recomputing its hash.' });
integrity?.setAttribute('aria-busy', 'true');
const finding = await check();
say(finding);
integrity?.setAttribute('aria-busy', 'false');
await offerComparison(finding.files);

async function check(): Promise<Finding> {
  let bytes: Uint8Array;
  try {
    const answer = await fetch(root().dataset.download ?? '', { cache: 'no-store' });
    if (!answer.ok) {
      const text = `Not checked: the download was answered with ${answer.status}.`;
      return { tone: 'neutral', text, files: NOT_CHECKED };
    }
    bytes = new Uint8Array(await answer.arrayBuffer());
  } catch {
    return { tone: 'neutral', text: 'Not checked: the receipt could not be downloaded.', files: NOT_CHECKED };
  }
  write('#check', 'Checked in your browser just now');
  const { ok, fault, receipt_id, receipt_sha256, computed_sha256, payload } = verifyReceipt(bytes);
  const hash = computed_sha256;
  if (!ok) {
    const text = `This receipt does not hold: ${fault?.detail ?? 'no reason was given'}.`;
    return { tone: 'bad', text: hash === null ? text : `${text} Your browser computed`, hash, files: ALTERED };
  }
  if (receipt_id !== on('#receipt-id') || receipt_sha256 !== on('#receipt-sha256')) {
    const text = `This page shows another receipt than the one behind its link, which is ${receipt_id} with the hash`;
    return { tone: 'bad', text, hash, files: ANOTHER };
  }
  const size = bytes.length.toLocaleString('en');
  const text = `Unchanged since it was sealed. Your browser downloaded its ${size} bytes at ${time()} and computed the hash that this receipt states:`;
  return { tone: 'good', text, hash, files: { receipt: payload!, receipt_id: receipt_id!, receipt_sha256: hash! } };
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

function on(selector: string): string | null {
  return spot(selector)?.textContent ?? null;
}

function say({ tone, text, hash }: Omit<Finding, 'files'>): void {
  if (integrity) integrity.className = tone;
  write('#finding', text);
  write('#found', hash ?? '');
}
