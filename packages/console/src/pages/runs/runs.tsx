import { Page } from '../../frame/page.tsx';

export function Runs() {
  return (
    <Page title="Runs">
      <p className="muted">This page is being built.</p>
    </Page>
  );
}
