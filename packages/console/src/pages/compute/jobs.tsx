import { Page } from '../../frame/page.tsx';

export function Jobs() {
  return (
    <Page title="Jobs">
      <p className="muted">This page is being built.</p>
    </Page>
  );
}
