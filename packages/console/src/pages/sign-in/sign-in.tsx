import { Page } from '../../frame/page.tsx';

export function SignIn() {
  return (
    <Page title="Sign in">
      <p className="muted">This page is being built.</p>
    </Page>
  );
}
