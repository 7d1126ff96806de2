/** Where the parts of a chart stand, in its own units. Pure: tested without a browser. */

/** At most `most` + 1 marks from 0 up to or just above `highest`, at 1, 2 or 5 times a power of ten; whole when `whole`. */
export function ticks(highest: number, most: number, whole: boolean): number[] {
  if (!(highest > 0)) return [0, 1];
  const rough = highest / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((each) => each * power >= rough * (1 - 1e-9)) ?? 10;
  const step = whole ? Math.max(1, Math.round(factor * power)) : factor * power;
  const count = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, i) => tidy(i * step));
}

/** 0.1 + 0.2 is 0.3. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}

export interface Frame {
  width: number;
  height: number;
  /** The value at the top. */
  highest: number;
  buckets: number;
}

/** The left edge of a bucket and its width. */
export function columnOf({ width, buckets }: Frame, bucket: number): { x: number; width: number } {
  const each = width / Math.max(1, buckets);
  return { x: bucket * each, width: each };
}

/** The bucket below a pointer. */
export function bucketAt({ width, buckets }: Frame, x: number): number {
  return Math.max(0, Math.min(buckets - 1, Math.floor((x / width) * buckets)));
}

export function heightOf({ height, highest }: Frame, value: number): number {
  return highest > 0 ? (value / highest) * height : 0;
}

export interface Bar {
  x: number;
  y: number;
  width: number;
  height: number;
}

const MOST_WIDE = 26;

/** One bar per value, each standing on the one before; null where there is nothing to see. What is there is at least a unit high. */
export function stack(frame: Frame, bucket: number, values: readonly number[]): (Bar | null)[] {
  const column = columnOf(frame, bucket);
  const gap = Math.min(3, column.width * 0.22);
  const width = Math.min(MOST_WIDE, column.width - gap);
  const x = column.x + (column.width - width) / 2;
  let top = frame.height;
  return values.map((value) => {
    if (!(value > 0)) return null;
    const height = Math.max(1, heightOf(frame, value));
    top -= height;
    return { x, y: top, width, height };
  });
}

/** A line of steps: each value holds for its whole bucket. And the area below it. */
export function steps(frame: Frame, values: readonly number[]): { line: string; area: string } {
  if (values.length === 0) return { line: '', area: '' };
  const path = values.map((value, i) => {
    const { x, width } = columnOf(frame, i);
    const y = round(frame.height - heightOf(frame, value));
    return `${i === 0 ? `M${round(x)} ${y}` : `V${y}`}H${round(x + width)}`;
  });
  const line = path.join('');
  return { line, area: `${line}V${frame.height}H0Z` };
}

/** Hours that a day is read by: every so many of them, from midnight on. */
const HOURS = [1, 2, 3, 4, 6, 12, 24];

/** Which hourly buckets get a label: round hours of the day, UTC. */
export function labelledHours(instants: readonly string[], room: number): number[] {
  const needed = instants.length / Math.max(1, room);
  const every = HOURS.find((hours) => hours >= needed) ?? 24 * Math.ceil(needed / 24);
  return instants.flatMap((at, i) => (Math.floor(Date.parse(at) / 3_600_000) % every === 0 ? [i] : []));
}

/** Which buckets get a label below them: the same distance apart, counted from the last. */
export function labelled(buckets: number, room: number): number[] {
  const every = Math.max(1, Math.ceil(buckets / Math.max(1, room)));
  const chosen: number[] = [];
  for (let i = buckets - 1; i >= 0; i -= every) chosen.unshift(i);
  return chosen;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
