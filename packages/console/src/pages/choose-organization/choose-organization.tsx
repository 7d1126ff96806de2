/** Where a person wants to work: asked before anything of theirs is in an organization that they have not chosen. */
import type { PlaceOfWork, Session } from '@rcpt/contract/ledger/people.ts';
import { useEffect, useId, useState } from 'react';
import { ledger } from '../../api/clients.ts';
import { useIdempotentMutation } from '../../api/idempotent-mutation.ts';
import { KEYS } from '../../api/keys.ts';
import { store } from '../../api/store.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { Problem } from '../../components/problem.tsx';
import { exact } from '../../format/instant.ts';
import { inviterInWords } from '../../format/inviter.ts';
import { sentence } from '../../format/vocabulary.ts';
import { Shown } from '../../shown/shown.ts';
import '../settings/role-chooser.css';
import '../sign-in/sign-in.css';
import './choose-organization.css';

export function ChoosePlace({ session }: { session: Session }) {
  const { organizations } = session;
  const only = organizations.length === 1 ? organizations[0]! : null;
  const [chosen, setChosen] = useState(only?.id ?? null);
  useEffect(() => {
    document.title = 'Where do you work? · Receipts';
  }, []);
  const enter = useIdempotentMutation((organization_id: string) => ledger.changeSession({ organization_id }), {
    onSuccess(next) {
      // Nothing of another organization stays; the session does, for the frame looks at it.
      store.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEYS.session[0] });
      store.setQueryData(KEYS.session, next);
    },
  });
  const leave = useIdempotentMutation(ledger.signOut, {
    onSuccess() {
      store.clear();
      location.assign('/sign-in');
    },
  });
  return (
    <main className="sign-in">
      <p className="sign-in-brand">
        <Icon name="receipt" /> Receipts
      </p>
      <div className="sign-in-card wide">
        <form
          className="form"
          onSubmit={(event) => {
            event.preventDefault();
            if (chosen !== null && !enter.isPending) enter.mutate(chosen);
          }}
        >
          <header>
            <h1>{only === null ? 'Which organization do you want to work in?' : 'You were invited here'}</h1>
            <p className="muted">
              What you write, attach and approve belongs to it, and its owners see it. Anybody can give an organization
              any name: go by who invited you, and by the id.
            </p>
          </header>
          {only === null ? (
            <Places places={organizations} chosen={chosen} onChoose={setChosen} />
          ) : (
            <div className="place only">
              <Place place={only} />
            </div>
          )}
          {enter.error ? <Problem error={enter.error} /> : null}
          <Button kind="primary" type="submit" busy={enter.isPending}>
            Work here
          </Button>
          <Button kind="quiet" busy={leave.isPending} onClick={() => leave.mutate(undefined)}>
            Sign out
          </Button>
        </form>
      </div>
      <p className="sign-in-foot">Signed in as {session.email ?? session.name}</p>
    </main>
  );
}

interface PlacesProps {
  places: readonly PlaceOfWork[];
  chosen: string | null;
  onChoose: (id: string) => void;
}

function Places({ places, chosen, onChoose }: PlacesProps) {
  const name = useId();
  return (
    <fieldset className="roles">
      <legend>Organization</legend>
      {places.map((place) => (
        <label key={place.id} className="role place">
          <input type="radio" name={name} required checked={place.id === chosen} onChange={() => onChoose(place.id)} />
          <Place place={place} />
        </label>
      ))}
    </fieldset>
  );
}

function Place({ place: { id, name, role, invited_by = '', invited_at = '', accepted_at } }: { place: PlaceOfWork }) {
  return (
    <span>
      <strong>
        <Shown text={name} />
      </strong>
      <small>
        {sentence(role)}, invited by {inviterInWords(invited_by)}, {exact(invited_at)}
      </small>
      <small className="place-id">{id}</small>
      {accepted_at === null && <small className="place-new">You have not chosen to work here before</small>}
    </span>
  );
}
