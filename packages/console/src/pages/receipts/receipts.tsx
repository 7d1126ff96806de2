import { Page } from '../../frame/page.tsx';

export function Receipts() {
  return (
    <Page title="Receipts">
      <p className="muted">This page is being built.</p>
    </Page>
  );
}
