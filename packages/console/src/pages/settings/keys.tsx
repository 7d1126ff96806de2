import { Page } from '../../frame/page.tsx';

export function Keys() {
  return (
    <Page title="API keys">
      <p className="muted">This page is being built.</p>
    </Page>
  );
}
