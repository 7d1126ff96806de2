/** Some hundred requests to each component; `fuzz.full.test.ts` sends thousands, on both engines. */
import { underFuzz } from './suite.ts';

underFuzz({ ledger: 300, router: 600 }, { engines: ['sqlite'], reaches: 0.3 });
