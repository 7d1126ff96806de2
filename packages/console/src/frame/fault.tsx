/** The last net: a mistake of the console itself leaves a page that says so, never a white one. */
import { Component, type ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Problem } from '../parts/problem.tsx';

/** What browsers say when a page's script is not there any more: the console was replaced by a newer one. */
const REPLACED = /dynamically imported module|importing a module script|preload CSS/i;

export class Fault extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    const reload = () => location.reload();
    return (
      <div className="page">
        {error instanceof Error && REPLACED.test(error.message) ? (
          <Empty icon="refresh" title="There is a newer console">
            <p>It was updated while this window was open.</p>
            <Button onClick={reload}>Load it</Button>
          </Empty>
        ) : (
          <Problem error={error} retry={reload} />
        )}
      </div>
    );
  }
}
