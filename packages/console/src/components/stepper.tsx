/** Steps in their order: which are done, when and by whom, and where it stands. */
import type { ReactNode } from 'react';
import { StatusIcon, type StatusIconName, type Tone } from './status-badge.tsx';
import './stepper.css';

export interface Step {
  name: string;
  state: 'done' | 'current' | 'ahead' | 'stopped';
  /** When and by whom. */
  detail?: ReactNode;
}

const LOOKS: Record<Step['state'], { name: StatusIconName; tone: Tone }> = {
  done: { name: 'tick', tone: 'good' },
  current: { name: 'half', tone: 'accent' },
  ahead: { name: 'ring', tone: 'neutral' },
  stopped: { name: 'cross', tone: 'bad' },
};

export function Stepper({ label, steps }: { label: string; steps: readonly Step[] }) {
  return (
    <ol className="stepper" aria-label={label}>
      {steps.map(({ name, state, detail }) => (
        <li key={name} data-state={state} aria-current={state === 'current' ? 'step' : undefined}>
          <StatusIcon {...LOOKS[state]} />
          <div>
            <span className="step-name">{name}</span>
            <span className="visually-hidden">: {state}</span>
            {detail && <span className="step-detail">{detail}</span>}
          </div>
        </li>
      ))}
    </ol>
  );
}
