import { Page } from '../../frame/page.tsx';

export function AgentProfiles() {
  return (
    <Page title="Agent profiles">
      <p className="muted">This page is being built.</p>
    </Page>
  );
}
