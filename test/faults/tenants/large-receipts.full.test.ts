/** Ten receipts of a megabyte, 90,000 members each, that their organization verifies again and again. */
import { mintedReceipt } from '../../../packages/ledger/test/kit/story.ts';
import { verifyAgain } from './verifying.ts';
import { type Attack, type Prepare, unharmedBy } from './victim.ts';

const RECEIPTS = 10;
const MEMBERS = Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [i.toString(36), 100 + (i % 900)]));

export const prepare: Prepare = async ({ tenant }) => {
  for (let i = 0; i < RECEIPTS; i++)
    await mintedReceipt(tenant, 'generic', { inputs: { task: 'Count all of it', ...MEMBERS } });
};

export const attack: Attack = verifyAgain;

// On SQLite alone: what is dear here is to read and hash a receipt, in a thread. `huge-chain` walks the database on both.
unharmedBy('large receipts that are verified again and again', import.meta.url);
