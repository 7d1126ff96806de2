/** A JSON body, read and validated: the same refusals in the same words on the event loop and in a thread beside it. */
import { nullStripper } from '@rcpt/contract/nulls.ts';
import { ProofError } from '@rcpt/proof/error.ts';
import { parseStrict } from '@rcpt/proof/parse.ts';
import { z } from 'zod';
import { Refusal } from '../error.ts';
import { validationMessage } from './validation-messages.ts';

/** Validation errors named in one answer; a megabyte can hold a hundred thousand. */
export const ERRORS_NAMED = 50;

z.config({ localeError: validationMessage });

/** Throws `malformed_json`, `not_representable`. */
export function parseBody(bytes: Uint8Array): unknown {
  try {
    return parseStrict(bytes);
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    const code = error.code === 'not_json' || error.code === 'not_utf8' ? 'malformed_json' : 'not_representable';
    throw new Refusal(code, error.message);
  }
}

/** As a route that declares `schema` reads its body. Throws as `parseBody`, and `invalid`. */
export function readBody<T>(bytes: Uint8Array, schema: z.ZodType<T>): T {
  return validated(schema, parseBody(bytes));
}

/**
 * What `schema` takes of a value. Throws `invalid`.
 * @param under the member of the body that holds the value; '' for the body itself
 */
export function validated<T>(schema: z.ZodType<T>, value: unknown, under = ''): T {
  const strip = nullStripper(schema);
  const parsed = schema.safeParse(strip === null ? value : strip(value));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, ERRORS_NAMED);
  throw invalid(
    issues.map(({ path, message }) => ({ path: (under === '' ? path : [under, ...path]).join('.'), message })),
  );
}

/** `invalid`, which names these errors. */
export function invalid(errors: { path: string; message: string }[]): Refusal {
  const first = errors[0];
  return new Refusal('invalid', `The request is invalid: ${first?.path || 'body'}: ${first?.message}.`, { errors });
}

/** A JSON pointer as `inputs.task`. */
export function dotted(pointer: string): string {
  return pointer.split('/').slice(1).map(unescapePointer).join('.');
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
