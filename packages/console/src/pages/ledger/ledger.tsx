import { Page } from '../../frame/page.tsx';

export function LedgerPage() {
  return (
    <Page title="Ledger">
      <p className="muted">This page is being built.</p>
    </Page>
  );
}
