import { Page } from '../../frame/page.tsx';

export function ComputeMembers() {
  return (
    <Page title="Members">
      <p className="muted">This page is being built.</p>
    </Page>
  );
}
