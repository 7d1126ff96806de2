/**
 * What a document may cost to draw. It is counted, not timed: the same receipt is the same document on every machine. A unit is
 * about a microsecond of a small core that has other things to do; nearly all of it is shaping, which each word costs once.
 */
import type { FontStack } from './fonts.ts';

/** In UTF-16 units. No text that the service accepts as prose is longer. */
const LONGEST_TEXT = 20_000;
/** Of all texts together: all that people write, and some forty pages. */
const ROOM = 160_000;
/** Each text may take so much when the room is used up: about a line. */
const SHORT = 800;

/** Of a text in a cell, a line that was sealed, a word that was shaped before, one that was not, and each character of that. */
const TEXT = 30;
const NEWLINE = 60;
const WORD = 4;
const NEW_WORD = 14;
const CHARACTER = 12;
/** Each code, however often: it is eight characters. A run of one unseen character has one; one that no face has, each its own. */
const CODE = 22;
const INVISIBLE = /([\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}])\1*/gu;
const LIKELY_WITHOUT_FACE = /[\u0900-\u109f\u1100-\u1dff\u2e80-\u{10ffff}]/gu;

/** A word without an end is shaped in parts, and a part can always be afforded. */
const PARTS = /\n| +|[^ \n]{1,32}/g;

export interface DrawingBudget {
  /** Spends what the beginning of a text costs for which there is room, and says how long it is. */
  take(text: string, stack: FontStack): number;
  /** Nothing is left but a line for each text. */
  readonly isSpent: boolean;
  /** Makes room for what stands in every document. */
  add(units: number): void;
}

export function createDrawingBudget(room = ROOM): DrawingBudget {
  let left = room;
  const shaped: Record<FontStack, Set<string>> = { text: new Set(), strong: new Set(), mono: new Set() };

  const priceOf = (part: string, stack: FontStack): number => {
    if (part === '\n') return NEWLINE;
    const codes = CODE * ((part.match(INVISIBLE)?.length ?? 0) + (part.match(LIKELY_WITHOUT_FACE)?.length ?? 0));
    if (shaped[stack].has(part)) return WORD + part.length + codes;
    shaped[stack].add(part);
    return NEW_WORD + CHARACTER * part.length + codes;
  };

  return {
    take(text, stack) {
      const affordable = Math.max(left, SHORT);
      let spent = TEXT;
      let length = 0;
      for (const [part] of text.slice(0, LONGEST_TEXT).matchAll(PARTS)) {
        const price = priceOf(part, stack);
        if (spent + price > affordable) break;
        spent += price;
        length += part.length;
      }
      left -= spent;
      return length;
    },
    get isSpent() {
      return left <= 0;
    },
    add(units) {
      left = Math.max(left, 0) + units;
    },
  };
}
