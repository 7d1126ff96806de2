import { Page } from '../../frame/page.tsx';

export function FlightSheets() {
  return (
    <Page title="Flight sheets">
      <p className="muted">This page is being built.</p>
    </Page>
  );
}
