/** What the stories of people, organizations and keys stand on. */
import type { Db } from '@rcpt/service/db/db.ts';

export interface People {
  db: Db;
  /** Invalidated after each change of what a credential may do, before the change is answered. */
  credentials: { invalidate(): Promise<void> };
  now(): string;
}
