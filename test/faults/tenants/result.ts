/** What an attack did to the victim, and whether that is harm. */
import assert from 'node:assert/strict';
import { percentile } from '../../bench/src/numbers.ts';
import { KINDS, type Kind, type Sample } from './pace.ts';

const RATIO = 5;
/** What is quicker counts as this: the noise of an idle machine is no harm. */
const FLOOR_MS = 3;
/**
 * In a test run, a wait below this is no harm whatever its ratio: a machine that has other work made 200 ms of 30. The attacks
 * that these tests repeat made others wait for 11 to 408 seconds. `TEST_RATIOS=1` judges by the ratio alone, for a quiet machine.
 */
const HARM_MS = process.env.TEST_RATIOS === '1' ? 0 : 1_000;

export interface Result {
  kinds: Record<Kind, { undisturbed: Figures; attacked: Figures; ratio: number }>;
  /** What the victim was answered that it should not have been, undisturbed or attacked: `mint 503` → how often. */
  refused: Record<string, number>;
  /** Status → how often. */
  attacker: Record<string, number>;
  /** Whether the victim was served as before, in time, once the attack had ended. */
  recovered: boolean;
}

interface Figures {
  samples: number;
  p50: number;
  p99: number;
}

export function resultOf(
  undisturbed: Sample[],
  attacked: Sample[],
  rest: Pick<Result, 'attacker' | 'recovered'>,
): Result {
  const refused = [...undisturbed, ...attacked].filter(({ served }) => !served);
  return {
    kinds: Object.fromEntries(KINDS.map((kind) => [kind, comparison(kind, undisturbed, attacked)])) as Result['kinds'],
    refused: countOf(refused.map(({ kind, status }) => `${kind} ${status || 'without an answer'}`)),
    ...rest,
  };
}

/** As quickly as all but the slowest hundredth were. */
export function isServedAsBefore({ kind, ms, served }: Sample, undisturbed: Sample[]): boolean {
  return served && ms <= Math.max(figures(kind, undisturbed).p99, FLOOR_MS);
}

/** Fails with the whole table. */
export function assertUnharmed(result: Result): void {
  const harm = [...slowness(result), ...failures(result)];
  assert.ok(harm.length === 0, `${harm.join('; ')}\n${tableOf(result)}`);
}

function slowness({ kinds }: Result): string[] {
  return KINDS.filter((kind) => kinds[kind].ratio > RATIO && kinds[kind].attacked.p99 > HARM_MS).map(
    (kind) => `${kind} took more than ${RATIO} times as long`,
  );
}

function failures(result: Result): string[] {
  const errors = Object.keys(result.attacker).filter((status) => Number(status) >= 500);
  return [
    ...Object.entries(result.refused).map(([what, times]) => `the victim's ${what}, ${times} times`),
    ...errors.map((status) => `the attacker was answered ${status}, ${result.attacker[status]} times`),
    ...(result.recovered ? [] : ['the victim was not served as before when the attack had ended']),
  ];
}

/** What a machine that has other work may have done as well: waiting, and what follows from it, 429 to who waits in line. */
export function mayBeNoise(result: Result): boolean {
  const answers = [...Object.keys(result.attacker), ...Object.keys(result.refused).map((what) => what.split(' ')[1])];
  return isHarm(result) && answers.every((status) => !(Number(status) >= 500));
}

/** The attempt that harmed least, judged by its worst kind: an attempt counts whole. */
export function lesser(one: Result, other: Result): Result {
  const worst = ({ kinds }: Result) => Math.max(...KINDS.map((kind) => kinds[kind].ratio));
  if (!mayBeNoise(other)) return other;
  const [of_one, of_other] = [failures(one).length, failures(other).length];
  return of_other < of_one || (of_other === of_one && worst(other) < worst(one)) ? other : one;
}

function isHarm(result: Result): boolean {
  return slowness(result).length + failures(result).length > 0;
}

export function tableOf({ kinds, attacker }: Result): string {
  const line = (cells: string[]) => cells.map((cell, i) => (i === 0 ? cell.padEnd(14) : cell.padStart(16))).join('');
  const both = ({ p50, p99 }: Figures) => `${p50.toFixed(1)} / ${p99.toFixed(1)}`;
  return [
    line(['ms, p50 / p99', 'undisturbed', 'attacked', 'ratio of p99', 'samples']),
    ...KINDS.map((kind) => {
      const { undisturbed, attacked, ratio } = kinds[kind];
      return line([
        kind,
        both(undisturbed),
        both(attacked),
        ratio.toFixed(1),
        `${undisturbed.samples}, ${attacked.samples}`,
      ]);
    }),
    `The attacker was answered ${JSON.stringify(attacker)}`,
  ].join('\n');
}

function comparison(kind: Kind, undisturbed: Sample[], attacked: Sample[]): Result['kinds'][Kind] {
  const [before, during] = [figures(kind, undisturbed), figures(kind, attacked)];
  return { undisturbed: before, attacked: during, ratio: during.p99 / Math.max(before.p99, FLOOR_MS) };
}

function figures(kind: Kind, samples: Sample[]): Figures {
  const ms = samples.filter((sample) => sample.kind === kind).map((sample) => sample.ms);
  return { samples: ms.length, p50: percentile(ms, 0.5), p99: percentile(ms, 0.99) };
}

function countOf(words: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
