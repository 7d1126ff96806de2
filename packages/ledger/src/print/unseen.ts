/**
 * Characters that draw nothing or re-order what stands around them: controls, soft hyphen, zero width, bidi marks and
 * overrides, fillers, private use, surrogates, tags. On a receipt they must show.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

export function isUnseen(character: string): boolean {
  return UNSEEN.test(character);
}

/** `U+202E`. */
export function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
