/** `PRICES_FILE`: what it adds, what it replaces, and the one line that says what is wrong with it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { showPrice } from '@rcpt/contract/prices.ts';
import { openPrices } from '../src/prices.ts';
import { ConfigError } from '../src/process/config.ts';

const folder = mkdtempSync(join(tmpdir(), 'prices-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function fileWith(content: unknown): string {
  const file = join(folder, 'prices.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const ROW = { gpu_type: 'cpu_small', gpu_name: 'A small CPU', vram_gb: 0, hourly_rate_usd: 0.2 };

test('without a file the two default rows hold', () => {
  assert.deepEqual(
    openPrices(undefined).rows.map(({ gpu_type }) => gpu_type),
    ['rtx6000_blackwell_96gb', 'rog_astral_5090_32gb'],
  );
});

test('a file adds rows and replaces rows; a rate may stand in quotes, and what else a row says is not looked at', () => {
  const dearer = { gpu_type: 'rog_astral_5090_32gb', gpu_name: 'Mine', vram_gb: 32, hourly_rate_usd: '2.5', note: 'x' };
  const prices = openPrices(fileWith([ROW, dearer]));
  assert.deepEqual(prices.rows.map(showPrice), [
    {
      gpu_type: 'rtx6000_blackwell_96gb',
      gpu_name: 'RTX PRO 6000 Blackwell Workstation 96GB',
      vram_gb: 96,
      hourly_rate_usd: 5,
    },
    { gpu_type: 'rog_astral_5090_32gb', gpu_name: 'Mine', vram_gb: 32, hourly_rate_usd: 2.5 },
    ROW,
  ]);
  assert.equal(prices.of('rog_astral_5090_32gb')?.hourly_rate_usd, '2.50');
  // What the API shows is a file.
  assert.deepEqual(openPrices(fileWith(prices.rows.map(showPrice))).rows, prices.rows);
});

test('a wrong file is one line that names the variable, the row and what it takes', () => {
  const wrong: [unknown, RegExp][] = [
    ['{', /: .*JSON/],
    [{ prices: [] }, /: it holds no list$/],
    [['cpu'], /: row 1 must be a JSON object, got a string$/],
    [
      [ROW, { ...ROW, gpu_type: 'b', hourly_rate_usd: 'two' }],
      /: row 2 \("b"\) hourly_rate_usd must be a number, got a string$/,
    ],
    [[{ ...ROW, hourly_rate_usd: 0.001 }], /: row 1 \("cpu_small"\) hourly_rate_usd takes at most two decimals$/],
    [[{ ...ROW, hourly_rate_usd: -1 }], /hourly_rate_usd must be at least 0/],
    [[{ ...ROW, gpu_name: undefined }], /: row 1 \("cpu_small"\) gpu_name is missing$/],
    [[{ ...ROW, gpu_name: 'two\nlines' }], /gpu_name must be one line of readable text$/],
    [[{ ...ROW, gpu_type: 'two words' }], /gpu_type takes 1 to 100 letters, digits, \. _ or -$/],
    [[{ ...ROW, vram_gb: null }], /vram_gb must be a number, got null$/],
    [[ROW, ROW], /: row 2 \("cpu_small"\) names a type that an earlier row names$/],
  ];
  for (const [content, line] of wrong) {
    const file = fileWith(content);
    assert.throws(
      () => openPrices(file),
      (error: Error) =>
        error instanceof ConfigError &&
        error.message.startsWith(`PRICES_FILE: got ${JSON.stringify(file)}, takes a JSON list of rows`) &&
        line.test(error.message) &&
        !error.message.includes('\n'),
      JSON.stringify(content),
    );
  }
  assert.throws(
    () => openPrices(join(folder, 'missing.json')),
    /^Error: PRICES_FILE: got ".*missing\.json", takes .*ENOENT/,
  );
});
