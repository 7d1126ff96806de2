/** A list without a receipt: because there is none, or because none is like that. */
import { useSession } from '../../api/queries.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';

export function NoReceipts() {
  const { organization } = useSession();
  return (
    <EmptyState icon="receipt" title="No receipt yet">
      <p>
        A Run of {organization.name} becomes a receipt once it is approved and sealed. It then stands here for good.
      </p>
      <ButtonLink href="/runs">To the Runs</ButtonLink>
    </EmptyState>
  );
}

export function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState icon="search" title="No receipt is like that">
      <p>
        Looked for in titles; a receipt’s id or number (<code>#42</code>), a Run’s id, a share link and at least six
        characters of a hash are found too.
      </p>
      <Button onClick={onClear}>Show all receipts</Button>
    </EmptyState>
  );
}
