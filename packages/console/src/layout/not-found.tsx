import { ButtonLink } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Page } from './page.tsx';

/** An address that is no page, perhaps from an older link. */
export function NotFound() {
  return (
    <Page title="Not found">
      <EmptyState icon="search" title="There is no page at this address">
        <p>It may have been mistyped, or belong to another organization.</p>
        <ButtonLink href="/">Back to the overview</ButtonLink>
      </EmptyState>
    </Page>
  );
}
