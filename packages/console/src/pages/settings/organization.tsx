import { Page } from '../../frame/page.tsx';

export function OrganizationSettings() {
  return (
    <Page title="Organization">
      <p className="muted">This page is being built.</p>
    </Page>
  );
}
