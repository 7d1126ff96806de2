/** The public link of a receipt: to copy, to open, and for owners to switch off and on again. */
import type { Share } from '@rcpt/contract/ledger/search.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ledger } from '../api/clients.ts';
import { useIdempotentMutation } from '../api/idempotent-mutation.ts';
import { KEYS } from '../api/keys.ts';
import { shareQuery, useSession } from '../api/queries.ts';
import { deniedReason } from '../format/permissions.ts';
import { toast } from '../layout/toasts.tsx';
import { ActorName } from './actor-name.tsx';
import { AwayLink, Button } from './button.tsx';
import { copy } from './copy.tsx';
import { Confirm } from './dialog.tsx';
import { Switch } from './field.tsx';
import { QueryBoundary } from './query-boundary.tsx';
import { Skeleton } from './skeleton.tsx';
import { Timestamp } from './timestamp.tsx';
import './share-link.css';

export function ShareLink({ receipt_id }: { receipt_id: string }) {
  const share = useQuery(shareQuery(receipt_id));
  return (
    <QueryBoundary query={share} skeleton={<Skeleton height="5.4rem" />}>
      {(known) => <Shared share={known} />}
    </QueryBoundary>
  );
}

function Shared({ share }: { share: Share }) {
  const { enabled, share_url } = share;
  const { role } = useSession();
  const [asking, setAsking] = useState(false);
  return (
    <div className="share-link">
      <Switch
        label={enabled ? 'Shared by link' : 'The link is switched off'}
        hint={<Hint share={share} />}
        on={enabled}
        disabledReason={deniedReason(role, 'administer')}
        onChange={() => setAsking(true)}
      />
      <div className="share-address" data-off={!enabled || undefined}>
        <code>{share_url}</code>
        {enabled && (
          <>
            <Button small icon="copy" onClick={() => void copy(share_url, 'Link')}>
              Copy
            </Button>
            <AwayLink small href={share_url}>
              Open
            </AwayLink>
          </>
        )}
      </div>
      {asking && <SwitchShare share={share} onClose={() => setAsking(false)} />}
    </div>
  );
}

function Hint({ share: { enabled, changed_at, changed_by } }: { share: Share }) {
  return (
    <>
      {enabled
        ? 'Everybody with this link sees this one receipt, without an account.'
        : 'Whoever opens it is told that it was switched off.'}
      {changed_at && (
        <>
          {' '}
          Switched by {changed_by?.startsWith('user_') ? <ActorName id={changed_by} /> : changed_by}{' '}
          <Timestamp at={changed_at} />.
        </>
      )}
    </>
  );
}

function SwitchShare({ share: { receipt_id, enabled }, onClose }: { share: Share; onClose: () => void }) {
  const store = useQueryClient();
  const change = useIdempotentMutation((on: boolean) => ledger.changeShare(receipt_id, on), {
    onSuccess(answer) {
      store.setQueryData(KEYS.share(receipt_id), answer);
      toast(answer.enabled ? 'The share link works again' : 'The share link is switched off');
      onClose();
    },
  });
  return (
    <Confirm
      title={enabled ? 'Switch the share link off?' : 'Switch the share link on again?'}
      action={enabled ? 'Switch off' : 'Switch on'}
      kind={enabled ? 'danger' : 'primary'}
      mutation={change}
      onConfirm={() => change.mutate(!enabled)}
      onClose={onClose}
    >
      {enabled ? (
        <>
          <p>Page, PDF and JSON behind the link will say that it was switched off. Copies that were saved remain.</p>
          <p>The receipt, its hash and the chain stay as they are, and the same link can be switched on again.</p>
        </>
      ) : (
        <p>The same link works again for everyone who has it.</p>
      )}
    </Confirm>
  );
}
