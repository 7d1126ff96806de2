/** A list of a million rows can be scrolled through, row for row, although no element may be that tall. */
import { strict as assert } from 'node:assert';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type Extent,
  grownAbove,
  heightOf,
  type Place,
  placeAtScroll,
  placeAtTop,
  placeShowing,
  rowsSeen,
  scrolled,
  TALLEST,
} from '../../../src/pages/ledger/scaled-scroll.ts';

// The same values every time; TEST_SEED=<number> tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

const ROW = 56;
const MILLION: Extent = { total: 1_000_000 * ROW, view: 600 };
const FEW: Extent = { total: 40 * ROW, view: 600 };
const maxScroll = (extent: Extent) => heightOf(extent.total) - extent.view;
const START: Place = { scroll: 0, top: 0 };

describe('scaled scrolling', () => {
  test('a short list scrolls as every element does', () => {
    assert.equal(heightOf(FEW.total), FEW.total);
    for (const scroll of [0, 1, 640.5, maxScroll(FEW)]) {
      assert.deepEqual(placeAtScroll(scroll, FEW), { scroll, top: scroll });
      assert.deepEqual(placeAtTop(scroll, FEW), { scroll, top: scroll });
    }
    assert.deepEqual(placeAtScroll(0, { total: 3 * ROW, view: 600 }), START);
  });

  test('a million rows fit below the height where browsers end', () => {
    assert.equal(heightOf(MILLION.total), TALLEST);
    assert.ok(TALLEST < 17_000_000);
  });

  test('both ends are reached exactly', () => {
    assert.equal(placeAtScroll(0, MILLION).top, 0);
    assert.equal(placeAtScroll(maxScroll(MILLION), MILLION).top, MILLION.total - MILLION.view);
    assert.deepEqual(placeAtTop(Number.MAX_VALUE, MILLION), {
      scroll: maxScroll(MILLION),
      top: MILLION.total - MILLION.view,
    });
    assert.deepEqual(placeAtTop(-5, MILLION), START);
  });

  test('every row can be brought to the top, and the element then stands for it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_000 }), (row) => {
        const place = placeAtTop(row * ROW, MILLION);
        assert.ok(place.scroll >= 0 && place.scroll <= maxScroll(MILLION));
        assert.equal(place.top, row * ROW);
        // A pixel of the element is eight of the list in the middle, so a scroll position names a row nearby.
        assert.ok(Math.abs(placeAtScroll(place.scroll, MILLION).top - place.top) < 0.01);
      }),
    );
  });

  test('further down in the element is further down in the list', () => {
    const scroll = fc.integer({ min: 0, max: maxScroll(MILLION) });
    fc.assert(
      fc.property(scroll, scroll, (a, b) => {
        assert.equal(a < b, placeAtScroll(a, MILLION).top < placeAtScroll(b, MILLION).top);
      }),
    );
  });

  test('a turn of the wheel moves the list by as many pixels, wherever one is', () => {
    for (const top of [0, 500, 20_000_000, 55_000_000]) {
      const place = placeAtTop(top, MILLION);
      const next = scrolled(place, place.scroll + 120, MILLION);
      assert.ok(Math.abs(next.top - place.top - 120) < 1e-6);
    }
  });

  test('the wheel alone leads from the middle to the very end, put back in place at every rest', () => {
    let place = placeAtTop(MILLION.total - 3_000_000, MILLION);
    for (let turn = 0; place.top < MILLION.total - MILLION.view; turn++) {
      assert.ok(turn < 10_000, `still at ${place.top}`);
      place = scrolled(place, Math.min(place.scroll + 500, maxScroll(MILLION)), MILLION);
      if (turn % 20 === 0) place = placeAtTop(place.top, MILLION);
    }
    assert.equal(place.top, MILLION.total - MILLION.view);
  });

  test('a dragged scrollbar leads to the same part of the list as of the element', () => {
    const { top } = scrolled(START, maxScroll(MILLION) / 2, MILLION);
    assert.ok(Math.abs(top - (MILLION.total - MILLION.view) / 2) < MILLION.view);
  });

  test('rows that are added above leave what is read where it is, and the beginning at the beginning', () => {
    const before = placeAtTop(700 * ROW, MILLION);
    const grown = { ...MILLION, total: MILLION.total + 3 * ROW };
    assert.equal(grownAbove(before, 3 * ROW, grown).top, 703 * ROW);
    assert.equal(grownAbove(START, 3 * ROW, grown).top, 0);
  });

  test('a row that is seen whole stays; one at the edge moves in', () => {
    const place = placeAtTop(100 * ROW, MILLION);
    assert.equal(placeShowing(place, 103 * ROW, ROW, MILLION).top, place.top);
    assert.equal(placeShowing(place, 99 * ROW, ROW, MILLION).top, 99 * ROW);
    assert.equal(placeShowing(place, 110 * ROW, ROW, MILLION).top, 111 * ROW - MILLION.view);
  });

  test('only the rows that are seen and a few around them exist', () => {
    assert.deepEqual(rowsSeen(0, 600, ROW, 1_000_000), { first: 0, end: 19 });
    assert.deepEqual(rowsSeen(500_000 * ROW, 600, ROW, 1_000_000), { first: 499_992, end: 500_019 });
    assert.deepEqual(rowsSeen(MILLION.total - 600, 600, ROW, 1_000_000), { first: 999_981, end: 1_000_000 });
    assert.deepEqual(rowsSeen(0, 600, ROW, 0), { first: 0, end: 0 });
  });
});
