/** The vectors of approvals (docs/spec.md §5.3, §10). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { ApprovalVector } from '../../../../vectors/make-approvals.ts';
import { verifyApproval } from '../../src/approval/approval.ts';
import { EnrolmentSearch } from '../../src/approval/enrolment.ts';
import { ProofError } from '../../src/error.ts';

const file = new URL('../../../../vectors/proofs/approval--signed-and-refused.json', import.meta.url);
const vectors = JSON.parse(readFileSync(file, 'utf8')) as ApprovalVector[];

test('each approval holds, or is refused with the code that its vector says', async () => {
  for (const { story, receipt, approval, activity, origin, algorithm, refused } of vectors) {
    const verify = async () => {
      const signed = await verifyApproval(receipt, approval, origin === undefined ? {} : { origin });
      if (activity === undefined) return signed;
      const search = new EnrolmentSearch(signed);
      for (const line of activity.split('\n').filter((text) => text !== '')) search.push(line);
      search.finish();
      return signed;
    };
    if (refused === undefined) assert.equal((await verify()).algorithm, algorithm, story);
    else await assert.rejects(verify(), (error) => error instanceof ProofError && error.code === refused, story);
  }
  assert.equal(new Set(vectors.map(({ refused }) => refused)).size, 17, 'every code, and none');
});
