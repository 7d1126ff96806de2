/** The output as it is stored with a Run, in the bytes that the receipt seals by their hash. */
import { outputText } from '@rcpt/contract/lanes/output.ts';
import { LANES } from '@rcpt/contract/lanes/registry.ts';
import type { Json } from '@rcpt/contract/wire.ts';
import { canonicalize } from '@rcpt/proof/canonical.ts';
import type { Run } from '../runs/run.ts';

export interface Output {
  bytes: Buffer;
  content_type: string;
  /** For the name of a file. */
  ending: 'txt' | 'json';
}

/** Null where none is stored. */
export function outputOf(run: Pick<Run, 'lane' | 'inputs' | 'execution'>): Output | null {
  const at = LANES[run.lane].output;
  const value = at && (run[at.in]?.[at.member] as Json | undefined);
  if (at === undefined || value === undefined || value === null) return null;
  const text = at.hashed_as === 'json' ? canonicalize(value) : outputText(value);
  const is_text = at.hashed_as === 'value' && typeof value === 'string';
  return {
    bytes: Buffer.from(text, 'utf8'),
    content_type: is_text ? 'text/plain; charset=utf-8' : 'application/json',
    ending: is_text ? 'txt' : 'json',
  };
}
