/** The parts of the compute pages that need no browser: times, charts, logs. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  bucketAt,
  columnOf,
  labelled,
  labelledHours,
  stack,
  steps,
  ticks,
} from '../../../src/pages/compute/chart/geometry.ts';
import { durationWords, hoursWords, timeLeft } from '../../../src/pages/compute/duration.ts';
import { append, asText, matching, NO_LINES, visibleLines, withoutTabs } from '../../../src/pages/compute/log/lines.ts';

describe('durations', () => {
  test('are worded to the two units that matter', () => {
    const worded = [0, 0.4, 43, 400, 12_000, 59_400, 59_600, 185_000, 3_600_000, 7_800_000, 90_000_000, -5].map(
      durationWords,
    );
    assert.deepEqual(worded, [
      '0 s',
      '1 ms',
      '43 ms',
      '0.4 s',
      '12 s',
      '59 s',
      '1 min 00 s',
      '3 min 05 s',
      '1 h 00 min',
      '2 h 10 min',
      '1 day 1 h',
      '0 s',
    ]);
  });

  test('a lease counts down to the second and is over at its instant', () => {
    const until = '2026-05-29T20:10:00.000+00:00';
    const at = (before_ms: number) => timeLeft(until, Date.parse(until) - before_ms);
    assert.deepEqual([600_000, 582_000, 1, 3_729_000].map(at), ['10:00', '9:42', '0:01', '1:02:09']);
    assert.equal(at(0), null);
    assert.equal(at(-1), null);
    assert.equal(timeLeft('no instant', 0), null);
  });

  test('hours keep the six places the meter has', () => {
    assert.deepEqual([2, 0.1, 0.000278, 8784].map(hoursWords), ['2 h', '0.1 h', '0.000278 h', '8,784 h']);
  });
});

describe('charts', () => {
  test('marks stand at round values and the highest value is below the last one', () => {
    assert.deepEqual(ticks(0, 3, true), [0, 1]);
    assert.deepEqual(ticks(1, 3, true), [0, 1]);
    assert.deepEqual(ticks(7, 3, true), [0, 5, 10]);
    assert.deepEqual(ticks(0.3, 3, false), [0, 0.1, 0.2, 0.3]);
    assert.deepEqual(ticks(61.5, 3, false), [0, 50, 100]);
    for (let highest = 0.01; highest < 1e6; highest *= 1.37) {
      const marks = ticks(highest, 3, false);
      assert.ok(marks.length <= 4 && marks.at(-1)! >= highest * (1 - 1e-9), `${highest}: ${marks}`);
    }
  });

  const frame = { width: 240, height: 100, highest: 10, buckets: 24 };

  test('bars stand on each other, inside their column, and what is there can be seen', () => {
    const [completed, failed, canceled] = stack(frame, 3, [6, 0, 0.01]);
    const column = columnOf(frame, 3);
    assert.deepEqual([completed!.y, completed!.height], [40, 60]);
    assert.equal(failed, null);
    assert.deepEqual([canceled!.y, canceled!.height], [39, 1]);
    assert.ok(completed!.x >= column.x && completed!.x + completed!.width <= column.x + column.width);
  });

  test('a pointer anywhere is over exactly one bucket', () => {
    assert.deepEqual(
      [-5, 0, 9.9, 10, 239.9, 240, 999].map((x) => bucketAt(frame, x)),
      [0, 0, 0, 1, 23, 23, 23],
    );
  });

  test('steps hold each value for its whole bucket', () => {
    const two = { ...frame, width: 20, buckets: 2 };
    assert.deepEqual(steps(two, [10, 0]), { line: 'M0 0H10V100H20', area: 'M0 0H10V100H20V100H0Z' });
    assert.deepEqual(steps({ ...two, buckets: 0 }, []), { line: '', area: '' });
  });

  test('labels are the same distance apart and the last bucket has one', () => {
    assert.deepEqual(labelled(24, 4), [5, 11, 17, 23]);
    assert.deepEqual(labelled(7, 10), [0, 1, 2, 3, 4, 5, 6]);
    assert.deepEqual(labelled(30, 0), [29]);
  });

  test('hours are labelled where a clock would be', () => {
    const from = Date.UTC(2026, 4, 29, 13);
    const hours = Array.from({ length: 24 }, (_, i) => new Date(from + i * 3_600_000).toISOString());
    const shown = (room: number) => labelledHours(hours, room).map((i) => hours[i]!.slice(11, 13));
    assert.deepEqual(shown(6), ['16', '20', '00', '04', '08', '12']);
    assert.deepEqual(shown(3), ['00', '12']);
    assert.deepEqual(shown(0), ['00']);
  });
});

describe('a log', () => {
  const chunk = (id: string, ...lines: string[]) => ({ id, stream: 'stdout', lines, created_at: 'now' });

  test('takes each chunk once, also when a reconnect brings it again', () => {
    const first = append(NO_LINES, [chunk('event_1', 'a', 'b'), chunk('event_2', 'c')], 10);
    const again = append(first, [chunk('event_2', 'c'), chunk('event_3', 'd')], 10);
    assert.deepEqual(
      again.kept.map(({ number, text }) => `${number} ${text}`),
      ['1 a', '2 b', '3 c', '4 d'],
    );
    assert.equal(append(again, [chunk('event_3', 'd')], 10), again);
    assert.equal(again.last_id, 'event_3');
  });

  test('keeps the last lines, with the numbers they have in the whole', () => {
    const lines = append(append(NO_LINES, [chunk('1', 'a', 'b', 'c')], 2), [chunk('2', 'd')], 2);
    assert.deepEqual(
      lines.kept.map(({ number, text }) => [number, text]),
      [
        [3, 'c'],
        [4, 'd'],
      ],
    );
    assert.equal(lines.dropped, 2);
  });

  test('shows what a terminal would have shown in the end', () => {
    assert.deepEqual(visibleLines('\u001b[1;32mok\u001b[0m\tdone\r'), ['ok\tdone']);
    assert.equal(withoutTabs('a\tb\t\tc'), `a${' '.repeat(7)}b${' '.repeat(15)}c`);
    assert.deepEqual(visibleLines('10 %\r55 %\r100 %'), ['100 %']);
    assert.deepEqual(visibleLines('\u001b]0;title\u0007two\nlines\u0000'), ['two', 'lines']);
    assert.deepEqual(visibleLines('\u001b[2K\u001b[1A<b>&amp;'), ['<b>&amp;']);
    assert.equal(visibleLines('x'.repeat(6_000))[0]!.length, 5_000 + '… (1000 more characters)'.length);
  });

  test('is searched without regard to case, and copied as it reads', () => {
    const { kept } = append(NO_LINES, [chunk('1', 'Epoch 1', 'warning: slow', 'epoch 2')], 10);
    assert.deepEqual(
      matching(kept, ' EPOCH ').map(({ number }) => number),
      [1, 3],
    );
    assert.equal(matching(kept, ''), kept);
    assert.equal(asText(kept), 'Epoch 1\nwarning: slow\nepoch 2\n');
  });
});
