/** Cells that a spreadsheet must not run, and those that it must read as they are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvLine } from '../../src/pack/csv.ts';

test('no cell is a formula, however it begins', () => {
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '\r=1', '|cmd', '%0A', '＝1', '＋1', '－1', '＠a'])
    assert.match(csvLine([text]), /^"'/, JSON.stringify(text));
});

test('quotes, commas and line ends stay within their cell', () => {
  assert.equal(
    csvLine([1, 'a,b', 'say "x"', 'a\nb', '', 'plain-1.2', 'Grüße']),
    '1,"a,b","say ""x""","a\nb",,plain-1.2,"Grüße"\n',
  );
});
