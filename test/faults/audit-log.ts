/** What must hold of the signed log at any moment: it holds all that is minted, and continues every checkpoint that was shown. */
import assert from 'node:assert/strict';
import { toHex } from '@rcpt/proof/log/bytes.ts';
import { type Checkpoint, openCheckpoint } from '@rcpt/proof/log/checkpoint.ts';
import { leafHash } from '@rcpt/proof/log/merkle.ts';
import { appendLeaf, rootOfPeaks } from '@rcpt/proof/log/peaks.ts';
import { verifyProofFile } from '@rcpt/proof/log/proof-file.ts';
import { parseVerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import type { Tenant } from '../../packages/ledger/test/kit/running.ts';
import type { LedgerProcess } from './process.ts';

/** What was shown of each database before. */
const shown = new WeakMap<Db, Map<string, { key: string; checkpoints: Checkpoint[] }>>();

/** @param receipts as exported, all of them */
export async function auditLog(
  db: Db,
  { call }: Pick<LedgerProcess, 'call'>,
  { organization_id, keys }: Tenant,
  receipts: string[],
): Promise<void> {
  const get = async (path: string) => {
    const answer = await call('GET', path, { token: keys.auditor });
    assert.equal(answer.status, 200, answer.text);
    return answer.text;
  };
  if (receipts.length === 0) return;
  const key = (await get('/ledger/key')).trimEnd();
  const verifier = parseVerifierKey(key);
  const checkpoint = await openCheckpoint(await get('/ledger/checkpoint'), verifier);
  const of_database = shown.get(db) ?? new Map();
  shown.set(db, of_database);
  const before = of_database.get(organization_id) ?? { key, checkpoints: [] };
  of_database.set(organization_id, before);
  assert.equal(key, before.key, 'the key stays');
  before.checkpoints.push(checkpoint);

  const roots = rootsOf(receipts);
  assert.equal(checkpoint.size, receipts.length, 'all that is minted is signed');
  for (const { size, root } of before.checkpoints)
    assert.equal(toHex(root), toHex(roots(size)), `what was shown of ${size} receipts`);
  const index = Math.floor(receipts.length / 2);
  const { share_url } = JSON.parse(receipts[index]!) as { share_url: string };
  const proof = await get(`${new URL(share_url).pathname}/proof`);
  assert.equal((await verifyProofFile(proof, Buffer.from(receipts[index]!), verifier)).index, index);
}

/** The root of the first so many. */
function rootsOf(receipts: string[]): (size: number) => Uint8Array {
  const trees: Uint8Array[][] = [[]];
  for (const [i, receipt] of receipts.entries()) trees.push(appendLeaf(trees[i]!, i, leafHash(Buffer.from(receipt))));
  return (size) => rootOfPeaks(trees[size] ?? assert.fail(`${size} receipts were signed, and there are fewer`));
}
