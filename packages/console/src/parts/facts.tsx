/** Names and what they stand for, one line each. */
import type { ReactNode } from 'react';
import './facts.css';

/** `<Facts><Fact label="Lane">Evaluation</Fact></Facts>` */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="facts">{children}</dl>;
}

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
