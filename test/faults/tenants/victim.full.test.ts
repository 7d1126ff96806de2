/** The kit itself: it passes where another tenant only works, and fails where the ledger is made to stand still. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachEngine } from '../../kit/engines.ts';
import { MIGRATIONS } from '../process.ts';
import { KINDS } from './pace.ts';
import { assertUnharmed } from './result.ts';
import { openTenants } from './tenants.ts';
import { underAttack, unharmedBy } from './victim.ts';

unharmedBy('another tenant that only reads', new URL('reads.ts', import.meta.url).href);

eachEngine('the kit', MIGRATIONS, (fresh, engine) => {
  if (engine === 'sqlite')
    test('finds a ledger that stands still, in every kind', async () => {
      const result = await underAttack(
        await openTenants(await fresh()),
        new URL('standstill.ts', import.meta.url).href,
      );
      assert.throws(
        () => assertUnharmed(result),
        (error: Error) => {
          for (const kind of KINDS) assert.match(error.message, new RegExp(`${kind} took more than 5 times as long`));
          return true;
        },
      );
    });
});
