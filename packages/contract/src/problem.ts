/** The error body of both services: RFC 9457 with the contract's members. */
import { z } from 'zod';

export const Problem = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  /** Stable, snake_case; what programs decide on. */
  code: z.string(),
  request_id: z.string(),
  /** Validation only: which members of the request, and what each must be. */
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type Problem = z.infer<typeof Problem>;
