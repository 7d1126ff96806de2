/**
 * Runs in the visitor's browser: downloads the receipt's bytes, hashes them with the code an auditor runs, and says what
 * it found. The server's own opinion is not asked.
 */
import { verifyReceipt } from '@rcpt/proof/receipt.ts';

/** What is used of the browser; its whole type would put every browser global into the services. */
interface Spot {
  className: string;
  hidden: boolean;
  textContent: string | null;
  dataset: Record<string, string | undefined>;
  setAttribute(name: string, value: string): void;
  addEventListener(name: string, heard: () => void): void;
  querySelector(selector: string): Spot | null;
}
declare const document: Spot & { documentElement: Spot };
declare const location: { href: string };
declare const navigator: { clipboard?: { writeText(text: string): Promise<void> } };

/** `hash` is what this browser computed. */
type Finding = { tone: 'good' | 'bad' | 'neutral'; text: string; hash?: string | null };

offerCopy();
const integrity = document.querySelector('#integrity');
say({ tone: 'neutral', text: 'Your browser is downloading the receipt and recomputing its hash.' });
integrity?.setAttribute('aria-busy', 'true');
say(await check());
integrity?.setAttribute('aria-busy', 'false');

async function check(): Promise<Finding> {
  let bytes: Uint8Array;
  try {
    const answer = await fetch(document.documentElement.dataset.download ?? '', { cache: 'no-store' });
    if (!answer.ok) return { tone: 'neutral', text: `Not checked: the download was answered with ${answer.status}.` };
    bytes = new Uint8Array(await answer.arrayBuffer());
  } catch {
    return { tone: 'neutral', text: 'Not checked: the receipt could not be downloaded.' };
  }
  write('#check', 'Checked in your browser just now');
  const { ok, fault, receipt_id, receipt_sha256, computed_sha256 } = verifyReceipt(bytes);
  const hash = computed_sha256;
  if (!ok) {
    const text = `This receipt does not hold: ${fault?.detail ?? 'no reason was given'}.`;
    return { tone: 'bad', text: hash === null ? text : `${text} Your browser computed`, hash };
  }
  if (receipt_id !== on('#receipt-id') || receipt_sha256 !== on('#receipt-sha256')) {
    const text = `This page shows another receipt than the one behind its link, which is ${receipt_id} with the hash`;
    return { tone: 'bad', text, hash };
  }
  const size = bytes.length.toLocaleString('en');
  const text = `Unchanged since it was sealed. Your browser downloaded its ${size} bytes at ${time()} and computed the hash that this receipt states:`;
  return { tone: 'good', text, hash };
}

/** By the visitor's own clock. */
function time(): string {
  return new Date().toLocaleTimeString('en-GB');
}

/** Without a clipboard, as on pages that came over plain HTTP, the address bar has the link. */
function offerCopy(): void {
  const button = document.querySelector('#copy');
  if (!button || !navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard?.writeText(location.href);
    button.textContent = 'Copied';
  });
}

function on(selector: string): string | null {
  return document.querySelector(selector)?.textContent ?? null;
}

function say({ tone, text, hash }: Finding): void {
  if (integrity) integrity.className = tone;
  write('#finding', text);
  write('#found', hash ?? '');
}

function write(selector: string, text: string): void {
  const spot = document.querySelector(selector);
  if (spot) spot.textContent = text;
}
