/** What the page's script says. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { logOf, type Signer, signerNamed } from '../../../../test/kit/signed-log.ts';
import { openPageScript, type PageScript } from '../kit/page-script.ts';
import { genericReceipt, sealed } from '../kit/print.ts';

describe('the check in the browser', () => {
  let script: PageScript;
  before(() => {
    script = openPageScript();
  });
  after(() => script.close());
  const visit = (...of: Parameters<PageScript['visit']>) => script.visit(...of);

  const { bytes, receipt } = sealed();
  const { receipt_sha256 } = receipt as { receipt_sha256: string };

  it('computes the hash of the downloaded bytes, and says that it is the stated one', async () => {
    const { tone, said, hash, advice } = await visit(bytes, async () => new Response(bytes));
    assert.equal(tone('integrity'), 'good');
    assert.equal(said('integrity'), 'The receipt is byte for byte what was hashed when it was sealed.');
    assert.equal(hash, receipt_sha256);
    assert.equal(tone('inclusion_and_completeness'), 'neutral');
    assert.match(advice('inclusion_and_completeness'), /No proof came with this page: the proof was answered with 404/);
  });

  it('checks the proof with the key beside it, and says that the key came with it', async () => {
    const receipts = Array.from({ length: 12 }, (_, i) => `before ${i}`);
    const log = logOf([...receipts, bytes], 'ledger.test/org/org_1');
    const { tone, said } = await visit(
      bytes,
      async () => new Response(bytes),
      await log.proof(12),
      `${log.signer.vkey}\n`,
    );
    assert.equal(tone('inclusion_and_completeness'), 'good');
    assert.match(said('inclusion_and_completeness'), /stands at 12 among the 13 of the signed checkpoint/);
    assert.equal(tone('identity'), 'neutral');
    assert.match(said('identity'), /it came with what was checked/);
    const other = logOf([...receipts, 'another'], 'ledger.test/org/org_1');
    const forged = await visit(bytes, async () => new Response(bytes), await other.proof(12), log.signer.vkey);
    assert.equal(forged.tone('inclusion_and_completeness'), 'bad');
  });

  it('says which of the named witnesses have cosigned, and since when', async () => {
    const [one, other, stranger] = ['one', 'other', 'stranger'].map((name) => signerNamed(`${name}.example`, 4)) as [
      Signer,
      Signer,
      Signer,
    ];
    const log = logOf([...Array.from({ length: 12 }, (_, i) => `before ${i}`), bytes], 'ledger.test/org/org_1');
    const at = (name: Signer, time: number) => ({ signer: name, time });
    const cosigned = async (named: Signer[], ...by: { signer: Signer; time: number }[]) => {
      const proof = await log.proof(12, 13, by);
      const keys = named.map(({ vkey }) => `${vkey}\n`).join('');
      return (await visit(bytes, async () => new Response(bytes), proof, log.signer.vkey, keys)).cosigned;
    };
    const [earlier, later] = [at(one, 1_790_000_000), at(other, 1_790_000_060)];
    assert.equal(
      await cosigned([one, other, stranger], earlier, later),
      'Cosigned by 2 of 3 witnesses, last at 2026-09-21T14:14:20Z. The organization names them.',
    );
    assert.match(
      await cosigned([one], earlier, later),
      /^Cosigned by 1 of 1 witnesses, last at 2026-09-21T14:13:20Z\./,
    );
    assert.match(await cosigned([stranger], earlier), /^Cosigned by 0 of 1 witnesses\./);
    assert.match(await cosigned([other, stranger], earlier), /^Cosigned by 0 of 2 witnesses\./);
    assert.match(await cosigned([], earlier), /^The organization names no witness/);
    const imitated = signerNamed('one.example', 4, 'another seed');
    const forged = { ...one, sign: imitated.sign };
    assert.match(await cosigned([one], at(forged, 1_790_000_000)), /does not hold/);
  });

  it('says that altered bytes do not hold, and which hash they have', async () => {
    const altered = bytes.replace('Send it.', 'Sent it.');
    const { tone, said, hash } = await visit(bytes, async () => new Response(altered));
    assert.equal(tone('integrity'), 'bad');
    assert.match(said('integrity'), /does not hold/);
    assert.match(hash, /^[0-9a-f]{64}$/);
    assert.notEqual(hash, receipt_sha256);
  });

  it('says so when the page shows another receipt than its link leads to', async () => {
    const other = sealed({ ...genericReceipt(), receipt_id: 'RCPT-000013-00000000', org_seq: 13 });
    const { tone, said } = await visit(bytes, async () => new Response(other.bytes));
    assert.equal(tone('integrity'), 'bad');
    assert.match(said('integrity'), /another receipt .* RCPT-000013-00000000/);
  });

  it('claims nothing when it could not download, or what came is no receipt', async () => {
    const busy = await visit(bytes, async () => new Response('', { status: 429 }));
    assert.deepEqual([busy.tone('integrity'), busy.hash], ['neutral', '']);
    assert.match(busy.said('integrity'), /Not checked: .*429/);
    const away = await visit(bytes, () => Promise.reject(new TypeError('offline')));
    assert.match(away.said('integrity'), /Not checked/);
    const page = await visit(bytes, async () => new Response('<html>'));
    assert.equal(page.tone('integrity'), 'bad');
  });
});
