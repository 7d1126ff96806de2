/** The public link of a receipt, and its switch. */
import type { Share } from '@rcpt/contract/ledger/search.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAct } from '../../api/act.ts';
import { KEYS } from '../../api/keys.ts';
import { ledger } from '../../api/ledger.ts';
import { shareQuery, useSession } from '../../api/queries.ts';
import { toast } from '../../frame/toasts.tsx';
import { AwayLink, IconButton } from '../../parts/button.tsx';
import { copy } from '../../parts/copy.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Switch } from '../../parts/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { whyNot } from '../../words/may.ts';

export function ShareLink({ id }: { id: string }) {
  const share = useQuery(shareQuery(id));
  return (
    <Loaded query={share} skeleton={<Skeleton height="6rem" />}>
      {(data) => <Shared share={data} />}
    </Loaded>
  );
}

function Shared({ share }: { share: Share }) {
  const { receipt_id, share_url, enabled, changed_at, changed_by } = share;
  const { role } = useSession();
  const store = useQueryClient();
  const [asking, setAsking] = useState(false);
  const change = useAct((on: boolean) => ledger.changeShare(receipt_id, on), {
    onSuccess(answer) {
      store.setQueryData(KEYS.share(receipt_id), answer);
      setAsking(false);
      toast(answer.enabled ? 'The share link works again' : 'The share link is switched off');
    },
  });
  return (
    <div className="share">
      <div className="share-url" data-off={!enabled || undefined}>
        <code>{share_url}</code>
        {enabled && (
          <IconButton icon="copy" label="Copy share link" small onClick={() => void copy(share_url, 'Share link')} />
        )}
      </div>
      {enabled && (
        <AwayLink small href={share_url}>
          Open as others see it
        </AwayLink>
      )}
      <Switch
        label={enabled ? 'On' : 'Off'}
        hint={
          <>
            {enabled
              ? 'Whoever has this link sees this one receipt, without an account.'
              : 'Whoever opens the link is told that it was switched off.'}
            {changed_at && (
              <>
                {' '}
                Switched by {changed_by} <Moment at={changed_at} />.
              </>
            )}
          </>
        }
        on={enabled}
        why={whyNot(role, 'administer')}
        onChange={() => setAsking(true)}
      />
      {asking && (
        <Confirm
          title={enabled ? 'Switch the share link off?' : 'Switch the share link on again?'}
          action={enabled ? 'Switch off' : 'Switch on'}
          kind={enabled ? 'danger' : 'primary'}
          busy={change.isPending}
          error={change.error}
          onConfirm={() => change.mutate(!enabled)}
          onClose={() => setAsking(false)}
        >
          {enabled ? (
            <>
              <p>
                Page, PDF and JSON behind the link will say that it was switched off. Copies that were saved remain.
              </p>
              <p>The receipt, its hash and the chain stay as they are, and the same link can be switched on again.</p>
            </>
          ) : (
            <p>The same link works again for everyone who has it.</p>
          )}
        </Confirm>
      )}
    </div>
  );
}
