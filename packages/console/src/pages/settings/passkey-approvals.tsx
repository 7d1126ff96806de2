/** Whether approvals here are signed with passkeys: an owner says so, for each lane. */
import type { PasskeyApprovals } from '@rcpt/contract/ledger/passkeys.ts';
import type { Organization, OrganizationChange } from '@rcpt/contract/ledger/tenancy.ts';
import type { LaneName } from '@rcpt/contract/vocabulary.ts';
import { LANE_NAMES, LANE_WORDS } from '@rcpt/contract/words.ts';
import { useState } from 'react';
import { Confirm } from '../../components/dialog.tsx';
import { Problem } from '../../components/problem.tsx';
import { SegmentedControl } from '../../components/segmented-control.tsx';

const OPTIONS = [
  { value: 'off', label: 'Off' },
  { value: 'offered', label: 'Offered' },
  { value: 'required', label: 'Required' },
] as const;

const MEANS: Record<PasskeyApprovals, string> = {
  off: 'Approvals are not signed: the ledger’s word says who approved.',
  offered:
    'Who has a passkey may sign an approval with it. The signature is served beside the receipt, for anybody to check.',
  required: 'In the lanes below, nothing is approved without a person’s passkey. API keys cannot approve there.',
};

interface Change {
  isPending: boolean;
  error: unknown;
  mutate: (change: OrganizationChange, then?: { onSuccess: () => void }) => void;
}

export function PasskeyApprovalsSetting({
  organization: { passkey_approvals: now, passkey_lanes: lanes },
  disabledReason,
  act,
}: {
  organization: Organization;
  disabledReason: string | null;
  act: Change;
}) {
  const [requiring, setRequiring] = useState(false);
  const choose = (value: PasskeyApprovals) => {
    if (disabledReason !== null || value === now || act.isPending) return;
    if (value === 'required') setRequiring(true);
    else act.mutate({ passkey_approvals: value });
  };
  return (
    <div className="passkey-approvals">
      <p>
        <strong>Approvals signed with passkeys</strong>
      </p>
      {disabledReason === null ? (
        <SegmentedControl label="Approvals signed with passkeys" options={OPTIONS} value={now} onChange={choose} />
      ) : (
        <p>{OPTIONS.find(({ value }) => value === now)?.label}</p>
      )}
      <p className="field-hint">{MEANS[now]}</p>
      {now === 'required' && <Lanes lanes={lanes} isFixed={disabledReason !== null || act.isPending} act={act} />}
      {disabledReason !== null && <p className="field-hint">{disabledReason}</p>}
      {act.error && !requiring ? <Problem error={act.error} /> : null}
      {requiring && (
        <Confirm
          title="Require passkeys?"
          action="Require passkeys"
          mutation={act}
          onConfirm={() => act.mutate({ passkey_approvals: 'required' }, { onSuccess: () => setRequiring(false) })}
          onClose={() => setRequiring(false)}
        >
          <p>
            From now on only people approve, each with a passkey of their own; API keys cannot. Who has none yet adds
            one under Settings, Organization, Your passkeys. What is approved already is minted as it is.
          </p>
        </Confirm>
      )}
    </div>
  );
}

function Lanes({ lanes, isFixed, act }: { lanes: readonly LaneName[]; isFixed: boolean; act: Change }) {
  const change = (lane: LaneName, on: boolean) => {
    const passkey_lanes = LANE_NAMES.filter((name) => (name === lane ? on : lanes.includes(name)));
    if (passkey_lanes.length > 0) act.mutate({ passkey_lanes });
  };
  return (
    <fieldset className="passkey-lanes">
      <legend className="field-hint">Required in these lanes, offered in the others</legend>
      {LANE_NAMES.map((lane) => {
        const on = lanes.includes(lane);
        return (
          <label key={lane} className="check-field">
            <input
              type="checkbox"
              checked={on}
              disabled={isFixed || (on && lanes.length === 1)}
              onChange={(event) => change(lane, event.target.checked)}
            />
            {LANE_WORDS[lane].label}
          </label>
        );
      })}
    </fieldset>
  );
}
