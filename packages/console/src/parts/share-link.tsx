/** The public link of a receipt: to copy, to open, and for owners to switch off and on again. */
import type { Share } from '@rcpt/contract/ledger/search.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useAct } from '../api/act.ts';
import { KEYS } from '../api/keys.ts';
import { ledger } from '../api/ledger.ts';
import { problemOf } from '../api/problem.ts';
import { shareQuery, useSession } from '../api/queries.ts';
import { toast } from '../frame/toasts.tsx';
import { whyNot } from '../words/may.ts';
import { AwayLink, Button } from './button.tsx';
import { copy } from './copy.tsx';
import { Switch } from './field.tsx';
import { Loaded } from './loaded.tsx';
import { Moment } from './moment.tsx';
import { Skeleton } from './skeleton.tsx';
import './share-link.css';

export function ShareLink({ receipt_id }: { receipt_id: string }) {
  const share = useQuery(shareQuery(receipt_id));
  return (
    <Loaded query={share} skeleton={<Skeleton height="4.4rem" />}>
      {(known) => <Link share={known} />}
    </Loaded>
  );
}

function Link({ share }: { share: Share }) {
  const { receipt_id, share_url, enabled, changed_at, changed_by } = share;
  const store = useQueryClient();
  const { role } = useSession();
  const change = useAct((on: boolean) => ledger.changeShare(receipt_id, on), {
    onSuccess: (now) => store.setQueryData(KEYS.share(receipt_id), now),
    onError: (error) => toast(problemOf(error).detail, 'bad'),
  });
  return (
    <div className="share-link" data-off={!enabled || undefined}>
      <Switch
        label={enabled ? 'Shared by link' : 'The link is switched off'}
        hint={
          changed_at === null ? (
            'Whoever has the link can see this receipt.'
          ) : (
            <>
              Switched {enabled ? 'on' : 'off'} by {changed_by} <Moment at={changed_at} />
            </>
          )
        }
        on={change.isPending ? change.variables : enabled}
        why={whyNot(role, 'administer')}
        onChange={(on) => change.mutate(on)}
      />
      {enabled && (
        <div className="share-address">
          <code>{share_url}</code>
          <Button small icon="copy" onClick={() => void copy(share_url, 'Link')}>
            Copy
          </Button>
          <AwayLink small href={share_url}>
            Open
          </AwayLink>
        </div>
      )}
    </div>
  );
}
