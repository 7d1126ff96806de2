import { useEffect, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { Problem } from '../../components/problem.tsx';
import { count } from '../../format/numbers.ts';

/** A mail takes a moment; asking again sooner only makes two of them. */
const AGAIN_AFTER_SECONDS = 30;

interface LinkSentProps {
  email: string;
  expires_in_seconds: number;
  error: unknown;
  onAgain: () => void;
  onOther: () => void;
}

export function LinkSent({ email, expires_in_seconds, error, onAgain, onOther }: LinkSentProps) {
  const left = useCountdown(AGAIN_AFTER_SECONDS);
  return (
    <div className="form link-sent">
      <Icon name="mail" />
      <header>
        <h1>Look into your mailbox</h1>
        <p className="muted">
          If <strong>{email}</strong> belongs to a member, a link is on its way there. It counts once, for{' '}
          {count(Math.round(expires_in_seconds / 60), 'minute')}.
        </p>
      </header>
      {error ? <Problem error={error} /> : null}
      <div className="button-row">
        <Button disabledReason={left > 0 ? 'The mail may take a moment.' : null} onClick={onAgain}>
          {left > 0 ? `Send again in ${left} s` : 'Send again'}
        </Button>
        <Button kind="quiet" onClick={onOther}>
          Another address
        </Button>
      </div>
    </div>
  );
}

function useCountdown(seconds: number): number {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const ends = Date.now() + seconds * 1000;
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((ends - Date.now()) / 1000))), 500);
    return () => clearInterval(timer);
  }, [seconds]);
  return left;
}
