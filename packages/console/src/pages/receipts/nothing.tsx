/** A list without a receipt: because there is none, or because none is like that. */
import { useSession } from '../../api/queries.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';

export function NoReceipts() {
  const { organization } = useSession();
  return (
    <Empty icon="receipt" title="No receipt yet">
      <p>
        A Run of {organization.name} becomes a receipt once it is approved and sealed. It then stands here for good.
      </p>
      <ButtonLink href="/runs">To the Runs</ButtonLink>
    </Empty>
  );
}

export function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <Empty icon="search" title="No receipt is like that">
      <p>
        Looked for in titles; a receipt’s id or number (<code>#42</code>), a Run’s id, a share link and at least six
        characters of a hash are found too.
      </p>
      <Button onClick={onClear}>Show all receipts</Button>
    </Empty>
  );
}
