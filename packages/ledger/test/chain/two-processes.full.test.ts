/** Many clients, two ledgers, one chain. */
import { mintThroughBoth, twoLedgers } from './two-processes.ts';

twoLedgers((tenants) => mintThroughBoth(tenants, 64, 5));
