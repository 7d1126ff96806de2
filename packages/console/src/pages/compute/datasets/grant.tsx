import type { ListedDataset } from '@rcpt/contract/router/members.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { router } from '../../../api/clients.ts';
import { useIdempotentMutation } from '../../../api/idempotent-mutation.ts';
import { errorAt } from '../../../api/problem.ts';
import { Button } from '../../../components/button.tsx';
import { Hash } from '../../../components/copy.tsx';
import { Dialog, DialogForm } from '../../../components/dialog.tsx';
import { SelectField } from '../../../components/field.tsx';
import { QueryBoundary } from '../../../components/query-boundary.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { memberNamesQuery } from '../queries.ts';

/** Gives a member access, and shows the receipt that says so. */
export function GrantAccess({ dataset, onClose }: { dataset: ListedDataset; onClose: () => void }) {
  const members = useQuery(memberNamesQuery);
  const [chosen, setChosen] = useState('');
  const grant = useIdempotentMutation((member_id: string) => router.grantAccess(dataset.id, member_id));
  const name = members.data?.find(({ id }) => id === grant.data?.member_id)?.name;
  return (
    <Dialog title={`Access to ${dataset.title}`} onClose={onClose}>
      {grant.data ? (
        <div className="form">
          <p>
            <strong>{name ?? grant.data.member_id}</strong> may use this dataset. The router’s receipt:
          </p>
          <Hash value={grant.data.receipt_id} what="Receipt id" />
          <p>It holds for this membership. The dataset is here; jobs that name it are told by themselves:</p>
          <Hash value={grant.data.object_uri} what="Address" />
          <div className="form-end">
            <Button kind="primary" onClick={onClose}>
              Done
            </Button>
          </div>
        </div>
      ) : (
        <QueryBoundary query={members} skeleton={<Skeleton height="6rem" />}>
          {(all) => {
            const member_id = chosen || all[0]?.id;
            return (
              <DialogForm
                action="Grant access"
                mutation={grant}
                disabledReason={member_id === undefined ? 'There are no members yet.' : null}
                onSend={() => {
                  if (member_id !== undefined) grant.mutate(member_id);
                }}
                onClose={onClose}
              >
                <SelectField
                  label="Member"
                  error={errorAt(grant.error, 'member_id')}
                  value={member_id ?? ''}
                  onChange={({ target }) => setChosen(target.value)}
                >
                  {all.map(({ id, name: each, email, status }) => (
                    <option key={id} value={id}>
                      {each} ({email}){status === 'inactive' ? ', inactive' : ''}
                    </option>
                  ))}
                </SelectField>
              </DialogForm>
            );
          }}
        </QueryBoundary>
      )}
    </Dialog>
  );
}
