/** The people of the organization: who works here in which role, and who was asked to. */
import type { TeamMember } from '@rcpt/contract/ledger/people.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ledger } from '../../api/clients.ts';
import { useIdempotentMutation } from '../../api/idempotent-mutation.ts';
import { problemOf } from '../../api/problem.ts';
import { useSession } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Icon } from '../../components/icon.tsx';
import { Menu, type MenuItem } from '../../components/menu.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { PanelSkeleton } from '../../components/skeleton.tsx';
import { Badge } from '../../components/status-badge.tsx';
import { Cell, HeadCell, Row, Table } from '../../components/table.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { inviterInWords } from '../../format/inviter.ts';
import { deniedReason } from '../../format/permissions.ts';
import { Page } from '../../layout/page.tsx';
import { useShortcuts } from '../../layout/shortcuts.ts';
import { toast } from '../../layout/toasts.tsx';
import { ChangeRole, Invite, Remove } from './member-dialogs.tsx';
import { OwnersOnly } from './owners-only.tsx';
import { membersQuery } from './queries.ts';
import { ROLE_IN_SHORT, ROLE_WORD } from './roles.ts';
import { You } from './you.tsx';
import './settings.css';

type Doing = { what: 'invite' } | { what: 'role' | 'remove'; member: TeamMember } | null;

export function Members() {
  const session = useSession();
  const disabledReason = deniedReason(session.role, 'administer');
  const [doing, setDoing] = useState<Doing>(null);
  const close = () => setDoing(null);
  const invite = () => setDoing(disabledReason === null ? { what: 'invite' } : null);
  useShortcuts({ c: { does: 'Invite somebody', run: invite } });
  return (
    <Page
      title="Members"
      narrow
      lead={`People who sign in to ${session.organization.name} with a link that is mailed to them. Nobody has a password here.`}
      actions={
        <Button kind="primary" icon="plus" disabledReason={disabledReason} onClick={invite}>
          Invite
        </Button>
      }
    >
      {disabledReason === null ? <MemberList onDo={setDoing} /> : <OwnersOnly icon="people" what="members" />}
      <You />
      {doing?.what === 'invite' && <Invite onClose={close} />}
      {doing?.what === 'role' && <ChangeRole member={doing.member} onClose={close} />}
      {doing?.what === 'remove' && <Remove member={doing.member} onClose={close} />}
    </Page>
  );
}

function MemberList({ onDo }: { onDo: (doing: Doing) => void }) {
  const members = useQuery(membersQuery);
  return (
    <QueryBoundary query={members} skeleton={<PanelSkeleton rows={3} />}>
      {(all) => (all.length === 0 ? <NoMembers onDo={onDo} /> : <MemberTable members={all} onDo={onDo} />)}
    </QueryBoundary>
  );
}

function NoMembers({ onDo }: { onDo: (doing: Doing) => void }) {
  return (
    <div className="panel">
      <EmptyState icon="people" title="Nobody is here yet">
        <p>So far only API keys work here. Invite the people who approve work or read the receipts.</p>
        <Button kind="primary" icon="plus" onClick={() => onDo({ what: 'invite' })}>
          Invite
        </Button>
      </EmptyState>
    </div>
  );
}

function MemberTable({ members, onDo }: { members: readonly TeamMember[]; onDo: (doing: Doing) => void }) {
  const { id: mine } = useSession();
  return (
    <Table
      panel="menus"
      label="Members"
      columns={[
        { label: 'Person' },
        { label: 'Role' },
        { label: 'Joined', kind: 'wide' },
        { label: 'Actions', unseen: true, kind: 'least' },
      ]}
    >
      {members.map((member) => (
        <Row key={member.id}>
          <HeadCell>
            <span className="member">
              <span className="face" aria-hidden="true">
                {Array.from(member.public_name ?? member.email)[0]?.toUpperCase()}
              </span>
              <span className="two-lines">
                <span className="clamped">
                  {member.public_name ?? member.email} {member.id === mine && <Badge>you</Badge>}
                </span>
                {member.public_name !== null && <small>{member.email}</small>}
                <small>Invited by {inviterInWords(member.invited_by)}</small>
              </span>
            </span>
          </HeadCell>
          <Cell>
            <span className="two-lines">
              <span>{ROLE_WORD[member.role]}</span>
              <small>{member.joined_at === null ? 'Invited' : ROLE_IN_SHORT[member.role]}</small>
            </span>
          </Cell>
          <Cell kind="wide">
            <Joined member={member} />
          </Cell>
          <Cell kind="least">
            <MemberMenu member={member} onDo={onDo} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function Joined({ member: { joined_at, invited_at } }: { member: TeamMember }) {
  if (joined_at !== null) return <Timestamp at={joined_at} />;
  return (
    <span className="two-lines">
      <span>Not yet</span>
      <small>
        invited <Timestamp at={invited_at} />
      </small>
    </span>
  );
}

function MemberMenu({ member, onDo }: { member: TeamMember; onDo: (doing: Doing) => void }) {
  const again = useIdempotentMutation(ledger.inviteAgain, {
    onSuccess: ({ email }) => toast(`Invitation sent to ${email} again`),
    onError: (error) => toast(problemOf(error).detail, 'bad'),
  });
  const send: MenuItem = {
    label: 'Send the invitation again',
    icon: 'mail',
    onSelect: () => again.mutate(member.id),
  };
  return (
    <Menu
      label={`Actions for ${member.email}`}
      className="button quiet small icon-only"
      align="end"
      groups={[
        [
          { label: 'Change role', icon: 'person', onSelect: () => onDo({ what: 'role', member }) },
          ...(member.joined_at === null ? [send] : []),
        ],
        [{ label: 'Remove', icon: 'trash', onSelect: () => onDo({ what: 'remove', member }) }],
      ]}
    >
      <Icon name="more" />
    </Menu>
  );
}
