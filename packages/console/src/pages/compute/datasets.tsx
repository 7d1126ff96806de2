import { Page } from '../../frame/page.tsx';

export function Datasets() {
  return (
    <Page title="Datasets">
      <p className="muted">This page is being built.</p>
    </Page>
  );
}
