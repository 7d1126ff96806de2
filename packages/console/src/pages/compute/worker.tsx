import { Page } from '../../frame/page.tsx';

export function WorkerPage() {
  return (
    <Page title="Worker">
      <p className="muted">This page is being built.</p>
    </Page>
  );
}
