/** Who jobs are run for: members of the router, with a year's membership each. */
import type { Member } from '@rcpt/contract/router/members.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { LoadNextPage } from '../../components/load-more.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Cell, HeadCell, Row, Table } from '../../components/table.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { exact } from '../../format/instant.ts';
import { deniedReason } from '../../format/permissions.ts';
import { ComputePage } from './compute-page.tsx';
import { ActivateMember } from './members/activate.tsx';
import { AddMember } from './members/add.tsx';
import { membersQuery } from './queries.ts';

export function ComputeMembers() {
  const { role } = useSession();
  const members = useInfiniteQuery(membersQuery);
  const [adding, setAdding] = useState(false);
  const [activating, setActivating] = useState<Member | null>(null);
  const add = (
    <Button
      kind="primary"
      icon="plus"
      disabledReason={deniedReason(role, 'administer')}
      onClick={() => setAdding(true)}
    >
      Add member
    </Button>
  );
  return (
    <ComputePage
      title="Members"
      lead="Members of the compute router: jobs are run for them and charged to them. People who work in this console are under Settings."
      query={members}
      skeleton={<SkeletonRows rows={6} />}
      actions={add}
    >
      {({ pages }) => (
        <>
          {pages[0]?.length === 0 ? (
            <EmptyState icon="people" title="No members yet">
              <p>Add a member and activate the membership; then quotes and jobs can name them.</p>
              {add}
            </EmptyState>
          ) : (
            <MemberTable members={pages.flat()} onActivate={setActivating} />
          )}
          <LoadNextPage query={members} />
          {adding && <AddMember onClose={() => setAdding(false)} onAdded={setActivating} />}
          {activating && <ActivateMember member={activating} onClose={() => setActivating(null)} />}
        </>
      )}
    </ComputePage>
  );
}

function MemberTable({ members, onActivate }: { members: readonly Member[]; onActivate: (member: Member) => void }) {
  const { role } = useSession();
  return (
    <Table
      label="Members, newest first"
      columns={[
        { label: 'Member' },
        { label: 'Membership' },
        { label: 'Ends', kind: 'wide' },
        { label: 'Added', kind: 'wide' },
        { label: 'Actions', kind: 'least', unseen: true },
      ]}
    >
      {members.map((member) => (
        <Row key={member.id}>
          <HeadCell href={`/compute/jobs?member=${encodeURIComponent(member.id)}`} below={member.email}>
            {member.name}
          </HeadCell>
          <Cell>
            <Membership member={member} />
          </Cell>
          <Cell kind="wide">
            {member.membership_expires_at === null ? (
              '–'
            ) : (
              <time dateTime={member.membership_expires_at} title={exact(member.membership_expires_at)}>
                {exact(member.membership_expires_at).replace(/,.*$/, '')}
              </time>
            )}
          </Cell>
          <Cell kind="wide">
            <Timestamp at={member.created_at} />
          </Cell>
          <Cell kind="least">
            {member.status === 'inactive' && (
              <Button
                small
                disabledReason={deniedReason(role, 'administer')}
                aria-label={`Activate ${member.name}`}
                onClick={() => onActivate(member)}
              >
                Activate
              </Button>
            )}
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function Membership({ member: { status, membership_expires_at } }: { member: Member }) {
  if (status === 'active')
    return (
      <StatusBadge mark="tick" tone="good">
        Active
      </StatusBadge>
    );
  return (
    <StatusBadge mark="dash" tone="neutral">
      {membership_expires_at === null ? 'Not active' : 'Ended'}
    </StatusBadge>
  );
}
