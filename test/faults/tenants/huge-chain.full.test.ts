/** A chain of 50,000 receipts that its organization verifies again and again. */
import { chainOf } from '../../bench/src/prepare.ts';
import { verifyAgain } from './verifying.ts';
import { type Attack, unharmedBy } from './victim.ts';

const RECEIPTS = 50_000;

export const attack: Attack = verifyAgain;

unharmedBy('a long chain that is verified again and again', import.meta.url, {
  engines: ['sqlite', 'postgres'],
  before: (db, { attacker: { organization_id } }) =>
    chainOf(db, { organization_id, name: 'Attacker', api_key: '', key_id: 'key_0' }, RECEIPTS, () => undefined),
});
