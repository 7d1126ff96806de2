import { ButtonLink } from '../components/button.tsx';
import { Empty } from '../components/empty.tsx';
import { Page } from './page.tsx';

/** An address that is no page, perhaps from an older link. */
export function NotFound() {
  return (
    <Page title="Not found">
      <Empty icon="search" title="There is no page at this address">
        <p>It may have been mistyped, or belong to another organization.</p>
        <ButtonLink href="/">Back to the overview</ButtonLink>
      </Empty>
    </Page>
  );
}
