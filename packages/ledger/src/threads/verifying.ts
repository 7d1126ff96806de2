/** The threads that verify: each walks one chain at a time, and reads it with a connection of its own. */
import { openSnapshots } from '@rcpt/service/db/open.ts';
import { type Progress, verifyChain } from '../chain/verify.ts';
import { serve } from './serve.ts';

export interface Chain {
  database_url: string;
  organization_id: string;
}

const JOBS = {
  async walk({ database_url, organization_id }: Chain, tell: Progress) {
    const db = openSnapshots(database_url);
    try {
      return await verifyChain(db, organization_id, tell);
    } finally {
      await db.close();
    }
  },
};
export type VerifyingJobs = typeof JOBS;

// A walk may take minutes: it gives way to what is drawn.
serve(JOBS, 15);
