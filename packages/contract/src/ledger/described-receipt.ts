/** A receipt as the description of the API shows it: the envelope, and the blocks of each lane, from the lanes' own schemas. */
import { z } from 'zod';
import { LANES } from '../lanes/registry.ts';
import { LaneName } from '../vocabulary.ts';
import { LedgerPage, Receipt, RecentReceipts } from './receipts.ts';

const lanes = LaneName.options.map((name) => {
  const { label, schema, blocks } = LANES[name];
  const { properties = {}, required = [] } = z.toJSONSchema(blocks, { io: 'output' });
  return {
    title: `${label} (${name})`,
    type: 'object' as const,
    properties: { schema: { const: schema }, ...properties },
    required: ['schema', ...required],
  };
});

export const DescribedReceipt = Receipt.meta({ anyOf: lanes });
export const DescribedRecentReceipts = RecentReceipts.extend({ receipts: z.array(DescribedReceipt) });
export const DescribedLedgerPage = LedgerPage.extend({ receipts: z.array(DescribedReceipt) });
