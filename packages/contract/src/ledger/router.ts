/** Which compute router an organization works with. Its calls are forwarded under `/router`. */
import { z } from 'zod';

/** `http://host:port`, also with a path; no credentials, query or fragment. */
export const RouterAddress = z
  .string()
  .max(500)
  .regex(/^https?:\/\/[^\s?#@\\]+$/, 'must be an http:// or https:// address without credentials, query and fragment')
  .refine((url) => URL.canParse(url), 'must be the address of a router')
  .transform((url) => url.replace(/\/+$/, ''));

/** Null: none. */
export const RouterChange = z.object({ url: RouterAddress.nullable() });
export const RouterConnection = z.object({ organization_id: z.string(), url: z.string().nullable() });
export type RouterConnection = z.infer<typeof RouterConnection>;
