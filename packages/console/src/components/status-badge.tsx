/** Status marks: each its own shape, the same as on the receipt's page, so that they tell apart without colour. */
import type { StatusIconName, Tone } from './tones.ts';
import './status-badge.css';

export type { StatusIconName, Tone };

const DISC = 'M8 1A7 7 0 0 1 8 15A7 7 0 0 1 8 1Z';
const RING = 'M8 1.9A6.1 6.1 0 0 1 8 14.1A6.1 6.1 0 0 1 8 1.9Z';
const SHAPES: Record<StatusIconName, { solid?: string; cut?: string; line?: string }> = {
  tick: { solid: DISC, cut: 'M4.7 8.3L7 10.6L11.4 5.8' },
  warning: { solid: 'M8 1.2L15.4 14.4L0.6 14.4Z', cut: 'M8 6V10M8 12L8 12.2' },
  cross: { solid: 'M5 1H11L15 5V11L11 15H5L1 11V5Z', cut: 'M5.4 5.4L10.6 10.6M10.6 5.4L5.4 10.6' },
  ring: { line: RING },
  dash: { line: `${RING}M5 8H11` },
  half: { solid: 'M8 4A4 4 0 0 1 8 12A4 4 0 0 1 8 4Z', line: RING },
};

export function StatusIcon({ name, tone }: { name: StatusIconName; tone: Tone }) {
  const { solid, cut, line } = SHAPES[name];
  return (
    <svg className={`status-icon ${tone}`} viewBox="0 0 16 16" aria-hidden="true">
      {solid && <path className="solid" d={solid} />}
      {cut && <path className="cut" d={cut} />}
      {line && <path className="line" d={line} />}
    </svg>
  );
}

/** A mark and its word: `<Status mark="tick" tone="good">Passed</Status>`. */
export function StatusBadge({ mark, tone, children }: { mark: StatusIconName; tone: Tone; children: React.ReactNode }) {
  return (
    <span className={`status ${tone}`}>
      <StatusIcon name={mark} tone={tone} />
      {children}
    </span>
  );
}

/** A word in a box: what something is, not how it stands. With a tone it stands out. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: React.ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>;
}
