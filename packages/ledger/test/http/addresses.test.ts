/** Under which address a caller is counted: of IPv6 a whole /64, which is what one customer is given. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newMailbox } from '../kit/people.ts';
import { eachLedger } from '../kit/running.ts';

const COUNTED_AS_ONE = {
  'a /64 of IPv6': ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:DB8:1:2:0:0:0:1'],
  'an IPv4 address, and it within IPv6': ['192.0.2.7', '::ffff:192.0.2.7', '::ffff:c000:207'],
};
const OTHERS = ['2001:db8:1:3::1', '192.0.2.8', '::ffff:192.0.2.9'];

eachLedger(
  'one address',
  (ledger) => {
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    const calls = {
      'the sign-in': (address: string) =>
        ledger.call('POST', '/sign-in', { body: { email: newMailbox() }, ...from(address) }),
      'the session': (address: string) =>
        ledger.call('POST', '/session', { body: { token: 'x'.repeat(43) }, ...from(address) }),
      'public links': (address: string) => ledger.call('GET', `/share/${'x'.repeat(22)}`, from(address)),
    };
    for (const [what, ask] of Object.entries(calls))
      test(`${what} counts a /64 of IPv6 as one, and an IPv4 address within IPv6 as that address`, async () => {
        for (const [which, addresses] of Object.entries(COUNTED_AS_ONE)) {
          for (const address of addresses) assert.notEqual((await ask(address)).status, 429, which);
          for (const address of addresses) assert.equal((await ask(address)).status, 429, `${which}: ${address}`);
        }
        for (const address of OTHERS) assert.notEqual((await ask(address)).status, 429, address);
      });
  },
  {
    LEDGER_TRUST_PROXY: '127.0.0.1',
    LEDGER_SIGN_IN_REQUESTS_PER_MINUTE: '3',
    LEDGER_SHARE_REQUESTS_PER_MINUTE: '3',
  },
);
