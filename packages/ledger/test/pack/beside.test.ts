/** What a pack takes along beside the receipts: approvals, disclosures, time stamps. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyApproval } from '@rcpt/proof/approval/approval.ts';
import { checkDisclosure } from '@rcpt/proof/disclosures.ts';
import { openCheckpoint } from '@rcpt/proof/log/checkpoint.ts';
import { parseConsistency } from '@rcpt/proof/log/consistency-file.ts';
import { extendsTree } from '@rcpt/proof/log/merkle.ts';
import { parseVerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { insertTimestamp } from '../../src/store/timestamps.ts';
import { disclosing, erasing, mintedWith } from '../kit/beside.ts';
import { approveSigned, ORIGIN, offer, signer } from '../kit/passkeys.ts';
import { eachLedger, type Tenant } from '../kit/running.ts';
import { mintedReceipt as mint, runAt } from '../kit/story.ts';
import { unzip } from '../kit/unzip.ts';

eachLedger(
  'beside the receipts of a pack',
  (ledger) => {
    async function taken(tenant: Tenant): Promise<Map<string, Buffer>> {
      const headers = { authorization: `Bearer ${tenant.keys.owner}` };
      const answer = await fetch(`${ledger.url}/ledger/pack?pdfs=false`, { headers });
      const entries = await unzip(Buffer.from(await answer.arrayBuffer()));
      return new Map(entries.map(({ path, bytes }) => [path, bytes]));
    }

    test('stands what a passkey signed, and it holds against the receipt', async () => {
      const tenant = await ledger.tenant();
      await offer(tenant);
      const run = await runAt(tenant, 'Verdict', 'generic');
      await approveSigned(await signer(ledger, tenant), run);
      const receipt = await tenant.as('owner')('POST', `/runs/${run}/receipt`);
      const plain = await mint(tenant);
      const pack = await taken(tenant);
      const { approver_name } = await verifyApproval(
        pack.get(`receipts/${receipt.receipt_id}.json`)!,
        pack.get(`approvals/${receipt.receipt_id}.json`)!,
      );
      assert.equal(approver_name, receipt.approval.approved_by);
      assert.equal(pack.has(`approvals/${plain.receipt_id}.json`), false);
      const readme = pack.get('README.txt')!.toString();
      assert.match(readme, / 1 approval that a person signed with a passkey/);
      assert.match(readme, /--approval approvals\/ID\.json --activity activity\/activity\.ndjson/);
    });

    test('stands what is disclosed, and nothing that is withheld, erased, or behind a link that is off', async () => {
      const tenant = await ledger.tenant();
      const told = {
        inputs: { patient: { name: 'Ada' }, ward: 'Seven' },
        private: ['/inputs/patient', '/inputs/ward', '/title'],
      };
      const minted = await mintedWith(tenant, told);
      const { receipt_id } = minted.receipt;
      assert.equal((await disclosing(tenant, minted, ['/inputs/patient', '/output'])).status, 200);
      const shown = await taken(tenant);
      const { disclosures } = JSON.parse(shown.get(`disclosures/${receipt_id}/list.json`)!.toString());
      const states = Object.fromEntries(disclosures.map(({ path, state }: Record<string, string>) => [path, state]));
      assert.deepEqual(states, {
        '/inputs/patient': 'disclosed',
        '/inputs/ward': 'withheld',
        '/title': 'withheld',
        '/output': 'disclosed',
      });
      const [patient, output] = [...shown].filter(([path]) => path.startsWith(`disclosures/${receipt_id}/`)).slice(1);
      assert.deepEqual(checkDisclosure(minted.receipt, '/inputs/patient', patient![1].toString()), {
        ok: true,
        name: 'patient',
        value: { name: 'Ada' },
      });
      assert.equal(output![1].toString(), 'The roof needs two new tiles.');
      assert.ok(![...shown.values()].some((bytes) => bytes.includes('Seven')));
      await erasing(tenant, minted, '/inputs/patient', 'asked for');
      const erased = await taken(tenant);
      assert.ok(![...erased.values()].some((bytes) => bytes.includes('"Ada"')));
      assert.match(erased.get(`disclosures/${receipt_id}/list.json`)!.toString(), /"state":"erased"/);
      await tenant.as('owner')('PUT', `/receipts/${receipt_id}/share`, { enabled: false });
      assert.deepEqual(
        [...(await taken(tenant)).keys()].filter((path) => path.startsWith('disclosures/')),
        [],
      );
    });

    test('stands the first time stamp since, and that its checkpoint continues the one at the end', async () => {
      const tenant = await ledger.tenant();
      const first = await mint(tenant);
      await new Promise((resolve) => setTimeout(resolve, 3));
      await mint(tenant);
      const { text: checkpoint } = await tenant.ask('auditor', 'GET', '/ledger/checkpoint');
      // What an authority answers is another test's: here it is bytes.
      const stamped = {
        size: 2,
        checkpoint,
        answer: Buffer.from('stamp').toString('base64'),
        stamped_at: first.created_at,
      };
      await ledger.db.transaction((tx) => insertTimestamp(tx, tenant.organization_id, 'receipts', stamped));
      const headers = { authorization: `Bearer ${tenant.keys.owner}` };
      const to = new Date(Date.parse(first.created_at) + 1).toISOString();
      const answer = await fetch(`${ledger.url}/ledger/pack?pdfs=false&to=${to}`, { headers });
      const pack = new Map(
        (await unzip(Buffer.from(await answer.arrayBuffer()))).map(({ path, bytes }) => [path, bytes]),
      );
      const key = parseVerifierKey(pack.get('keys/receipts.txt')!.toString().split('\n')[0]!);
      const end = await openCheckpoint(pack.get('checkpoints/end.txt')!.toString(), key);
      const later = await openCheckpoint(pack.get('timestamp/checkpoint.txt')!.toString(), key);
      assert.deepEqual([end.size, later.size], [1, 2]);
      assert.ok(extendsTree(end, later, parseConsistency(pack.get('timestamp/end-to-checkpoint.txt')!.toString())));
      assert.equal(pack.get('timestamp/timestamp.tsr')!.toString(), 'stamp');
      assert.match(pack.get('README.txt')!.toString(), /openssl ts -verify -data timestamp\/checkpoint\.txt/);
    });
  },
  { LEDGER_BASE_URL: ORIGIN },
);
