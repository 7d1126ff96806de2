/** Where a command finds the ledger, what it presents there, and which keys it trusts: as they are typed. */
import { readFileSync } from 'node:fs';
import { WrongUse } from '@rcpt/proof/cli-arguments.ts';
import type { ProofError } from '@rcpt/proof/error.ts';
import { parseVerifierKey, type VerifierKey } from '@rcpt/proof/log/verifier-key.ts';

/** Throws `WrongUse`, as the others. */
export function addressOf(url: string | undefined): string {
  if (!url) throw new WrongUse('got no address and no RCPT_URL, takes the address of a ledger');
  if (/^https?:\/\/[^\s?#@\\]+$/.test(url) && URL.canParse(url)) return url.replace(/\/+$/, '');
  throw new WrongUse(`got ${JSON.stringify(url)}, takes an http:// or https:// address`);
}

/** Never in the words: those every account on the machine can read. */
export function apiKeyOf(file: string | undefined, key: string | undefined): string {
  const [name, text] = file === undefined ? ['RCPT_KEY', key] : ['--api-key-file', contentOf(file)];
  if (!text) throw new WrongUse(`${name}: got nothing, takes an API key of the organization (rk_…)`);
  if (!/^rk_[\x21-\x7e]+$/.test(text)) throw new WrongUse(`${name}: got (not shown), takes an API key (rk_…)`);
  return text;
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new WrongUse(`--api-key-file: ${(error as Error).message}`);
  }
}

export function keysOf(option: string, texts: string[] | undefined, type: VerifierKey['type']): VerifierKey[] {
  return (texts ?? []).map((text) => {
    try {
      const key = parseVerifierKey(text);
      if (key.type === type) return key;
    } catch (error) {
      throw new WrongUse(`${option}: got ${JSON.stringify(text)}: ${(error as ProofError).message}`);
    }
    throw new WrongUse(`${option}: got a key of another type, takes the key of a ${type === 1 ? 'log' : 'witness'}`);
  });
}
