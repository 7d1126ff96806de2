import { Page } from '../../frame/page.tsx';

export function JobPage() {
  return (
    <Page title="Job">
      <p className="muted">This page is being built.</p>
    </Page>
  );
}
