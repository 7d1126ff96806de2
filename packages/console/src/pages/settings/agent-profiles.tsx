/** Agents that are described once and then named by their Runs. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ledger } from '../../api/clients.ts';
import { useIdempotentMutation } from '../../api/idempotent-mutation.ts';
import { errorAt } from '../../api/problem.ts';
import { agentProfilesQuery, useSession } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Hash } from '../../components/copy.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { TextField } from '../../components/field.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { PanelSkeleton } from '../../components/skeleton.tsx';
import { Cell, HeadCell, Row, Table } from '../../components/table.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { deniedReason } from '../../format/permissions.ts';
import { Page } from '../../layout/page.tsx';
import { useShortcuts } from '../../layout/shortcuts.ts';
import { toast } from '../../layout/toasts.tsx';
import './settings.css';

export function AgentProfiles() {
  const disabledReason = deniedReason(useSession().role, 'administer');
  const profiles = useQuery(agentProfilesQuery);
  const [creating, setCreating] = useState(false);
  const create = () => setCreating(disabledReason === null);
  useShortcuts({ c: { does: 'Describe an agent', run: create } });
  const button = (
    <Button kind="primary" icon="plus" disabledReason={disabledReason} onClick={create}>
      New profile
    </Button>
  );
  return (
    <Page
      title="Agent profiles"
      narrow
      lead="Who does the work, described once. A Run that names a profile seals it into its receipt."
      actions={button}
    >
      <QueryBoundary query={profiles} skeleton={<PanelSkeleton rows={3} />}>
        {(described) =>
          described.length === 0 ? (
            <div className="panel">
              <EmptyState icon="person" title="No agent is described yet">
                <p>Describe the model and the harness of an agent here, and its Runs need only name it.</p>
                {button}
              </EmptyState>
            </div>
          ) : (
            <Table
              label="Agent profiles"
              columns={[
                { label: 'Agent' },
                { label: 'Model' },
                { label: 'Harness', kind: 'wide' },
                { label: 'Capability tier', kind: 'wide' },
                { label: 'Created', kind: 'wide' },
              ]}
            >
              {described.toReversed().map(({ id, name, model, harness, capability_tier, created_at }) => (
                <Row key={id}>
                  <HeadCell below={<Hash value={id} what="Profile id" short />}>{name}</HeadCell>
                  <Cell>{model}</Cell>
                  <Cell kind="wide">{harness}</Cell>
                  <Cell kind="wide">{capability_tier}</Cell>
                  <Cell kind="wide">
                    <Timestamp at={created_at} />
                  </Cell>
                </Row>
              ))}
            </Table>
          )
        }
      </QueryBoundary>
      {creating && <NewProfile onClose={() => setCreating(false)} />}
    </Page>
  );
}

const EMPTY = { name: '', model: '', harness: '', capability_tier: '' };
type Described = typeof EMPTY;

function NewProfile({ onClose }: { onClose: () => void }) {
  const cache = useQueryClient();
  const [described, setDescribed] = useState(EMPTY);
  const act = useIdempotentMutation(ledger.createAgentProfile, {
    onSuccess({ name }) {
      void cache.invalidateQueries({ queryKey: agentProfilesQuery.queryKey });
      toast(`${name} described`);
      onClose();
    },
  });
  const field = (member: keyof Described) => ({
    value: described[member],
    maxLength: 500,
    error: errorAt(act.error, member),
    onChange: (event: React.ChangeEvent<HTMLInputElement>) =>
      setDescribed({ ...described, [member]: event.target.value }),
  });
  return (
    <FormDialog
      title="New agent profile"
      action="Create profile"
      mutation={act}
      onSend={() => act.mutate(declared(described))}
      onClose={onClose}
    >
      <TextField label="Name" required placeholder="visit-notes-agent" {...field('name')} />
      <TextField label="Model" optional placeholder="acme/small-1" {...field('model')} />
      <TextField
        label="Harness"
        optional
        placeholder="claims-harness 2.3"
        hint="What runs the model."
        {...field('harness')}
      />
      <TextField label="Capability tier" optional placeholder="tier 2" {...field('capability_tier')} />
      <p className="field-hint">What is left out is sealed as “undeclared”. A profile does not change afterwards.</p>
    </FormDialog>
  );
}

/** Without what was left empty. */
function declared({ name, ...rest }: Described) {
  const given = Object.entries(rest).filter(([, value]) => value.trim() !== '');
  return { name: name.trim(), ...Object.fromEntries(given.map(([member, value]) => [member, value.trim()])) };
}
