/** What a value that was not taken must be, in words for the sender: Zod's own name its types. */
import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;

/** Follows the member's path: `title: is missing`, `limit: must be at most 500`. */
export function validationMessage(issue: Issue): string {
  // Without a body there is null where its members would be.
  if (issue.input === undefined || (issue.input === null && !issue.path?.length))
    return issue.code === 'invalid_value' ? `is missing; it takes ${oneOf(issue.values)}` : 'is missing';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kindNamed(issue.expected)}${gotOther(issue.input, issue.expected)}`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values)}`;
    case 'too_small':
      if (issue.minimum === 1 && issue.origin in COUNTED) return 'must not be empty';
      return `must ${limit(issue, issue.inclusive ? 'at least' : 'more than', issue.minimum)}`;
    case 'too_big':
      return `must ${limit(issue, issue.inclusive ? 'at most' : 'less than', issue.maximum)}`;
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? (issue.pattern ? `as in ${issue.pattern}` : `of the format ${issue.format}`)}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `must not have ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`;
    case 'invalid_union':
      return anyOf(issue.errors);
    default:
      return 'is not what the description of the API (/docs) names';
  }
}

const KINDS: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a JSON object',
  record: 'a JSON object',
  array: 'a list',
  null: 'null',
};

const FORMATS: Record<string, string> = {
  email: 'an e-mail address',
  url: 'an address such as https://example.com',
  datetime: 'an instant such as 2026-05-29T20:14:33Z',
  date: 'a date such as 2026-05-29',
};

function kindNamed(expected: string): string {
  return KINDS[expected] ?? expected;
}

/** Not said of a number: a query's `limit=ten` arrives here as NaN, and 1.5 is a number as well as what it should be. */
function gotOther(input: unknown, expected: string): string {
  if (typeof input === 'number' && (expected === 'number' || expected === 'int')) return '';
  const kind = input === null ? 'null' : Array.isArray(input) ? 'array' : typeof input;
  return `, got ${kind === 'boolean' ? String(input) : kindNamed(kind)}`;
}

/** The first thing that each of the forms it may have asks for. */
function anyOf(forms: z.core.$ZodIssue[][]): string {
  const asked = forms.map(([first]) => [first?.path.join('.'), first?.message].filter(Boolean).join(': '));
  return [...new Set(asked)].join(', or ');
}

function oneOf(values: readonly unknown[]): string {
  const named = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return named.length === 1 ? named[0]! : `one of ${named.join(', ')}`;
}

const COUNTED: Record<string, string> = { string: 'characters', array: 'entries' };

function limit({ origin, exact }: { origin: string; exact?: boolean }, bound: string, value: number | bigint): string {
  const counted = COUNTED[origin];
  return counted === undefined ? `be ${bound} ${value}` : `have ${exact ? 'exactly' : bound} ${value} ${counted}`;
}
