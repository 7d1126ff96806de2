import { Page } from '../../frame/page.tsx';

export function ReceiptPage() {
  return (
    <Page title="Receipt">
      <p className="muted">This page is being built.</p>
    </Page>
  );
}
