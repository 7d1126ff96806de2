import { Page } from '../../frame/page.tsx';

export function RunPage() {
  return (
    <Page title="Run">
      <p className="muted">This page is being built.</p>
    </Page>
  );
}
