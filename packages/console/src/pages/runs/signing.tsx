/** Whether an approval is signed with a passkey: as the organization says, and the person chooses. */

import { UnreachableError } from '@rcpt/contract/client/call.ts';
import type { Run } from '@rcpt/contract/ledger/runs.ts';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import { ledger } from '../../api/clients.ts';
import { signWithPasskey } from '../../api/passkeys.ts';
import { useSession } from '../../api/queries.ts';
import { passkeysQuery } from '../settings/queries.ts';

export interface Signing {
  /** The organization lets approvals be signed, and the person is one who can have a passkey. */
  isOffered: boolean;
  isRequired: boolean;
  /** Undefined: not known yet. */
  hasPasskey: boolean | undefined;
  isWanted: boolean;
  want: (wanted: boolean) => void;
  /** Why the approval cannot be sent. */
  disabledReason: string | null;
}

export function useSigning(run: Pick<Run, 'lane'>): Signing {
  const { kind, organization } = useSession();
  const { passkey_approvals, passkey_lanes } = organization;
  const isOffered = passkey_approvals !== 'off' && kind === 'person';
  const isRequired = passkey_approvals === 'required' && passkey_lanes.includes(run.lane);
  const { data } = useQuery({ ...passkeysQuery, enabled: isOffered });
  const hasPasskey = data && data.length > 0;
  const [wanted, want] = useState(true);
  return {
    isOffered,
    isRequired,
    hasPasskey,
    isWanted: isOffered && hasPasskey === true && (wanted || isRequired),
    want,
    disabledReason: disabledReason({ isRequired, isPerson: kind === 'person', hasPasskey }),
  };
}

function disabledReason(given: {
  isRequired: boolean;
  isPerson: boolean;
  hasPasskey: boolean | undefined;
}): string | null {
  if (!given.isRequired || given.hasPasskey) return null;
  if (!given.isPerson) return 'Here approvals are signed with a person’s passkey; an API key cannot approve.';
  return given.hasPasskey === undefined
    ? 'Looking for your passkeys.'
    : 'Add a passkey first: here approvals are signed with one.';
}

/**
 * Approves, and has it signed before where that is wanted. What was signed is sent again as it is when the answer to it was lost: the ledger
 * knows it by its idempotency key.
 */
export function useSignedApproval(run_id: string) {
  const signed = useRef<{ note: string; assertion: object } | null>(null);
  return async (note: string, isSigned: boolean, key: string): Promise<void> => {
    if (!isSigned) {
      await ledger.approve(run_id, 'approved', note, key);
      return;
    }
    if (signed.current?.note !== note)
      signed.current = { note, assertion: await signWithPasskey(await ledger.approvalOptions(run_id, note)) };
    try {
      await ledger.approve(run_id, 'approved', note, key, signed.current.assertion);
    } catch (error) {
      if (!(error instanceof UnreachableError)) signed.current = null;
      throw error;
    }
  };
}

/** Beside what becomes public. */
export function SigningChoice({ signing }: { signing: Signing }) {
  const { isOffered, isRequired, hasPasskey, isWanted, want } = signing;
  if (!isOffered || hasPasskey === undefined) return null;
  if (!hasPasskey)
    return (
      <p className="muted">
        {isRequired
          ? 'Here approvals are signed with a passkey, and you have none yet. '
          : 'You could sign this with a passkey. '}
        <Link href="/settings/organization">Add one under Settings, Organization, Your passkeys</Link>.
      </p>
    );
  if (isRequired)
    return (
      <p className="muted">
        Your passkey signs exactly what is sealed: your browser asks for your fingerprint, face or PIN. The signature
        and the passkey’s public key are shown with the receipt.
      </p>
    );
  return (
    <label className="check-field">
      <input type="checkbox" checked={isWanted} onChange={(event) => want(event.target.checked)} />
      <span>
        Sign it with my passkey <span className="muted">(signature and public key are shown with the receipt)</span>
      </span>
    </label>
  );
}
