/** A person's public name: asked for at the first sign-in, and again before something is sealed with it. */
import type { Session } from '@rcpt/contract/ledger/people.ts';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ledger } from '../../api/clients.ts';
import { useIdempotentMutation } from '../../api/idempotent-mutation.ts';
import { KEYS } from '../../api/keys.ts';
import { errorAt } from '../../api/problem.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { SignedBy, SignerId } from '../../components/signer.tsx';
import './choose.css';

/** Whether this person has to choose a public name before anything can be sealed. */
export function isNameless({ kind, public_name }: Session): boolean {
  return kind === 'person' && public_name === null;
}

/** The name as it is typed, and what becomes of it. */
export function usePublicName(before: string, onChosen: (session: Session) => void) {
  const cache = useQueryClient();
  const [name, setName] = useState(before);
  const act = useIdempotentMutation((public_name: string) => ledger.changeSession({ public_name }), {
    onSuccess(session) {
      cache.setQueryData(KEYS.session, session);
      void cache.invalidateQueries({ queryKey: ['settings'] });
      onChosen(session);
    },
  });
  return { name, setName, act, send: () => act.mutate(name.trim()) };
}

export function PublicNameField({
  id,
  asked: { name, setName, act },
}: {
  /** The person's: it stands beside the name. */
  id: string;
  asked: ReturnType<typeof usePublicName>;
}) {
  return (
    <>
      <TextField
        label="Public name"
        name="name"
        autoComplete="name"
        required
        value={name}
        placeholder="Ada Lovelace"
        error={errorAt(act.error, 'public_name')}
        onChange={(event) => setName(event.target.value)}
      />
      <figure className="as-sealed">
        <figcaption>In a receipt</figcaption>
        <p>
          Approved by <SignedBy signer={{ name: name.trim() || '…', id }} />
        </p>
        <SignerId id={id} />
      </figure>
    </>
  );
}

interface ChooseProps {
  session: Session;
  onChosen?: () => void;
  onClose: () => void;
  /** Why it is asked just now. */
  children?: ReactNode;
}

export function ChoosePublicName({ session, onChosen, onClose, children }: ChooseProps) {
  const asked = usePublicName(session.public_name ?? '', onChosen ?? onClose);
  const changing = session.public_name !== null;
  return (
    <FormDialog
      title={changing ? 'Change your public name' : 'Choose your public name'}
      action={changing ? 'Change name' : 'Use this name'}
      mutation={{
        isPending: asked.act.isPending,
        error: errorAt(asked.act.error, 'public_name') === undefined ? asked.act.error : null,
      }}
      onSend={asked.send}
      onClose={onClose}
    >
      {children ?? <WhatItIs changing={changing} />}
      <PublicNameField id={session.id} asked={asked} />
    </FormDialog>
  );
}

/** In plain words, before it is. */
export function WhatItIs({ changing = false }: { changing?: boolean }) {
  return (
    <p className="muted">
      What you approve or decide is sealed with this name. It stands in receipts, in public, for ever. Your e-mail
      address does not.
      {changing && ' Receipts already sealed keep the name they were sealed with.'}
    </p>
  );
}
