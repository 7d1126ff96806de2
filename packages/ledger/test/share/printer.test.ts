import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { logOf } from '../../../../test/kit/signed-log.ts';
import { renderCard } from '../../src/share/card.ts';
import { createFairCache } from '../../src/share/fair-cache.ts';
import { renderPage } from '../../src/share/page/page.ts';
import { renderPdf } from '../../src/share/pdf/pdf.ts';
import { type Asked, createPrinter } from '../../src/share/printer.ts';
import { genericReceipt, LINK, sealed } from '../kit/print.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
/** With a busy machine. */
const PATIENT = { timeout_ms: 120_000 };

const asked = (organization_id = 'org_1', receipt: object = genericReceipt()): Asked => {
  const { bytes, share_url } = sealed(receipt);
  return { organization_id, bytes, share_url };
};
const titled = (title: string) => ({ ...genericReceipt(), run: { id: 'run_1', lane: 'generic', title, inputs: {} } });

describe('the printer', () => {
  it('draws page, PDF and card as they are drawn here, once, and hands the same file out again', async () => {
    const printer = createPrinter(PATIENT);
    const here = {
      page: Buffer.from(renderPage(sealed())),
      pdf: await renderPdf(sealed()),
      card: await renderCard(sealed()),
    };
    for (const form of ['page', 'pdf', 'card'] as const) {
      const [first, again] = await Promise.all([printer[form](asked()), printer[form](asked())]);
      assert.equal(sha256(first.file), sha256(here[form]), form);
      assert.equal(again, first);
      assert.equal(await printer[form](asked()), first);
      assert.deepEqual([first.verified, first.name], [true, 'RCPT-000012-9f3ac01b']);
      assert.match(first.etag, /^"[\w-]{22}"$/);
    }
    await printer.close();
  });

  it('asks for the proof only when a PDF is drawn, and again in a while where there was none', async () => {
    let asked_for = 0;
    let now = 0;
    const log = logOf(Array(13).fill(sealed().bytes), 'ledger.test/org/org_1');
    const proof = await log.proof(12);
    const besideOf = async () => (asked_for++ === 0 ? null : { proof, keys: log.signer.vkey });
    const printer = createPrinter({ ...PATIENT, besideOf, now: () => now });
    const of = { ...asked(), org_seq: 12 };
    await printer.page(of);
    const without = await printer.pdf(of);
    assert.equal(await printer.pdf(of), without);
    assert.equal(asked_for, 1);
    now += 60_001;
    const proven = await printer.pdf(of);
    assert.notEqual(proven.etag, without.etag);
    assert.equal(await printer.pdf(of), proven);
    assert.equal(asked_for, 2);
    await printer.close();
  });

  it('says of altered bytes, and of a receipt behind another link, that they are not what was shared', async () => {
    const printer = createPrinter(PATIENT);
    const intact = asked();
    const large = asked('org_1', { ...genericReceipt(), run: { id: 'r', lane: 'generic', title: 'x'.repeat(60_000) } });
    for (const whole of [intact, large]) {
      assert.deepEqual(await printer.see(whole), { verified: true, name: 'RCPT-000012-9f3ac01b' });
      const altered = { ...whole, bytes: whole.bytes.replace('"score_100":96', '"score_100":97') };
      const elsewhere = { ...whole, share_url: LINK.replace(/\w$/, 'x') };
      for (const other of [altered, elsewhere]) {
        assert.equal((await printer.see(other)).verified, false);
        assert.equal((await printer.page(other)).verified, false);
        assert.match(Buffer.from((await printer.page(other)).file).toString(), /no longer matches its hash/);
      }
      // The address of the ledger may change.
      assert.equal(
        (await printer.see({ ...whole, share_url: whole.share_url.replace('ledger.test', 'new.test') })).verified,
        true,
      );
    }
    assert.deepEqual(await printer.see({ ...intact, bytes: 'no JSON' }), { verified: false, name: 'receipt' });
    await printer.close();
  });

  it('gives each organization its turn, however much another asks for', async () => {
    const printer = createPrinter(PATIENT);
    const done: string[] = [];
    const draw = (whose: string, title: string) =>
      printer.pdf(asked(whose, titled(title))).then(() => done.push(whose));
    // Both threads are there.
    await Promise.all([draw('org_1', 'first'), draw('org_2', 'first')]);
    done.length = 0;
    const all = Array.from({ length: 20 }, (_, i) => draw('org_1', `number ${i}`));
    all.push(draw('org_2', 'the only one'));
    await Promise.all(all);
    assert.ok(done.indexOf('org_2') <= 4, `as number ${done.indexOf('org_2')}`);
    await printer.close();
  });

  it('refuses those of whose organization too much waits, serves the others, and takes nothing once it is closed', async () => {
    const printer = createPrinter({ ...PATIENT, waiting_each: 2 });
    const jobs = Array.from({ length: 6 }, (_, i) => printer.pdf(asked('org_1', titled(`number ${i}`))));
    const other = printer.pdf(asked('org_2'));
    const outcomes = await Promise.allSettled(jobs);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.equal(refused.length, 3);
    for (const { reason } of refused) assert.equal((reason as { code: string }).code, 'rate_limited');
    assert.ok((await other).file.byteLength > 10_000);
    // Nothing is kept of a refusal.
    for (let i = 0; i < 6; i++)
      assert.ok((await printer.pdf(asked('org_1', titled(`number ${i}`)))).file.byteLength > 10_000);
    await printer.close();
    await assert.rejects(printer.pdf(asked('org_3')), { code: 'overloaded' });
  });

  it('remembers what could not be drawn, and tries again after a while', async () => {
    const clock = { ms: 0 };
    const faults: string[] = [];
    const printer = createPrinter({ ...PATIENT, now: () => clock.ms, onFault: ({ message }) => faults.push(message) });
    const broken = { ...asked(), share_url: null as unknown as string };
    for (let i = 0; i < 3; i++) await assert.rejects(printer.pdf(broken), { code: 'receipt_not_drawn' });
    assert.equal(faults.length, 1);
    assert.match(faults[0]!, /TypeError/);
    clock.ms += 600_000;
    await assert.rejects(printer.pdf(broken), { code: 'receipt_not_drawn' });
    assert.equal(faults.length, 2);
    assert.ok((await printer.pdf(asked())).file.byteLength > 10_000, 'another one is drawn');
    await printer.close();
  });

  it('gives up a drawing that takes too long, remembers it for a minute, and draws the next in a new thread', async () => {
    const clock = { ms: 0 };
    const faults: string[] = [];
    const options = { timeout_ms: 1, now: () => clock.ms, onFault: ({ message }: Error) => faults.push(message) };
    const printer = createPrinter(options);
    for (let i = 0; i < 3; i++) await assert.rejects(printer.pdf(asked()), { code: 'receipt_not_drawn' });
    assert.equal(faults.length, 1);
    assert.match(faults[0]!, /longer than 1 ms/);
    clock.ms += 60_000;
    await assert.rejects(printer.pdf(asked()), { code: 'receipt_not_drawn' });
    assert.equal(faults.length, 2);
    await printer.close();
  });

  it('finishes what it took before it closes', async () => {
    const printer = createPrinter(PATIENT);
    const jobs = [0, 1, 2].map((i) => printer.pdf(asked('org_1', titled(`number ${i}`))));
    await printer.close();
    for (const { file } of await Promise.all(jobs)) assert.ok(file.byteLength > 10_000);
  });
});

describe('the memory of drawings', () => {
  it('holds so many bytes, and forgets what was not asked for longest', () => {
    const memory = createFairCache<number>(100);
    for (let i = 0; i < 5; i++) memory.put('org_1', `k${i}`, i, 20);
    assert.equal(memory.get('org_1', 'k0'), 0);
    memory.put('org_1', 'k5', 5, 20);
    assert.deepEqual(
      ['k0', 'k1', 'k2', 'k5'].map((key) => memory.get('org_1', key)),
      [0, undefined, 2, 5],
    );
    memory.put('org_1', 'k5', 6, 25);
    assert.equal(memory.get('org_1', 'k5'), 6);
  });

  it('keeps nothing that takes more than a quarter of it', () => {
    const memory = createFairCache<number>(100);
    memory.put('org_1', 'small', 1, 25);
    memory.put('org_1', 'large', 2, 26);
    assert.deepEqual([memory.get('org_1', 'small'), memory.get('org_1', 'large')], [1, undefined]);
  });

  it('takes room from whoever holds most: a thousand of one organization leave the few of another', () => {
    const memory = createFairCache<number>(1_000);
    for (let i = 0; i < 5; i++) memory.put('org_2', `k${i}`, i, 20);
    for (let i = 0; i < 1_000; i++) memory.put('org_1', `k${i}`, i, 20);
    assert.deepEqual(
      [0, 1, 2, 3, 4].map((i) => memory.get('org_2', `k${i}`)),
      [0, 1, 2, 3, 4],
    );
    const kept = Array.from({ length: 1_000 }, (_, i) => memory.get('org_1', `k${i}`)).filter((i) => i !== undefined);
    assert.equal(kept.length, 45);
    assert.equal(kept.at(-1), 999);
  });
});
