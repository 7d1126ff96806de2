import { Page } from '../../frame/page.tsx';

export function Members() {
  return (
    <Page title="Members">
      <p className="muted">This page is being built.</p>
    </Page>
  );
}
