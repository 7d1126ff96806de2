/** The threads that verify: each walks one chain at a time, and reads it with a connection of its own. */
import { openSnapshots } from '@rcpt/service/db/open.ts';
import { verifyActivity } from '../activity/verify.ts';
import { type Progress, verifyChain } from '../chain/verify.ts';
import { serve } from './serve.ts';

export interface Chain {
  database_url: string;
  organization_id: string;
}

const JOBS = {
  walk: (chain: Chain, tell: Progress) => walk(verifyChain, chain, tell),
  walkActivity: (chain: Chain, tell: Progress) => walk(verifyActivity, chain, tell),
};
export type VerifyingJobs = typeof JOBS;

async function walk(verify: typeof verifyChain, { database_url, organization_id }: Chain, tell: Progress) {
  const db = openSnapshots(database_url);
  try {
    return await verify(db, organization_id, tell);
  } finally {
    await db.close();
  }
}

// A walk may take minutes: it gives way to what is drawn.
serve(JOBS, 15);
