import { problemOf } from '../../api/problem.ts';
import { Button } from '../../components/button.tsx';
import { Problem } from '../../components/problem.tsx';

/** A link that was used, is too old, or was cut off by a mail program: said in words, with the way to a new one. */
export function LinkRefused({ error, onAgain }: { error: unknown; onAgain: () => void }) {
  const { code, detail } = problemOf(error);
  // A token that was cut short is no token at all to the ledger.
  const cut = code === 'invalid';
  const ordinary = cut || code === 'sign_in_link_invalid';
  return (
    <div className="form">
      <header>
        <h1>
          {cut ? 'This link is not whole' : ordinary ? 'This link does not count any more' : 'You are not signed in'}
        </h1>
        {ordinary && (
          <p className="muted">
            {cut ? 'A part of it was lost on its way. Open it from the mail, or ask for a new one.' : detail}
          </p>
        )}
      </header>
      {!ordinary && <Problem error={error} />}
      <Button kind="primary" onClick={onAgain}>
        Get a new link
      </Button>
    </div>
  );
}
