/** A receipt's bytes as the ledger stores and serves them: never parsed and written again on their way. */
import { ask } from '@rcpt/contract/client/call.ts';
import { OWN } from '../../api/clients.ts';

/** Throws what `ask` throws. */
export async function bytesOf(receipt_id: string, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const response = await ask(OWN, `/receipts/${encodeURIComponent(receipt_id)}`, { cache: 'no-store', signal });
  return new Uint8Array(await response.arrayBuffer());
}

/** For people: what is no UTF-8 shows as U+FFFD, so it is never taken for what was stored. */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** The number in `RCPT-000042-9f86d081`; null in an id of another form. */
export function seqOf(receipt_id: string): number | null {
  const digits = /^RCPT-(\d{6,15})-[0-9a-f]{8}$/.exec(receipt_id)?.[1];
  return digits === undefined ? null : Number(digits);
}

export interface Stretch {
  text: string;
  /** `seal`: the member that is left out when the hash is computed. `parent`: the hash of the receipt before. */
  is: 'plain' | 'seal' | 'parent';
}

/** The text cut at the members of the envelope that make the chain. Where they stand more than once, none is named. */
export function stretchesOf(text: string): Stretch[] {
  const found = [...text.matchAll(/"(?<name>receipt_sha256|parent_hash)":"[0-9a-f]{64}",?/g)];
  const names = found.map((match) => match.groups!.name);
  if (new Set(names).size !== names.length) return [{ text, is: 'plain' }];
  const stretches: Stretch[] = [];
  let at = 0;
  for (const match of found) {
    stretches.push({ text: text.slice(at, match.index), is: 'plain' });
    stretches.push({ text: match[0], is: match.groups!.name === 'parent_hash' ? 'parent' : 'seal' });
    at = match.index + match[0].length;
  }
  return [...stretches, { text: text.slice(at), is: 'plain' }];
}
