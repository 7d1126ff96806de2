/** The picture beside a share link: whatever a receipt says, it is a picture of the right size, and the same every time. */
import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { drawCard, renderCard } from '../../src/share/card.ts';
import { CARD } from '../../src/share/card-size.ts';
import { createPrinter } from '../../src/share/printer.ts';
import { genericReceipt, sealed } from '../kit/print.ts';

// The same values every time; TEST_SEED=<number> tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const titled = (title: string) => sealed(genericReceipt((usual) => (usual === 'Weekly digest' ? title : usual)));

describe('the card of a receipt', () => {
  it('is a PNG of 1200 × 630, the same bytes each time and in the thread that prints', async () => {
    const card = Buffer.from(await renderCard(sealed()));
    assert.deepEqual(sizeOf(card), CARD);
    const printer = createPrinter({ timeout_ms: 120_000 });
    const { bytes, share_url } = sealed();
    const [there, again] = await Promise.all([
      printer.card({ organization_id: 'org_1', bytes, share_url }),
      renderCard(sealed()),
    ]);
    await printer.close();
    assert.equal(sha256(there.file), sha256(card));
    assert.equal(sha256(again), sha256(card));
  });

  it('is another one when the receipt was altered', async () => {
    const altered = { ...sealed(), verified: false };
    assert.notEqual(sha256(await renderCard(altered)), sha256(await renderCard(sealed())));
    // The colour of alarm at its upper edge, and nothing that encourages.
    assert.match(drawCard(altered), /fill="#a3182a" d="M0 0h1200v10/);
    assert.doesNotMatch(drawCard(altered), /#12633c/);
  });

  it('holds nothing that was said as markup, and cuts what is too long', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 500 }),
          fc.constantFrom(
            '<script>alert(1)</script>',
            'مرحبا بالعالم '.repeat(40),
            '🎉🏳️‍🌈'.repeat(60),
            'a'.repeat(500),
            '\u0301'.repeat(9),
          ),
        ),
        (title) => {
          const drawing = drawCard(titled(title));
          assert.deepEqual(
            new Set(drawing.match(/<[a-z]+/g)),
            new Set(['<svg', '<path', '<g', ...(drawing.includes('<rect') ? ['<rect'] : [])]),
          );
          assert.doesNotMatch(drawing, /NaN|undefined|script/);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is drawn of whatever else is stored under the link', async () => {
    for (const receipt of [{}, { schema: 1, organization: [], receipt_id: {} }, { created_at: 'x'.repeat(10_000) }]) {
      const card = await renderCard({ receipt, bytes: '{}', verified: false, share_url: 'http://ledger.test/share/a' });
      assert.deepEqual(sizeOf(Buffer.from(card)), CARD);
    }
  });
});

function sizeOf(png: Buffer): { width: number; height: number } {
  assert.deepEqual(png.subarray(0, 8), PNG);
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
