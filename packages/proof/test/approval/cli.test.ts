/** `./rcpt verify RECEIPT --approval FILE`: what it says, and what it takes. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../../../test/kit/folders.ts';
import { softPasskey } from '../../../../test/kit/passkey.ts';
import { main } from '../../src/bin.ts';
import { approvalOf, approvedPayload, ORIGIN, receiptOf } from '../kit/approvals.ts';

const folder = temporaryFolder('approval');
const at = (name: string) => join(folder, name);
const payload = approvedPayload();
const file = approvalOf(softPasskey(ORIGIN), payload);
writeFileSync(at('receipt.json'), receiptOf(payload));
writeFileSync(at('approval.json'), JSON.stringify(file));
writeFileSync(at('another.json'), JSON.stringify({ ...file, public_key_pem: softPasskey(ORIGIN).public_key_pem }));
writeFileSync(at('chain.jsonl'), `${receiptOf(payload)}\n${receiptOf(payload)}\n`);

async function verify(...args: string[]) {
  let said = '';
  const output = {
    write(text: string) {
      said += text;
      return true;
    },
  };
  const code = await main(['verify', '--no-state', ...args], output as never, output as never);
  return { code, said };
}

test('an approval that holds is said to, with what it does not show', async () => {
  const { code, said } = await verify(at('receipt.json'), '--approval', at('approval.json'));
  assert.equal(code, 0, said);
  assert.match(said, /approval\.json: OK\. A passkey signed exactly what this receipt seals \(ES256\)/);
  assert.match(said, /Whose passkey it is, is the ledger’s word: Ada Examiner \(user_1\)/);
  const { said: json } = await verify('--json', at('receipt.json'), '--approval', at('approval.json'));
  const { ok, approval } = JSON.parse(json);
  assert.deepEqual([ok, approval.ok, approval.signed.approver_id], [true, true, 'user_1']);
});

test('one that does not hold fails the whole, with its code', async () => {
  const { code, said } = await verify(at('receipt.json'), '--approval', at('another.json'));
  assert.equal(code, 1);
  assert.match(said, /another\.json: FAILED, bad_signature\./);
  const elsewhere = await verify(
    at('receipt.json'),
    '--approval',
    at('approval.json'),
    '--origin',
    'https://x.example',
  );
  assert.match(elsewhere.said, /FAILED, wrong_origin/);
});

test('what cannot be asked is wrong use', async () => {
  for (const args of [
    [at('receipt.json'), '--activity', at('chain.jsonl')],
    [at('receipt.json'), '--origin', 'https://x.example'],
    [at('receipt.json'), at('receipt.json'), '--approval', at('approval.json')],
    [at('receipt.json'), '--approval', at('nothing.json')],
    [at('receipt.json'), '--approval', at('approval.json'), '--origin', 'here'],
  ])
    assert.equal((await verify(...args)).code, 2, args.join(' '));
});
