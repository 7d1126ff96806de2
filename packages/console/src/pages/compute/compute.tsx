import { Page } from '../../frame/page.tsx';

export function Compute() {
  return (
    <Page title="Compute">
      <p className="muted">This page is being built.</p>
    </Page>
  );
}
