/** The cook lane: a fine-tune, its score before and after, and what the compute cost at the server's prices. */
import { z } from 'zod';
import { inJson } from '../members.ts';
import { compare, costOfSeconds, decimal, formatUsd, round, subtract, toNumber } from '../money.ts';
import type { GpuPrice } from '../prices.ts';
import { exact } from '../shown.ts';
import { type Json, JsonObject, Line } from '../wire.ts';
import { LANE_WORDS } from '../words.ts';
import type { Work } from '../work.ts';
import { agent, declaredAgent, Measure, Name, notify } from './body.ts';
import { timeClaims } from './claims.ts';
import { evidenceAttached, evidenceBytesKnown, evidenceDistinct } from './evidence-rules.ts';
import type { Lane } from './lane.ts';
import { printedModel } from './model-pin.ts';
import { PinnedModel } from './pinned-model.ts';
import * as print from './printed.ts';
import { decide, flag, type LaneRule, pass, plural, quote, skip } from './rule.ts';

const Inputs = z.object({
  base_model: Name,
  dataset: Line,
  pairs: z.int().nonnegative(),
  eval_before: Measure,
  notify,
});
type Inputs = z.infer<typeof Inputs>;

const Execution = z.object({
  ...agent,
  eval_after: Measure,
  runner: Name,
  metrics: JsonObject.default(() => ({})),
  compute_usd: z.number().nonnegative().max(1e12).optional(),
});
type Execution = z.infer<typeof Execution>;

type CookWork = Work<Inputs, Execution>;

const Blocks = z.strictObject({
  run: z.strictObject({ id: z.string(), lane: z.literal('cook'), title: z.string() }),
  cook: z.strictObject({
    base_model: z.string(),
    dataset: z.string(),
    pairs: z.int().nonnegative(),
    eval_before: z.number(),
    eval_after: z.number(),
    lift: z.number(),
    runner: z.string(),
    metrics: JsonObject,
    compute_usd: z.number(),
  }),
  pinned_model: PinnedModel.optional(),
});

const UNKNOWN_RUNNER = /^(?:undeclared|unknown|n\/a|none|-)$/i;
const FEW_PAIRS = 10;

/** `eval_after − eval_before`, exact, to 6 places. */
export function liftOf(before: number, after: number): number {
  return toNumber(round(subtract(decimal(after), decimal(before)), 6));
}

/** The server's rate × the seconds that are priced; without a rate the declared figure, without that 0 (docs/spec.md §6.4.1). */
export function computeUsd(
  { metrics, compute_usd }: Pick<Execution, 'metrics' | 'compute_usd'>,
  price: Pick<GpuPrice, 'hourly_rate_usd'> | null,
): number {
  if (price === null) return toNumber(round(decimal(compute_usd ?? 0), 2));
  return toNumber(costOfSeconds(decimal(price.hourly_rate_usd), decimal(pricedSeconds(metrics))));
}

/**
 * How long it ran; the billed seconds instead only where they are what a router bills of that duration. Whoever posts the
 * metrics cannot lower the cost by stating others.
 */
function pricedSeconds(metrics: JsonObject): number {
  const [billed, ran] = [billedSeconds(metrics), durationSeconds(metrics)];
  if (ran === null) return 0;
  return billed === billedOf(ran) ? billed : ran;
}

/** The whole seconds that are over, at least 1. */
function billedOf(seconds: number): number {
  return Math.max(1, Math.floor(seconds));
}

/** Null for a duration that is absent, no number or negative. */
function durationSeconds(metrics: JsonObject): number | null {
  const seconds = metrics.duration_seconds;
  return typeof seconds === 'number' && seconds >= 0 ? seconds : null;
}

/** What a router charged for, in whole seconds; null for a Run that no router brought. */
function billedSeconds(metrics: JsonObject): number | null {
  const seconds = metrics.billed_seconds;
  return Number.isSafeInteger(seconds) && (seconds as number) >= 0 ? (seconds as number) : null;
}

/** A value in a detail: a number whole, the beginning of what is long. */
function brief(value: Json): string {
  const said = inJson(value);
  return said.length > 120 ? `${said.slice(0, 119)}…`.toWellFormed() : said;
}

const pairsPositive: LaneRule<CookWork> = {
  key: 'pairs_positive',
  label: 'There were training pairs',
  category: 'structure',
  severity: 'medium',
  decide({ inputs: { pairs } }) {
    if (pairs === 0) return flag('No training pairs: nothing was learned from.');
    if (pairs < FEW_PAIRS) return skip(`${plural(pairs, 'pair')}: too few to say whether training could matter.`);
    return pass(`${pairs} pairs.`);
  },
};

const liftPositive: LaneRule<CookWork> = {
  key: 'lift_positive',
  label: 'The score rose',
  category: 'policy',
  severity: 'medium',
  decide({ inputs: { eval_before }, execution: { eval_after } }) {
    const lift = liftOf(eval_before, eval_after);
    if (eval_before === eval_after) return skip(`The score is ${eval_before} before and after.`);
    const said = `From ${eval_before} to ${eval_after}: ${lift > 0 ? '+' : ''}${lift}`;
    if (lift === 0) return skip(`${said} to 6 places.`);
    return (lift > 0 ? pass : flag)(`${said}.`);
  },
};

const liftAgrees: LaneRule<CookWork> = {
  key: 'lift_agrees',
  label: 'A reported lift is the difference of the scores',
  category: 'math',
  severity: 'high',
  decide({ inputs: { eval_before }, execution: { eval_after, metrics } }) {
    const lift = liftOf(eval_before, eval_after);
    if (typeof metrics.lift !== 'number') return skip(`No lift was reported; ${lift} is computed here.`);
    const reported = toNumber(round(decimal(metrics.lift), 6));
    if (metrics.lift === lift) return pass(`Reported and computed: ${lift}.`);
    return reported === lift
      ? pass(`Reported ${metrics.lift}, computed ${lift}: the same to 6 places.`)
      : flag(`Reported ${metrics.lift}, computed ${lift}.`);
  },
};

const scoresComparable: LaneRule<CookWork> = {
  key: 'scores_comparable',
  label: 'Both scores are on one scale',
  category: 'math',
  severity: 'medium',
  decide({ inputs: { eval_before }, execution: { eval_after } }) {
    const [low, high] = [Math.min(eval_before, eval_after), Math.max(eval_before, eval_after)];
    if (low < 0 || high > 100) return skip(`${eval_before} and ${eval_after} are on a scale that is not known here.`);
    if (high <= 1) return pass('Both scores are between 0 and 1.');
    if (low > 1) return pass('Both scores are between 1 and 100.');
    if (low === 0 || low === 1) return skip(`${low} is on both the scale to 1 and the scale to 100.`);
    return flag(`${low} looks like a score of 1, ${high} like a score of 100.`);
  },
};

const runnerPriced: LaneRule<CookWork> = {
  key: 'runner_priced',
  label: 'The compute node has a price here',
  category: 'policy',
  severity: 'low',
  decide({ execution, price }) {
    const { runner, compute_usd } = execution;
    if (price) return pass(`${price.gpu_name} at ${price.hourly_rate_usd} USD per hour.`);
    if (UNKNOWN_RUNNER.test(runner)) return skip('Nobody declared where it ran.');
    const taken =
      compute_usd === undefined ? 'no cost was declared, so 0.00 is sealed' : 'the declared cost is sealed unverified';
    return flag(`${quote(runner)} has no price here; ${taken}.`);
  },
};

const durationDeclared: LaneRule<CookWork> = {
  key: 'duration_declared',
  label: 'How long it ran is declared',
  category: 'structure',
  severity: 'medium',
  decide({ execution: { metrics }, price }) {
    const seconds = durationSeconds(metrics);
    if (seconds !== null && seconds > 0) return pass(`${exact(seconds)} seconds.`);
    if (!price && metrics.duration_seconds === undefined) return skip('No duration, and no price that would need one.');
    return flag(
      metrics.duration_seconds === undefined
        ? 'metrics.duration_seconds is missing, so the compute cost is sealed as 0.00.'
        : `metrics.duration_seconds is ${brief(metrics.duration_seconds)}, which is no time.`,
    );
  },
};

const billAgrees: LaneRule<CookWork> = {
  key: 'bill_agrees',
  label: 'The billed seconds are the whole seconds it ran',
  category: 'math',
  severity: 'medium',
  decide({ execution: { metrics } }) {
    const [billed, ran] = [billedSeconds(metrics), durationSeconds(metrics)];
    if (billed === null) return skip('No billed seconds are stated; the duration is priced.');
    if (ran === null)
      return flag(`${plural(billed, 'second')} billed, and no duration to compare with; none is priced.`);
    const said = `${exact(ran)} seconds ran, ${exact(billed)} billed`;
    return billed === billedOf(ran)
      ? pass(`${said}.`)
      : flag(`${said}, which is not the same; the duration is priced.`);
  },
};

const costAgrees: LaneRule<CookWork> = {
  key: 'declared_cost_agrees',
  label: 'A declared cost is the price times the time',
  category: 'math',
  severity: 'low',
  decide({ execution, price }) {
    const { compute_usd } = execution;
    if (compute_usd === undefined) return skip('No cost was declared; it is computed here.');
    if (!price) return skip('The node has no price here to compare with.');
    const [declared, computed] = [decimal(compute_usd), decimal(computeUsd(execution, price))];
    if (compare(declared, computed) === 0) return pass(`Declared and computed: ${formatUsd(computed)} USD.`);
    const said = `Declared ${compute_usd} USD; price times time is ${formatUsd(computed)} USD, which is sealed`;
    return compare(round(declared, 2), computed) === 0 ? pass(`${said}: the same to the cent.`) : flag(`${said}.`);
  },
};

const timesInOrder: LaneRule<CookWork> = {
  key: 'times_in_order',
  label: 'Start, finish and duration agree',
  category: 'math',
  severity: 'medium',
  decide({ execution: { metrics } }) {
    const [claim] = timeClaims(metrics);
    if (!claim || claim.agrees === null)
      return skip(claim ? `Undecided: ${claim.detail}.` : 'The metrics state no start and finish.');
    return (claim.agrees ? pass : flag)(`${claim.detail}.`);
  },
};

const metricsConsistent: LaneRule<CookWork> = {
  key: 'metrics_consistent',
  label: 'The metrics repeat the declared figures',
  category: 'math',
  severity: 'medium',
  decide({ inputs, execution: { eval_after, runner, metrics } }) {
    const declared = { ...inputs, eval_after, runner };
    const repeated = (['eval_before', 'eval_after', 'pairs', 'base_model', 'dataset', 'runner'] as const).filter(
      (name) => metrics[name] !== undefined,
    );
    const wrong = repeated.find((name) => metrics[name] !== declared[name]);
    if (wrong) return flag(`metrics.${wrong} is ${brief(metrics[wrong]!)}, declared is ${brief(declared[wrong])}.`);
    return repeated.length > 0
      ? pass(`The same in both: ${repeated.join(', ')}.`)
      : skip('The metrics repeat none of the figures.');
  },
};

export const cookRules: readonly LaneRule<CookWork>[] = [
  pairsPositive,
  liftPositive,
  liftAgrees,
  scoresComparable,
  metricsConsistent,
  runnerPriced,
  durationDeclared,
  billAgrees,
  costAgrees,
  timesInOrder,
  evidenceAttached('medium'),
  evidenceBytesKnown,
  evidenceDistinct,
];

export const cook: Lane<Inputs, Execution> = {
  name: 'cook',
  ...LANE_WORDS.cook,
  inputs: Inputs,
  execution: Execution,
  agent: declaredAgent,
  checks: (work) => decide(cookRules, work),
  runs_on: ({ runner }) => runner,
  block({ run, inputs, execution, price }) {
    const { base_model, dataset, pairs, eval_before } = inputs;
    const { eval_after, runner, metrics } = execution;
    return {
      run: { id: run.id, lane: run.lane, title: run.title },
      cook: {
        base_model,
        dataset,
        pairs,
        eval_before,
        eval_after,
        lift: liftOf(eval_before, eval_after),
        runner,
        metrics,
        compute_usd: computeUsd(execution, price),
      },
    };
  },
  needs_pin: ['cook', 'base_model'],
  complete: ({ pinned_model }): JsonObject => (pinned_model === null ? {} : { pinned_model: { ...pinned_model } }),
  blocks: Blocks,
  print(receipt) {
    const at = (name: string) => print.member(receipt, 'cook', name);
    const lift = at('lift');
    const pin = print.block(receipt, 'pinned_model');
    return {
      title: print.words(print.member(receipt, 'run', 'title')),
      kind: cook.label,
      outcome: null,
      approval: null,
      sections: [
        print.facts('Score', [
          print.fact('Before', at('eval_before')),
          print.fact('After', at('eval_after')),
          { label: 'Lift', value: typeof lift === 'number' && lift > 0 ? `+${exact(lift)}` : print.words(lift) },
        ]),
        print.facts('Training', [
          print.mono('Base model', at('base_model')),
          print.fact('Dataset', at('dataset')),
          print.fact('Training pairs', at('pairs')),
        ]),
        print.facts('Compute', [
          print.mono('Node', at('runner')),
          { label: 'Cost', value: print.usd(at('compute_usd')) },
        ]),
        ...print.members('Metrics', at('metrics')),
        ...(pin === undefined ? [] : pinSections(pin)),
        print.facts('Run', [print.mono('Run', print.member(receipt, 'run', 'id'))]),
      ],
    };
  },
};

function pinSections(pin: JsonObject[string]): ReturnType<typeof cook.print>['sections'] {
  const url = print.member(pin, 'pin_share_url');
  const link = typeof url === 'string' && /^https?:\/\//.test(url) ? { href: url } : {};
  return [
    print.facts('Pinned base model', [
      ...printedModel(pin),
      { ...print.mono('Pin receipt', print.member(pin, 'pin_receipt_id')), ...link },
      print.mono('Pin receipt SHA-256', print.member(pin, 'pin_receipt_sha256')),
    ]),
    ...print.text('Declaration of the pinned model', print.member(pin, 'declaration')),
  ];
}
