import { Page } from '../../frame/page.tsx';

export function Home() {
  return (
    <Page title="Overview">
      <p className="muted">This page is being built.</p>
    </Page>
  );
}
