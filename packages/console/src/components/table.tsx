/** Tables as people read them: quiet lines, numbers to the right, what a phone has no room for left out. */
import type { CSSProperties, ReactNode } from 'react';
import { Link } from 'wouter';
import { Shown } from '../shown/shown.ts';
import './table.css';

export interface Column {
  label: string;
  /**
   * `number`: to the right, in figures of one width. `wide`: not on a phone. `widest`: not on a tablet either. `least`: no wider
   * than needed.
   */
  kind?: 'number' | 'wide' | 'widest' | 'least';
  /** The label is for screen readers alone. */
  unseen?: boolean;
}

/** Lies on a panel of its own. `<Table label="Keys" columns={[…]}>` around `<Row>`s of `<Cell>`s in the same order. */
export function Table({
  label,
  columns,
  panel,
  style,
  children,
}: {
  label: string;
  columns: readonly Column[];
  /** Classes of the panel. */
  panel?: string;
  style?: CSSProperties;
  children: ReactNode;
}) {
  return (
    <div className={panel ? `panel flush ${panel}` : 'panel flush'} style={style}>
      <table className="table" aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ label: word, kind, unseen }) => (
              <th key={word} scope="col" className={kind}>
                {unseen ? <span className="visually-hidden">{word}</span> : word}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** `at`: the keyboard stands on this row (see `useRowCursor`). */
export function Row({ at, children }: { at?: boolean | undefined; children: ReactNode }) {
  return <tr data-at={at || undefined}>{children}</tr>;
}

export function Cell({ kind, children }: { kind?: Column['kind'] | undefined; children: ReactNode }) {
  return <td className={kind}>{children}</td>;
}

interface HeadCellProps {
  /** Where the whole row leads. */
  href?: string;
  /** Smaller, in a line of its own. */
  below?: ReactNode;
  children: ReactNode;
}

/** The cell that names its row. A name is shown in two lines at most; its page has all of it. */
export function HeadCell({ href, below, children }: HeadCellProps) {
  const name = typeof children === 'string' ? <Shown text={children} /> : children;
  return (
    <th scope="row">
      {href === undefined ? (
        <span className="clamped">{name}</span>
      ) : (
        <Link href={href} className="row-link clamped">
          {name}
        </Link>
      )}
      {below && <small className="below">{below}</small>}
    </th>
  );
}
