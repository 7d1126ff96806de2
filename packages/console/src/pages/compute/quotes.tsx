import { Page } from '../../frame/page.tsx';

export function Quotes() {
  return (
    <Page title="Quotes">
      <p className="muted">This page is being built.</p>
    </Page>
  );
}
