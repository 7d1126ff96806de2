/**
 * Names that are sealed, in public and for ever: a person's public name, a key's label. A reader sees every character of
 * one, and takes it for nothing else.
 */
import { z } from 'zod';
import { shownText } from './shown.ts';

/** Also written with a full-width @: compatibility forms are taken for what they look like. */
const MAILBOX = /\S@\S|\S\s*@\s*\S+\.\S/;
/** What the ledger itself writes behind a name. */
const IMITATION = /\b(?:user|key)_|\(\s*(?:person|api\s*key)\s*\)/i;

const plain = (name: string) => name.normalize('NFKC');

/** One line of 1 to `most` characters, trimmed, NFC. */
export const sealedName = (most: number) =>
  z
    .string()
    .trim()
    .normalize('NFC')
    .min(1)
    .refine((name) => [...name].length <= most, `must be at most ${most} characters`)
    .refine((name) => shownText(name, 'line') === name, 'must be one line of visible characters, with single spaces')
    .refine(
      (name) => !MAILBOX.test(plain(name)),
      'must not hold an e-mail address: it is sealed in receipts, in public',
    )
    .refine(
      (name) => !IMITATION.test(plain(name)),
      'must not imitate an id or the words (person), (API key), which the ledger writes behind a name',
    )
    .meta({ maxLength: most });

/** By which a person stands in receipts. */
export const PublicName = sealedName(100);
/** By which a key stands in receipts. */
export const KeyLabel = sealedName(500);
