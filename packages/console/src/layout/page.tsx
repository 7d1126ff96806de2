/** The layout of one page: its title in the window, on the page and for screen readers; where it belongs; what one can do. */
import { shownLine } from '@rcpt/contract/shown.ts';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { Icon } from '../components/icon.tsx';
import { Shown } from '../shown/shown.ts';
import './page.css';

interface PageProps {
  title: string;
  /** Where one comes from: `{ href: '/runs', label: 'Runs' }`. */
  up?: { href: string; label: string };
  /** Buttons at the title's right. */
  actions?: ReactNode;
  /** One or two sentences below the title. */
  lead?: ReactNode;
  /** Words beside the title: a status, a badge. */
  beside?: ReactNode;
  /** Text that is read, not scanned: a narrower column. */
  narrow?: boolean;
  children: ReactNode;
}

let titled = '';

export function Page({ title, up, actions, lead, beside, narrow, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${shownLine(title, 300)} · Receipts`;
  }, [title]);
  useEffect(() => {
    // After a change of pages the focus starts at the new one's title, which says aloud where one is.
    if (titled !== '') heading.current?.focus({ preventScroll: true });
    titled = location.pathname;
  }, []);
  return (
    <div className={narrow ? 'page narrow' : 'page'}>
      <header className="page-head">
        <div className="page-title">
          {up && (
            <Link href={up.href} className="page-up">
              <Icon name="left" />
              {up.label}
            </Link>
          )}
          <div className="page-heading">
            <h1 ref={heading} tabIndex={-1}>
              <Shown text={title} />
            </h1>
            {beside}
          </div>
          {lead && <p className="page-lead">{lead}</p>}
        </div>
        {actions && <div className="button-row">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface SectionProps {
  title: string;
  /** Small words or controls at the heading's right. */
  beside?: ReactNode;
  children: ReactNode;
}

/** A part of a page with a heading of its own. */
export function Section({ title, beside, children }: SectionProps) {
  return (
    <section className="section">
      <header className="section-head">
        <h2>{title}</h2>
        {beside && <div className="section-beside">{beside}</div>}
      </header>
      {children}
    </section>
  );
}
