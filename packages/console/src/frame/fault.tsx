/** The last net: a mistake of the console itself leaves a page that says so, never a white one. */
import { Component, type ReactNode } from 'react';
import { Problem } from '../parts/problem.tsx';

export class Fault extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return (
      <div className="page narrow">
        <Problem error={this.state.error} retry={() => location.reload()} />
      </div>
    );
  }
}
