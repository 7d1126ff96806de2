/**
 * Regular expressions that sheets write and submissions are matched against: RE2 syntax, linear time, counted cost.
 * No look-around, no back-references; `\uXXXX` is accepted as ECMAScript writes it.
 */
import { RE2JS } from '@bufbuild/re2';
import type { Meter } from './meter.ts';

export const MAX_PATTERN_LENGTH = 1000;
const MAX_NESTING = 50;
/** RE2's own bound on a repetition, nested ones multiplied. */
const MAX_REPEAT = 1000;
/** Bytes of program × text per unit of cost. */
const STEPS_PER_UNIT = 256;
const KEPT = 200;

export interface Pattern {
  test(text: string): boolean;
}

/** Compiles once per pattern; what it charges does not depend on what was compiled before. */
export function patterns(meter: Meter): (source: string) => Pattern {
  const compiled = new Map<string, RE2JS>();
  return (source) => {
    const size = programSize(source);
    meter.charge(1 + Math.ceil(size / 16));
    let program = compiled.get(source);
    if (!program) {
      program = compilePattern(source);
      if (compiled.size < KEPT) compiled.set(source, program);
    }
    return {
      test(text) {
        meter.charge(1 + Math.ceil((size * text.length) / STEPS_PER_UNIT));
        return program.test(text);
      },
    };
  };
}

/** In what a compilation is counted in: each character is a class at worst, and is repeated. */
export function costOfCompiling(source: string): number {
  return 8 * source.length + programSize(source) / 4;
}

/** Throws an Error that says what is wrong with the pattern. */
export function compilePattern(source: string): RE2JS {
  if (source.length > MAX_PATTERN_LENGTH)
    throw new Error(`the pattern is longer than ${MAX_PATTERN_LENGTH} characters`);
  if (nesting(source) > MAX_NESTING) throw new Error(`the pattern nests deeper than ${MAX_NESTING}`);
  return RE2JS.compile(source.replace(/\\u([0-9a-fA-F]{4})/g, '\\x{$1}'));
}

/** An upper bound: every character repeated as often as all counted repetitions together allow. */
function programSize(source: string): number {
  if (source.length > MAX_PATTERN_LENGTH) return source.length;
  let repeats = 1;
  for (const [, least, most] of source.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) {
    repeats = Math.min(MAX_REPEAT, repeats * Math.max(1, Number(least), Number(most ?? 0)));
  }
  return (source.length + 1) * repeats;
}

function nesting(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (const char of source) {
    if (char === '(') deepest = Math.max(deepest, ++depth);
    if (char === ')') depth -= 1;
  }
  return deepest;
}
