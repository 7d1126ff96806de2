/** The model-pin lane: an organization declares which model it means by a slug, and pins the card by its hash. */
import { canonicalize } from '@rcpt/proof/canonical.ts';
import { sha256Hex } from '@rcpt/proof/sha256.ts';
import { z } from 'zod';
import { exact } from '../shown.ts';
import { Json, type JsonObject, Line, Sha256 } from '../wire.ts';
import { LANE_WORDS } from '../words.ts';
import type { Work } from '../work.ts';
import { agent, declaredAgent, Name, notify, optionalProse } from './body.ts';
import { textsOf } from './claims.ts';
import { evidenceBytesKnown, evidenceDistinct } from './evidence-rules.ts';
import type { Lane } from './lane.ts';
import { Model } from './pinned-model.ts';
import * as print from './printed.ts';
import { decide, flag, type LaneRule, pass, quote, skip } from './rule.ts';
import { secretsIn } from './secrets.ts';

const Inputs = z
  .object({
    slug: Name,
    name: Line,
    base: z.string().trim().max(200).default(''),
    /** Billions of parameters. */
    params_b: z.number().nonnegative().max(1e9),
    card: Json.optional(),
    card_sha256: Sha256.optional(),
    declaration: optionalProse,
    client_ref: z.string().trim().max(200).default(''),
    notify,
  })
  .refine((inputs) => inputs.card !== undefined || inputs.card_sha256 !== undefined, {
    path: ['card'],
    message: 'a card or its card_sha256 is required',
  });
type Inputs = z.infer<typeof Inputs>;

const Execution = z.object(agent);
type Execution = z.infer<typeof Execution>;

type PinWork = Work<Inputs, Execution>;

/** The hash that is sealed: of the card itself when it was sent, else as declared. */
export function cardSha256(inputs: Inputs): string {
  return inputs.card === undefined ? (inputs.card_sha256 ?? '') : sha256Hex(canonicalize(inputs.card));
}

const SLUG = /^[a-z0-9]+(?:[._/-][a-z0-9]+)*$/;
/** `8b`, `0.5b`, `70B` in a slug or name; a mixture such as `8x7b` has no one size. */
const SIZE = /(?:^|[^a-z0-9.])(\d{1,4}(?:\.\d{1,3})?)b(?![a-z0-9])/i;
const MIXTURE = /\d+x\d+(?:\.\d+)?b/i;
const LARGEST_PARAMS_B = 20_000;

const cardAgrees: LaneRule<PinWork> = {
  key: 'card_hash_agrees',
  label: 'The card has the declared hash',
  category: 'evidence',
  severity: 'high',
  decide({ inputs }) {
    if (inputs.card === undefined)
      return skip('Only the hash of the card was sent; the card itself was not seen here.');
    const actual = cardSha256(inputs);
    if (inputs.card_sha256 === undefined || inputs.card_sha256 === actual) return pass(`The card's hash is ${actual}.`);
    return flag(`Declared ${inputs.card_sha256}, the card's hash is ${actual}. The card's own hash is sealed.`);
  },
};

const cardTells: LaneRule<PinWork> = {
  key: 'card_names_the_model',
  label: 'The card speaks of this model',
  category: 'structure',
  severity: 'medium',
  decide({ inputs }) {
    const text = textsOf(inputs.card).toLowerCase();
    if (text === '')
      return inputs.card === undefined ? skip('The card itself was not sent.') : flag('The card has no text.');
    const named = [inputs.name, inputs.slug].find((name) => text.includes(name.toLowerCase()));
    return named
      ? pass(`The card names ${quote(named)}.`)
      : flag(`The card names neither ${quote(inputs.name)} nor ${quote(inputs.slug)}.`);
  },
};

const slugShape: LaneRule<PinWork> = {
  key: 'slug_shape',
  label: 'The slug can be used as a key',
  category: 'structure',
  severity: 'low',
  decide({ inputs: { slug } }) {
    if (SLUG.test(slug)) return pass(`${quote(slug)} is a slug.`);
    if (SLUG.test(slug.toLowerCase())) return skip(`${quote(slug)} has capitals: a cook must write them the same way.`);
    return flag(`${quote(slug)} has spaces or signs that break addresses and file names.`);
  },
};

const paramsPlausible: LaneRule<PinWork> = {
  key: 'params_plausible',
  label: 'The number of parameters is plausible',
  category: 'math',
  severity: 'low',
  decide({ inputs: { params_b } }) {
    if (params_b === 0) return skip('No number of parameters is declared.');
    if (params_b > LARGEST_PARAMS_B)
      return flag(`${params_b} billion parameters: was the plain number sent instead of billions?`);
    return pass(`${params_b} billion parameters.`);
  },
};

const paramsMatchName: LaneRule<PinWork> = {
  key: 'params_match_name',
  label: 'The name and the number of parameters agree',
  category: 'math',
  severity: 'medium',
  decide({ inputs: { slug, name, params_b } }) {
    const named = [slug, name].find((text) => SIZE.test(text));
    if (!named || MIXTURE.test(`${slug} ${name}`) || params_b === 0)
      return skip('The name states no single size to compare with.');
    const size = Number(SIZE.exec(named)?.[1]);
    // Names round: an "8b" has 8.03 billion parameters, a "7b" 7.6.
    if (Math.abs(size - params_b) <= Math.max(0.15 * size, 0.1))
      return pass(`${quote(named)} and ${params_b} billion agree.`);
    return flag(`${quote(named)} says ${size} billion, declared are ${params_b} billion.`);
  },
};

const baseDiffers: LaneRule<PinWork> = {
  key: 'base_differs',
  label: 'The model is not its own base',
  category: 'structure',
  severity: 'low',
  decide({ inputs: { slug, base } }) {
    if (base === '' || base.toLowerCase() === 'none') return skip('No base is declared: the model stands on its own.');
    return base === slug ? flag(`${quote(slug)} is declared as its own base.`) : pass(`Based on ${quote(base)}.`);
  },
};

const declared: LaneRule<PinWork> = {
  key: 'declaration_given',
  label: 'The declaration says what is pinned',
  category: 'policy',
  severity: 'low',
  decide({ inputs: { declaration } }) {
    if (declaration === '') return skip('No declaration was sent; slug and card stand alone.');
    return declaration.trim().length < 10
      ? flag(`The declaration says only ${quote(declaration)}.`)
      : pass('The declaration is in words.');
  },
};

const noSecrets: LaneRule<PinWork> = {
  key: 'no_secrets',
  label: 'No secret is in plain sight',
  category: 'policy',
  severity: 'high',
  decide({ run, inputs: { name, base, declaration, client_ref } }) {
    const found = secretsIn([run.title, name, base, declaration, client_ref].join('\n'));
    if (found.length > 0) return flag(`This looks like ${found.join(' and ')}. Take it out and revoke it.`);
    if (declaration === '' && client_ref === '') return skip('Nothing but names would be published.');
    return pass('No key, token or password was found in what would be published.');
  },
};

export const modelPinRules: readonly LaneRule<PinWork>[] = [
  cardAgrees,
  cardTells,
  slugShape,
  paramsPlausible,
  paramsMatchName,
  baseDiffers,
  declared,
  noSecrets,
  evidenceBytesKnown,
  evidenceDistinct,
];

export const modelPin: Lane<Inputs, Execution> = {
  name: 'model-pin',
  ...LANE_WORDS['model-pin'],
  inputs: Inputs,
  execution: Execution,
  agent: declaredAgent,
  // Not what cooks look a pin up by, and no number: a cook that points at a pin states `""` for what is private in it.
  commits: { title: false, note: false, inputs: ['name', 'base', 'declaration', 'client_ref'] },
  output: { in: 'inputs', member: 'card', hashed_as: 'json' },
  checks: (work) => decide(modelPinRules, work),
  block({ inputs }) {
    const { slug, name, base, params_b, declaration, client_ref } = inputs;
    const card_sha256 = cardSha256(inputs);
    return { model: { slug, name, base, params_b, card_sha256, declaration, client_ref } };
  },
  complete: ({ created_at }, block) => ({ model: { ...(block().model as JsonObject), pinned_at: created_at } }),
  pins: ['model', 'slug'],
  blocks: z.strictObject({ model: Model }),
  print(receipt) {
    const model = print.block(receipt, 'model');
    return {
      title: print.titleWords(print.member(model, 'name')),
      kind: modelPin.label,
      outcome: null,
      approval: null,
      sections: [
        print.facts('Model', printedModel(model)),
        ...print.text('Declaration', print.member(model, 'declaration')),
        ...print.committed(receipt),
      ],
    };
  },
};

/** The identity of a pinned model as facts; the cook lane prints the same. */
export function printedModel(model: Json | undefined): ReturnType<typeof print.fact>[] {
  const at = (name: string) => print.member(model, name);
  const params = at('params_b');
  return [
    print.mono('Slug', at('slug')),
    print.fact('Name', at('name')),
    print.fact('Base', at('base')),
    {
      label: 'Parameters',
      value: typeof params === 'number' && params > 0 ? `${exact(params)} billion` : print.words(''),
    },
    print.mono('Model card SHA-256', at('card_sha256')),
    { label: 'Pinned', value: print.instant(at('pinned_at')) },
    print.fact('Client reference', at('client_ref')),
  ];
}
