/** The first sign-in asks for the name that receipts will show: before anything is sealed with it. */
import type { Session } from '@rcpt/contract/ledger/people.ts';
import { errorAt } from '../../api/problem.ts';
import { Button } from '../../components/button.tsx';
import { Problem } from '../../components/problem.tsx';
import { PublicNameField, usePublicName, WhatItIs } from '../public-name/choose.tsx';

export function ChooseName({ session, onDone }: { session: Session; onDone: () => void }) {
  const asked = usePublicName('', onDone);
  const { error, isPending } = asked.act;
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending) asked.send();
      }}
    >
      <header>
        <h1>Which name do receipts show?</h1>
        <WhatItIs />
      </header>
      <PublicNameField id={session.id} asked={asked} />
      {error && errorAt(error, 'public_name') === undefined ? <Problem error={error} /> : null}
      <Button kind="primary" type="submit" busy={isPending}>
        Use this name
      </Button>
      <Button kind="quiet" onClick={onDone}>
        Not now
      </Button>
      <p className="field-hint">
        You can change it later under Settings. Receipts already sealed keep the name they were sealed with.
      </p>
    </form>
  );
}
