/** A rule the machine leaves to a person: it holds or it does not, and why. Shown as decided before the answer is back. */
import type { Session } from '@rcpt/contract/ledger/people.ts';
import type { Run } from '@rcpt/contract/ledger/runs.ts';
import { signed } from '@rcpt/contract/signer.ts';
import type { Check } from '@rcpt/contract/work.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ledger } from '../../api/clients.ts';
import { useIdempotentMutation } from '../../api/idempotent-mutation.ts';
import { KEYS } from '../../api/keys.ts';
import { problemOf } from '../../api/problem.ts';
import { useSession } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { SignedBy } from '../../components/signer.tsx';
import { toast } from '../../layout/toasts.tsx';
import { ChoosePublicName, isNameless } from '../public-name/choose.tsx';

interface Decision {
  status: 'pass' | 'flag';
  detail?: string;
}

export function DecideCheck({
  run_id,
  check,
  disabledReason,
}: {
  run_id: string;
  check: Check;
  disabledReason: string | null;
}) {
  const session = useSession();
  const [note, setNote] = useState('');
  const [waiting, setWaiting] = useState<Decision | null>(null);
  const store = useQueryClient();
  const decide = useIdempotentMutation((decision: Decision) => ledger.decideCheck(run_id, check.key, decision), {
    async onMutate(decision) {
      await store.cancelQueries({ queryKey: KEYS.run(run_id) });
      const before = store.getQueryData<Run>(KEYS.run(run_id));
      if (before) store.setQueryData<Run>(KEYS.run(run_id), withDecision(before, check.key, decision, session));
      return before;
    },
    onError(error, _decision, before) {
      if (before) store.setQueryData(KEYS.run(run_id), before);
      toast(problemOf(error).detail, 'bad');
    },
    onSettled: () => store.invalidateQueries({ queryKey: KEYS.run(run_id) }),
  });
  const say = (status: Decision['status']) => {
    const decision = { status, ...(note.trim() === '' ? {} : { detail: note.trim() }) };
    if (isNameless(session)) setWaiting(decision);
    else decide.mutate(decision);
  };
  return (
    <div className="decide">
      <input
        className="input"
        aria-label={`Note on: ${check.label}`}
        placeholder="Why (optional; it is sealed)"
        maxLength={20_000}
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      <Button icon="check" disabledReason={disabledReason} onClick={() => say('pass')}>
        Holds
      </Button>
      <Button icon="close" disabledReason={disabledReason} onClick={() => say('flag')}>
        Does not
      </Button>
      {disabledReason === null && !isNameless(session) && (
        <p className="decide-sealed">
          It is sealed that <SignedBy signer={{ name: session.public_name ?? session.name, id: session.id }} /> decided.
        </p>
      )}
      {waiting && (
        <ChoosePublicName
          session={session}
          onChosen={() => {
            decide.mutate(waiting);
            setWaiting(null);
          }}
          onClose={() => setWaiting(null)}
        />
      )}
    </div>
  );
}

function withDecision(run: Run, key: string, { status, detail = '' }: Decision, { public_name, id }: Session): Run {
  const decided_by = signed({ name: public_name ?? '', id });
  const checks = run.checks.map((check) => (check.key === key ? { ...check, status, detail, decided_by } : check));
  return { ...run, checks };
}
