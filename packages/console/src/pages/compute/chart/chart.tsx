/**
 * A chart over buckets of time. A pointer or the arrow keys stand on one bucket, whose values are then said above the plot;
 * charts that share `at` stand on the same one. For screen readers the cursor is a slider that reads values aloud.
 */
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { type Bar, bucketAt, columnOf, type Frame, heightOf, stack, steps, ticks } from './geometry.ts';
import './chart.css';

interface Series {
  name: string;
  values: readonly number[];
  /** `accent`: what the chart is about; `bad`: what went wrong; `rest`: the remainder. */
  look: 'accent' | 'bad' | 'rest';
}

export interface ChartProps {
  title: string;
  /** What the whole says, in one sentence. */
  description: string;
  series: readonly Series[];
  form: 'bars' | 'steps';
  /** One per bucket, in words. */
  when: readonly string[];
  /** Labels below the plot. */
  labels: readonly { bucket: number; text: string }[];
  format: (value: number) => string;
  /** A value beside the axis. */
  axis: (value: number) => string;
  whole: boolean;
  at: number | null;
  onAt: (at: number | null) => void;
  /** What stands above the plot: of the bucket, or of all. */
  reading: (at: number | null) => ReactNode;
}

const HEIGHT = 132;
const BELOW = 20;
const AXIS_MARKS = 3;
/** How far a label may reach over the plot's edge: into the margin around it. */
const SPILL = 16;

export function Chart(props: ChartProps) {
  const { title, description, series, when, at, onAt, reading } = props;
  const plot = useRef<HTMLDivElement>(null);
  const width = useWidth(plot);
  const id = useId();
  const sums = when.map((_, i) => series.reduce((sum, { values }) => sum + (values[i] ?? 0), 0));
  const marks = ticks(Math.max(0, ...sums), AXIS_MARKS, props.whole);
  const left = 10 + 7 * Math.max(...marks.map((mark) => props.axis(mark).length));
  const frame: Frame = {
    width: Math.max(0, width - left),
    height: HEIGHT,
    highest: marks.at(-1)!,
    buckets: when.length,
  };
  return (
    <figure className="chart">
      <figcaption>
        <h3>{title}</h3>
        <span className="chart-when">{at === null ? '' : when[at]}</span>
        <p className="chart-reading">{reading(at)}</p>
      </figcaption>
      <div ref={plot} className="plot" style={{ height: HEIGHT + BELOW + 6 }}>
        <svg width={width} height={HEIGHT + BELOW + 6} role="img" aria-labelledby={`${id}-title ${id}-about`}>
          <title id={`${id}-title`}>{title}</title>
          <desc id={`${id}-about`}>{description}</desc>
          <g transform={`translate(${left} 6)`}>
            <Axis marks={marks} frame={frame} axis={props.axis} />
            {at !== null && <rect className="at" {...columnOf(frame, at)} y={0} height={HEIGHT} />}
            {props.form === 'bars' ? <Bars series={series} frame={frame} /> : <Steps series={series} frame={frame} />}
            <Labels labels={props.labels} frame={frame} />
          </g>
        </svg>
        <Cursor {...{ title, frame, left, at, onAt }} words={(i) => wordsAt(props, i)} />
      </div>
    </figure>
  );
}

function wordsAt({ series, when, format }: ChartProps, bucket: number): string {
  const values = series.map(({ name, values }) => `${format(values[bucket] ?? 0)} ${name}`);
  return `${when[bucket]}: ${values.join(', ')}`;
}

function Axis({ marks, frame, axis }: { marks: number[]; frame: Frame; axis: (value: number) => string }) {
  return marks.map((mark) => {
    const y = Math.round(frame.height - heightOf(frame, mark)) + 0.5;
    return (
      <g key={mark}>
        <line className={mark === 0 ? 'ground' : 'grid'} x1={0} x2={frame.width} y1={y} y2={y} />
        <text className="mark-label" x={-8} y={y} dy="0.32em" textAnchor="end">
          {axis(mark)}
        </text>
      </g>
    );
  });
}

/** One shape per series, however many buckets there are. */
function Bars({ series, frame }: { series: readonly Series[]; frame: Frame }) {
  const bars = Array.from({ length: frame.buckets }, (_, bucket) =>
    stack(
      frame,
      bucket,
      series.map(({ values }) => values[bucket] ?? 0),
    ),
  );
  return series.map(({ name, look }, i) => (
    <path key={name} className={`bars ${look}`} d={bars.map((each) => outline(each[i] ?? null)).join('')} />
  ));
}

function outline(bar: Bar | null): string {
  return bar === null ? '' : `M${bar.x} ${bar.y}h${bar.width}v${bar.height}h${-bar.width}z`;
}

function Steps({ series, frame }: { series: readonly Series[]; frame: Frame }) {
  return series.map(({ name, look, values }) => {
    const { line, area } = steps(frame, values);
    return (
      <g key={name} className={look}>
        <path className="area" d={area} />
        <path className="line" d={line} />
      </g>
    );
  });
}

function Labels({ labels, frame }: { labels: ChartProps['labels']; frame: Frame }) {
  return labels.map(({ bucket, text }) => {
    const { x, width } = columnOf(frame, bucket);
    const middle = x + width / 2;
    const edge = text.length * 3.4 - SPILL;
    const anchor = middle < edge ? 'start' : middle > frame.width - edge ? 'end' : 'middle';
    const place = anchor === 'start' ? 0 : anchor === 'end' ? frame.width : middle;
    return (
      <text key={bucket} className="bucket-label" x={place} y={frame.height + BELOW - 3} textAnchor={anchor}>
        {text}
      </text>
    );
  });
}

interface CursorProps extends Pick<ChartProps, 'title' | 'at' | 'onAt'> {
  frame: Frame;
  left: number;
  words: (bucket: number) => string;
}

function Cursor({ title, frame, left, at, onAt, words }: CursorProps) {
  const last = frame.buckets - 1;
  const selected = at ?? last;
  const to: Record<string, number> = {
    ArrowLeft: at === null ? last : selected - 1,
    ArrowRight: at === null ? last : selected + 1,
    Home: 0,
    End: last,
    PageUp: selected + 6,
    PageDown: selected - 6,
  };
  return (
    <div
      className="cursor"
      style={{ left }}
      role="slider"
      tabIndex={0}
      aria-label={`${title}: read values with the arrow keys`}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, last)}
      aria-valuenow={selected}
      aria-valuetext={last < 0 ? 'nothing' : words(selected)}
      onPointerMove={({ clientX, currentTarget }) =>
        onAt(bucketAt(frame, clientX - currentTarget.getBoundingClientRect().left))
      }
      onPointerLeave={({ pointerType }) => pointerType !== 'touch' && onAt(null)}
      onBlur={() => onAt(null)}
      onKeyDown={(event) => {
        const next = event.key === 'Escape' ? null : to[event.key];
        if (next === undefined) return;
        event.preventDefault();
        onAt(next === null ? null : Math.max(0, Math.min(last, next)));
      }}
    />
  );
}

function useWidth(box: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const measured = box.current;
    if (measured === null) return;
    setWidth(measured.clientWidth);
    const observer = new ResizeObserver(() => setWidth(measured.clientWidth));
    observer.observe(measured);
    return () => observer.disconnect();
  }, [box]);
  return width;
}
