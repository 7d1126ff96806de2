/** The last net: a mistake of the console itself leaves a page that says so, never a white one. */

import { UnreachableError } from '@rcpt/contract/client/call.ts';
import { Component, type ReactNode, useEffect, useState } from 'react';
import { untilLedgerAnswers, useLedgerAway } from '../api/availability.ts';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Problem } from '../components/problem.tsx';

/** What browsers say when a page's script does not come: the ledger is away, or the console was replaced by a newer one. */
const NO_SCRIPT = /dynamically imported module|importing a module script|preload CSS/i;

const reload = () => location.reload();

export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div className="page">
        {error instanceof Error && NO_SCRIPT.test(error.message) ? (
          <WithoutScript />
        ) : (
          <Problem error={error} retry={reload} />
        )}
      </div>
    );
  }
}

/** Comes back by itself once the ledger does: nothing was typed into a page that never showed. */
function WithoutScript() {
  const away = useLedgerAway();
  const [answered, setAnswered] = useState(false);
  useEffect(() => {
    let shown = true;
    void untilLedgerAnswers().then((atOnce) => {
      if (shown && atOnce) setAnswered(true);
      else if (shown) reload();
    });
    return () => {
      shown = false;
    };
  }, []);
  if (away) return <Problem error={new UnreachableError()} />;
  if (!answered) return null;
  return (
    <EmptyState icon="refresh" title="This page has to be loaded again">
      <p>The console was updated, or the connection broke off, while this window was open.</p>
      <Button onClick={reload}>Load it</Button>
    </EmptyState>
  );
}
