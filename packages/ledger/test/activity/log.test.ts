/**
 * The activity chain has a checkpoint of its own (docs/spec.md §27, §34): who holds an earlier one notices that the operator cut the
 * chain, or wrote it anew with everything that they have: database, keys and ledger.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromBase64 } from '@rcpt/proof/log/bytes.ts';
import { openCheckpoint, type VerifiedCheckpoint } from '@rcpt/proof/log/checkpoint.ts';
import { extendsTree, leafHash } from '@rcpt/proof/log/merkle.ts';
import { appendLeaf, rootOfPeaks } from '@rcpt/proof/log/peaks.ts';
import { parseVerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { forgetSigned, rewriteActivity } from '../kit/activity-forgery.ts';
import { eachLedger, type Tenant } from '../kit/running.ts';

async function keysOf(tenant: Tenant) {
  const { text } = await tenant.ask('auditor', 'GET', '/activity/key');
  return text.trim().split('\n').map(parseVerifierKey);
}

async function checkpointOf(tenant: Tenant): Promise<VerifiedCheckpoint> {
  const { status, text } = await tenant.ask('auditor', 'GET', '/activity/checkpoint');
  assert.equal(status, 200, text);
  const [key] = await keysOf(tenant);
  return openCheckpoint(text, key!);
}

async function consistencyOf(tenant: Tenant, from: number, to: number): Promise<Uint8Array[]> {
  const { text } = await tenant.ask('auditor', 'GET', `/activity/consistency?from=${from}&to=${to}`);
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => fromBase64(line)!);
}

eachLedger('the log of an activity chain', (ledger) => {
  test('has its own name, and is consistent as it grows', async () => {
    const tenant = await ledger.tenant();
    const earlier = await checkpointOf(tenant);
    assert.match(earlier.origin, new RegExp(`/org/${tenant.organization_id}/activity$`));
    for (let i = 0; i < 5; i++) await tenant.as('owner')('PATCH', '/organization', { four_eyes: i % 2 === 0 });
    const later = await checkpointOf(tenant);
    assert.equal(later.size, earlier.size + 5);
    assert.ok(extendsTree(earlier, later, await consistencyOf(tenant, earlier.size, later.size)));
  });

  test('is the tree over the exported lines, which its tiles hold', async () => {
    const tenant = await ledger.tenant();
    const { text } = await tenant.ask('auditor', 'GET', '/activity/export');
    const lines = text.split('\n').slice(0, -1);
    await tenant.ask('auditor', 'GET', '/activity/checkpoint');
    const peaks = lines.reduce<Uint8Array[]>((grown, line, i) => appendLeaf(grown, i, leafHash(Buffer.from(line))), []);
    const hashes = await fetch(`${ledger.url}/activity/tile/0/000.p/${lines.length}`, {
      headers: { authorization: `Bearer ${tenant.keys.auditor}` },
    });
    assert.deepEqual(
      Buffer.from(await hashes.arrayBuffer()),
      Buffer.concat(lines.map((line) => leafHash(Buffer.from(line)))),
    );
    const { size, root } = await checkpointOf(tenant);
    if (size === lines.length) assert.deepEqual(Buffer.from(root), Buffer.from(rootOfPeaks(peaks)));
    else assert.equal(size, lines.length + 1, 'the export itself is a line');
  });

  test('is for owners and auditors alone', async () => {
    const tenant = await ledger.tenant();
    for (const path of ['checkpoint', 'consistency?from=1&to=1', 'tile/0/000.p/1', 'key'])
      for (const [role, status] of [
        ['agent', 403],
        ['approver', 403],
        ['auditor', 200],
        ['owner', 200],
      ] as const)
        assert.equal((await tenant.ask(role, 'GET', `/activity/${path}`)).status, status, `${role} ${path}`);
  });

  for (const [done, change] of [
    ['its tail is cut off', (line: number) => line < 3],
    ['a line in its midst is left out', (line: number) => line !== 2],
    ['somebody else is said to have acted', (line: number) => (line === 2 ? 'Somebody Else' : true)],
  ] as const)
    test(`where ${done}, the ledger signs nothing more`, async () => {
      const tenant = await ledger.doomedTenant();
      await checkpointOf(tenant);
      await rewriteActivity(ledger.db, tenant, change);
      for (let i = 0; i < 2; i++) {
        const { status, json } = await tenant.ask('auditor', 'GET', '/activity/checkpoint');
        assert.deepEqual([status, json.code], [409, 'log_inconsistent']);
        // What is done afterwards does not heal it.
        await tenant.as('owner')('POST', '/keys', { role: 'agent' });
      }
    });

  for (const [done, change] of [
    ['cut off', (line: number) => line < 3],
    ['written anew', (line: number) => (line === 2 ? 'Somebody Else' : true)],
  ] as const)
    test(`${done}, signed anew and grown beyond: the holder of an earlier checkpoint notices`, async () => {
      const tenant = await ledger.doomedTenant();
      const held = await checkpointOf(tenant);
      await rewriteActivity(ledger.db, tenant, change);
      await forgetSigned(ledger.db, tenant);
      for (let i = 0; i < 8; i++) await tenant.as('owner')('PATCH', '/organization', { four_eyes: i % 2 === 0 });
      // The chain verifies by itself, and the signature is the organization's own.
      const { text } = await tenant.ask('auditor', 'GET', '/activity/verify');
      assert.doesNotMatch(text, /payload_altered|sequence_gap|broken_parent_link|head_mismatch/);
      const later = await checkpointOf(tenant);
      assert.ok(later.size > held.size);
      assert.equal(extendsTree(held, later, await consistencyOf(tenant, held.size, later.size)), false);
    });
});
