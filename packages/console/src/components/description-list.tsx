/** Names and what they stand for, one line each. */
import type { ReactNode } from 'react';
import { count } from '../format/numbers.ts';
import { Shown } from '../shown/shown.ts';
import './description-list.css';

/** `<Facts><Fact label="Lane">Evaluation</Fact></Facts>` */
export function DescriptionList({ children }: { children: ReactNode }) {
  return <dl className="description-list">{children}</dl>;
}

export function Description({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>
        <Shown text={label} />
      </dt>
      {typeof children === 'string' ? (
        <dd dir="auto" className="written">
          <Shown text={children} place="text" />
        </dd>
      ) : (
        <dd>{children}</dd>
      )}
    </div>
  );
}

/** What is not among them. */
export function LeftOut({ members = 0 }: { members?: number | undefined }) {
  if (members === 0) return null;
  return <p className="muted">{count(members, 'more member')} in the JSON.</p>;
}
