/** What was measured: a line on stdout as it comes, JSON lines in a file, and one table at the end. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { median, readable } from './numbers.ts';

export interface Measured {
  /** What was measured: `mint, 1 organization`. */
  name: string;
  /** Where: an engine, or what else distinguishes rows of one name. */
  on: string;
  unit: string;
  /** One value per round; the median is reported. */
  rounds: number[];
  /** A rate of the same rounds that the ratio is taken against: this divided by that, round by round. */
  against?: { name: string; rounds: number[] };
  /** For what the ratio, or the value when nothing is compared, is hoped to be: `≥ 1`. */
  aim?: string;
  /** Further figures of the same measurement. */
  also?: Record<string, number>;
}

interface Row {
  name: string;
  on: string;
  value: string;
  ratio: string;
  aim: string;
  also: string;
}

export interface Report {
  add(measured: Measured): void;
  /** Progress, on stderr. */
  say(line: string): void;
  table(): string;
}

export function createReport(file: string): Report {
  const rows: Row[] = [];
  const began = performance.now();
  mkdirSync(dirname(file), { recursive: true });
  const write = (entry: object) => appendFileSync(file, `${JSON.stringify(entry)}\n`);
  write({
    at: new Date().toISOString(),
    cpu: cpus()[0]?.model.trim(),
    cores: cpus().length,
    memory_bytes: totalmem(),
    node: process.version,
  });
  const say = (line: string) =>
    void process.stderr.write(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);

  return {
    say,
    add(measured) {
      const { name, on, unit, rounds, against, aim = '', also = {} } = measured;
      const value = median(rounds);
      const ratio = against && median(rounds.map((round, i) => round / against.rounds[i]!));
      write({
        name,
        on,
        unit,
        value,
        ratio,
        aim,
        against: against && { ...against, value: median(against.rounds) },
        rounds,
        also,
      });
      const row = {
        name,
        on,
        value: `${readable(value)} ${unit}`,
        ratio: ratio === undefined ? '' : `${ratio.toFixed(2)} × ${against!.name}`,
        aim,
        also: Object.entries(also)
          .map(([key, figure]) => `${key} ${readable(figure)}`)
          .join(', '),
      };
      rows.push(row);
      say(`${row.name} (${row.on}): ${row.value}${row.ratio && `, ${row.ratio}`}${row.also && `; ${row.also}`}`);
    },
    table() {
      const heads: Row = { name: 'what', on: 'on', value: 'median', ratio: 'ratio', aim: 'aim', also: 'also' };
      const columns = Object.keys(heads) as (keyof Row)[];
      const widths = columns.map((column) => Math.max(...[heads, ...rows].map((row) => row[column].length)));
      const line = (row: Row) =>
        columns
          .map((column, i) => row[column].padEnd(widths[i]!))
          .join('  ')
          .trimEnd();
      return [line(heads), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
    },
  };
}
