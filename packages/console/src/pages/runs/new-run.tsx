/** Opens a Run by hand: the lane decides what is asked for. */

import type { LaneName } from '@rcpt/contract/vocabulary.ts';
import { LANE_NAMES } from '@rcpt/contract/words.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { ledger } from '../../api/clients.ts';
import { useIdempotentMutation } from '../../api/idempotent-mutation.ts';
import { KEYS } from '../../api/keys.ts';
import { errorAt } from '../../api/problem.ts';
import { agentProfilesQuery } from '../../api/queries.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { LANE_LABEL } from '../../format/vocabulary.ts';
import { LaneFieldControl } from './lane-field.tsx';
import { inputsOf, LANE_FIELDS, mayBePrivate } from './lane-fields.ts';
import { PrivateMembers } from './private-members.tsx';

type Typed = Readonly<Record<string, string>>;

export function NewRun({ onClose }: { onClose: () => void }) {
  const [lane, setLane] = useState<LaneName>('generic');
  const [title, setTitle] = useState('');
  const [profile, setProfile] = useState('');
  const [typed, setTyped] = useState<Typed>({});
  const [secret, setSecret] = useState<readonly string[]>([]);
  const [unreadable, setUnreadable] = useState<Error | null>(null);
  const profiles = useQuery(agentProfilesQuery);
  const store = useQueryClient();
  const [, navigate] = useLocation();
  const open = useIdempotentMutation(ledger.openRun, {
    onSuccess(run) {
      store.setQueryData(KEYS.run(run.id), run);
      void store.invalidateQueries({ queryKey: ['runs'] });
      navigate(`/runs/${run.id}`);
    },
  });

  const send = () => {
    try {
      const inputs = inputsOf(lane, typed);
      setUnreadable(null);
      const paths = mayBePrivate(lane).map(({ path }) => path);
      const marked = paths.filter((path) => secret.includes(path) && isThere(path, inputs));
      open.mutate({
        lane,
        title,
        inputs,
        ...(marked.length > 0 && { private: marked }),
        ...(profile === '' ? {} : { agent_profile_id: profile }),
      });
    } catch (error) {
      setUnreadable(error as Error);
    }
  };
  const known = profiles.data ?? [];
  return (
    <FormDialog
      title="New Run"
      wide
      action="Open the Run"
      mutation={{ isPending: open.isPending, error: unreadable ?? open.error }}
      onSend={send}
      onClose={onClose}
    >
      <div className="form-row">
        <SelectField label="Lane" value={lane} onChange={(event) => setLane(event.target.value as LaneName)}>
          {LANE_NAMES.map((name) => (
            <option key={name} value={name}>
              {LANE_LABEL[name]}
            </option>
          ))}
        </SelectField>
        {known.length > 0 && (
          <SelectField
            label="Agent profile"
            optional
            value={profile}
            onChange={(event) => setProfile(event.target.value)}
          >
            <option value="">None: the execution says who worked</option>
            {known.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        )}
      </div>
      <TextField
        label="Title"
        required
        maxLength={500}
        value={title}
        error={errorAt(open.error, 'title')}
        onChange={(event) => setTitle(event.target.value)}
      />
      <div className="lane-fields">
        {LANE_FIELDS[lane].map((field) => (
          <LaneFieldControl
            key={`${lane} ${field.name}`}
            field={field}
            value={typed[field.name] ?? ''}
            error={field.name === '' ? undefined : errorAt(open.error, `inputs.${field.name}`)}
            onChange={(value) => setTyped({ ...typed, [field.name]: value })}
          />
        ))}
      </div>
      <PrivateMembers lane={lane} chosen={secret} onChange={setSecret} />
    </FormDialog>
  );
}

/** An input that was left empty is not sealed at all. */
function isThere(path: string, inputs: object): boolean {
  return !path.startsWith('/inputs/') || Object.hasOwn(inputs, path.slice('/inputs/'.length));
}
