import { useState } from 'react';
import { errorAt } from '../../api/problem.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { Problem } from '../../components/problem.tsx';

interface AskForLinkProps {
  /** The address that was typed before. */
  before: string;
  busy: boolean;
  error: unknown;
  onAsk: (email: string) => void;
}

export function AskForLink({ before, busy, error, onAsk }: AskForLinkProps) {
  const [email, setEmail] = useState(before);
  const wrong = errorAt(error, 'email');
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) onAsk(email.trim());
      }}
    >
      <header>
        <h1>Sign in</h1>
        <p className="muted">We mail you a link. There is no password.</p>
      </header>
      <TextField
        label="E-mail address"
        type="email"
        name="email"
        autoComplete="email"
        inputMode="email"
        required
        autoFocus
        value={email}
        error={wrong}
        onChange={(event) => setEmail(event.target.value)}
      />
      {error && !wrong ? <Problem error={error} /> : null}
      <Button kind="primary" type="submit" busy={busy}>
        Mail me a link
      </Button>
    </form>
  );
}
