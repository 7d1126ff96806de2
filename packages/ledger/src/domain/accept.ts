/** What a lane takes of a body that was sent for one of its stages. */
import { nullStripper } from '@rcpt/contract/nulls.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import { ERRORS_NAMED, invalid } from '@rcpt/service/body.ts';
import type { z } from 'zod';

/** Throws `invalid`, which names the members `under` where the body has them. */
export function accept(schema: z.ZodType<JsonObject>, value: JsonObject, under: string): JsonObject {
  const strip = nullStripper(schema);
  const parsed = schema.safeParse(strip === null ? value : strip(value));
  if (parsed.success) return parsed.data;
  throw invalid(
    parsed.error.issues.slice(0, ERRORS_NAMED).map(({ path, message }) => ({
      path: [under, ...path].filter((part) => part !== '').join('.'),
      message,
    })),
  );
}
