/** Approve or reject, with a note: it says first what will have happened. */
import type { Run } from '@rcpt/contract/ledger/runs.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ledger } from '../../api/clients.ts';
import { KEYS } from '../../api/keys.ts';
import { problemOf } from '../../api/problem.ts';
import { useSession } from '../../api/queries.ts';
import { Confirm } from '../../components/dialog.tsx';
import { TextAreaField } from '../../components/field.tsx';
import { OutcomeStatus } from '../../components/outcome.tsx';
import { count } from '../../format/numbers.ts';
import { toast } from '../../layout/toasts.tsx';
import { ChoosePublicName, isNameless } from '../public-name/choose.tsx';
import { BecomesPublic } from './becomes-public.tsx';
import { LANE_SEALS } from './lane-fields.ts';
import { useRunMutation } from './run-mutation.ts';
import { SigningChoice, useSignedApproval, useSigning } from './signing.tsx';

interface DecideProps {
  run: Run;
  decision: 'approved' | 'rejected';
  onClose: () => void;
}

/** A name first: without one nothing can be decided. */
export function Decide(props: DecideProps) {
  const session = useSession();
  return isNameless(session) ? (
    <ChoosePublicName session={session} onChosen={() => undefined} onClose={props.onClose} />
  ) : (
    <DecideNamed {...props} />
  );
}

function DecideNamed({ run, decision, onClose }: DecideProps) {
  const session = useSession();
  const store = useQueryClient();
  // The name may have been changed elsewhere: what is shown is what is sealed.
  useEffect(() => void store.invalidateQueries({ queryKey: KEYS.session }), [store]);
  const [note, setNote] = useState('');
  const [mintNow, setMintNow] = useState(true);
  const approving = decision === 'approved';
  const signing = useSigning(run);
  const approve = useSignedApproval(run.id);
  const act = useRunMutation(run.id, async (said: Said, key) => {
    if (said.decision === 'approved') await approve(said.note, said.sign, key);
    else await ledger.approve(run.id, said.decision, said.note, key);
    // The decision stands whatever happens to the receipt: the Run then waits at its next step.
    return said.mint ? ledger.mint(run.id).catch(sayProblem) : null;
  });
  const confirm = () =>
    act.mutate(
      { decision, note: note.trim(), mint: approving && mintNow, sign: approving && signing.isWanted },
      {
        onSuccess(receipt) {
          toast(receipt ? `Sealed as ${receipt.receipt_id}` : approving ? 'Approved' : 'Rejected');
          onClose();
        },
      },
    );
  return (
    <Confirm
      title={approving ? 'Approve this Run' : 'Reject this Run'}
      action={actionOf(approving, mintNow, signing.isWanted)}
      disabledReason={approving ? signing.disabledReason : null}
      kind={approving ? 'primary' : 'danger'}
      mutation={act}
      onConfirm={confirm}
      onClose={onClose}
    >
      {run.verdict && (
        <p>
          <OutcomeStatus outcome={run.verdict.outcome} /> · {run.verdict.score_100} of 100 ·{' '}
          {count(run.evidence.length, 'piece')} of evidence
        </p>
      )}
      <p className="muted">
        {approving
          ? `Sealed will be ${LANE_SEALS[run.lane].what}${run.private ? ', but for what is private' : ''}. Nobody can change it afterwards; whoever has the link can see it.`
          : 'A rejection is final: this Run gets no receipt, and nothing of it can be changed any more. Your name, the time and the note stay with it, for members.'}
      </p>
      {approving && run.verdict?.outcome === 'fail' && (
        <p>
          <strong>The verdict is that it failed.</strong>{' '}
          {LANE_SEALS[run.lane].verdict
            ? 'The receipt will say so.'
            : 'A receipt of this lane does not state the verdict: whoever reads it does not see that.'}
        </p>
      )}
      <TextAreaField
        label="Note"
        optional
        rows={3}
        maxLength={20_000}
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      {approving && <BecomesPublic run={run} session={session} note={note.trim()} />}
      {approving && <SigningChoice signing={signing} />}
      {approving && (
        <label className="check-field">
          <input type="checkbox" checked={mintNow} onChange={(event) => setMintNow(event.target.checked)} />
          Mint the receipt right away
        </label>
      )}
    </Confirm>
  );
}

interface Said {
  decision: DecideProps['decision'];
  note: string;
  mint: boolean;
  sign: boolean;
}

function actionOf(approving: boolean, mintNow: boolean, isSigned: boolean): string {
  if (!approving) return 'Reject for good';
  if (isSigned) return mintNow ? 'Sign, approve and mint' : 'Sign and approve';
  return mintNow ? 'Approve and mint' : 'Approve';
}

function sayProblem(error: unknown): null {
  toast(`Not minted yet: ${problemOf(error).detail}`, 'bad');
  return null;
}
