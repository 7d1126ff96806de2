/**
 * The form a submission must have: JSON Schema 2020-12 by Ajv, bounded. A schema may refer to its own parts only;
 * patterns are RE2; every visit of a schema to a value is counted, so that neither recursion nor `uniqueItems` nor a
 * tower of `anyOf` can run away.
 */
import type { Json, JsonObject } from '@rcpt/contract/wire.ts';
import type { ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { CostLimitExceeded, type Meter } from './meter.ts';
import { compilePattern, costOfCompiling, patterns } from './pattern.ts';
import { costOfSchema, findSchemaFaults, mapSubschemas, type SchemaFault } from './schema-structure.ts';
import { inOrder } from './values.ts';

export interface OutputSchema {
  /** What is wrong with the submission, most important first; empty when it has the form. Throws `CostLimitExceeded`. */
  faults(submission: Json): string[];
}

const COST = 'x-cost';
/** Of strings people write by hand; other formats are refused as unknown. */
const FORMATS = [
  'date',
  'time',
  'date-time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uuid',
  'json-pointer',
] as const;

/** Never throws: what is wrong with the schema comes back as faults. Nothing is fetched. */
export function compileOutputSchema(
  schema: JsonObject,
  meter: Meter,
  compiling: Meter,
): OutputSchema | { errors: SchemaFault[] } {
  const dear = tooDear(schema, compiling);
  if (dear) return { errors: [dear] };
  const errors = findSchemaFaults(schema);
  if (errors.length > 0) return { errors };
  const invalid = metaSchemaFault(schema);
  if (invalid) return { errors: [invalid] };
  const compile = patterns(meter);
  const regExp = Object.assign(
    (source: string) => {
      compiling.charge(costOfCompiling(source));
      compilePattern(source);
      return { test: (text: string) => compile(source).test(text) };
    },
    { code: 'RE2' },
  );
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allowUnionTypes: true,
    ownProperties: true,
    inlineRefs: false,
    multipleOfPrecision: 6,
    logger: false,
    // Compiling the meta-schema anew for every sheet would take ten times as long as the sheet.
    meta: false,
    validateSchema: false,
    code: { regExp },
  });
  formats.default(ajv, [...FORMATS]);
  ajv.addKeyword('$anchor');
  ajv.addKeyword({
    keyword: COST,
    before: '$ref',
    schemaType: 'object',
    errors: false,
    validate: (weight: Weight, value: Json) => {
      meter.charge(costOfVisit(weight, value));
      return true;
    },
  });
  try {
    const validate = ajv.compile(counted(schema) as object);
    return { faults: (submission) => (validate(submission) ? [] : describe(validate.errors ?? [], submission)) };
  } catch (error) {
    if (error instanceof CostLimitExceeded) return { errors: [{ path: [], message: 'the patterns are too large' }] };
    return { errors: [{ path: [], message: (error as Error).message }] };
  }
}

const LONGEST_QUOTE = 200;

function tooDear(schema: JsonObject, compiling: Meter): SchemaFault | null {
  const cost = costOfSchema(schema);
  if (cost <= compiling.left) {
    compiling.charge(cost);
    return null;
  }
  return { path: [], message: `costs ${Math.ceil(cost)} to compile, and a sheet may cost ${compiling.left}` };
}

const META = new Ajv2020({ logger: false, strict: false });

function metaSchemaFault(schema: JsonObject): SchemaFault | null {
  try {
    if (META.validateSchema(schema)) return null;
    const [first] = META.errors ?? [];
    const path = (first?.instancePath ?? '').split('/').slice(1);
    return { path, message: `is not JSON Schema 2020-12: ${first?.message}` };
  } catch (error) {
    return { path: ['$schema'], message: (error as Error).message };
  }
}

interface Weight extends JsonObject {
  keywords: number;
  /** Per member or item of the value. */
  each: number;
  unique: boolean;
}

function counted(schema: Json): Json {
  return mapSubschemas(schema, (part) => ({ ...part, [COST]: weightOf(part) }));
}

function weightOf(part: JsonObject): Weight {
  const compared = [part.enum, part.const].map((values) =>
    values === undefined ? 0 : JSON.stringify(values).length / 64,
  );
  return {
    keywords: Object.keys(part).length + compared.reduce((a, b) => a + b),
    each: 1 + Object.keys(part.patternProperties ?? {}).length,
    unique: part.uniqueItems === true,
  };
}

function costOfVisit({ keywords, each, unique }: Weight, value: Json): number {
  if (typeof value === 'string') return keywords + value.length / 64;
  if (typeof value !== 'object' || value === null) return keywords;
  const size = Array.isArray(value) ? value.length : Object.keys(value).length;
  // Every item is compared with every other, at worst to its last part.
  const compared = unique && Array.isArray(value) ? (size * JSON.stringify(value).length) / 512 : 0;
  return keywords + size * each + compared;
}

/** In one order whatever the order of members; the same words once. */
function describe(errors: ErrorObject[], submission: Json): string[] {
  const lines = errors
    .filter((error) => error.keyword !== 'if')
    .sort(
      (a, b) =>
        comparePaths(a.instancePath, b.instancePath) ||
        compare(a.schemaPath, b.schemaPath) ||
        compare(sentence(a), sentence(b)),
    )
    .map(sentence);
  if (typeof submission === 'string' && errors[0]?.instancePath === '' && looksLikeJson(submission)) {
    lines.unshift('the output is a text that holds JSON: send the JSON itself');
  }
  return [...new Set(lines)];
}

function sentence({ instancePath, message = 'is not as required', params, keyword }: ErrorObject): string {
  const named: Record<string, unknown> = {
    additionalProperties: params.additionalProperty,
    unevaluatedProperties: params.unevaluatedProperty,
    enum: params.allowedValues,
    const: params.allowedValue,
    propertyNames: params.propertyName,
  };
  const detail = named[keyword] === undefined ? '' : `: ${beginning(JSON.stringify(inOrder(named[keyword] as Json)))}`;
  return `${instancePath === '' ? 'the output' : beginning(instancePath)} ${message}${detail}`;
}

/** What is quoted of what others wrote; an ellipsis says that it goes on. */
function beginning(text: string): string {
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE - 1)}…`.toWellFormed() : text;
}

function looksLikeJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

/** `/rows/2` before `/rows/10`. */
function comparePaths(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')];
  const at = left.findIndex((step, index) => step !== right[index]);
  if (at === -1) return left.length - right.length;
  const [x = '', y = ''] = [left[at], right[at]];
  return /^\d+$/.test(x) && /^\d+$/.test(y) ? Number(x) - Number(y) : compare(x, y);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
