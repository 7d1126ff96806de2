/** Signing in: an address, a mail, a link. The link leads back here and is exchanged for a session. */
import type { Session } from '@rcpt/contract/ledger/people.ts';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useLocation } from 'wouter';
import { ledger } from '../../api/clients.ts';
import { useIdempotentMutation } from '../../api/idempotent-mutation.ts';
import { KEYS } from '../../api/keys.ts';
import { problemOf } from '../../api/problem.ts';
import { returnPath, store } from '../../api/store.ts';
import { Icon } from '../../components/icon.tsx';
import { isNameless } from '../public-name/choose.tsx';
import { AskForLink } from './ask-for-link.tsx';
import { ChooseName } from './choose-name.tsx';
import { LinkRefused } from './link-refused.tsx';
import { LinkSent } from './link-sent.tsx';
import { keepWayBack, takeWayBack } from './return-link.ts';
import { SomebodyElse } from './signed-in-as-another.tsx';
import { arrivedToken, forgetToken, onToken } from './token.ts';
import './sign-in.css';

export function SignIn() {
  const token = useSyncExternalStore(onToken, arrivedToken);
  const [email, setEmail] = useState('');
  const [nameless, setNameless] = useState<{ session: Session; goOn: () => void } | null>(null);
  const [, navigate] = useLocation();
  const ask = useIdempotentMutation(ledger.requestSignIn);
  const open = useIdempotentMutation(ledger.openSession, {
    onSuccess(session, { replace }) {
      store.clear();
      store.setQueryData(KEYS.session, session);
      const wanted = returnPath(location.search);
      const path = returnPath(`?${new URLSearchParams({ return: wanted === '/' ? takeWayBack() : wanted })}`);
      // Loaded anew: nothing of the person before stays in this window.
      const goOn = () => (replace ? location.replace(path) : navigate(path, { replace: true }));
      if (isNameless(session)) setNameless({ session, goOn });
      else goOn();
    },
  });
  useTokenOnce(token, open.mutate);
  useEffect(() => {
    document.title = 'Sign in · Receipts';
  }, []);

  const send = (to: string) => {
    keepWayBack(returnPath(location.search));
    setEmail(to);
    open.reset();
    ask.mutate(to);
  };
  return (
    <main className="sign-in">
      <p className="sign-in-brand">
        <Icon name="receipt" /> Receipts
      </p>
      <div className="sign-in-card">
        {nameless ? (
          <ChooseName session={nameless.session} onDone={nameless.goOn} />
        ) : token !== null || open.isPending || open.isSuccess ? (
          <SigningIn />
        ) : open.error && problemOf(open.error).code === 'signed_in_as_another' ? (
          <SomebodyElse
            error={open.error}
            onStay={() => navigate(returnPath(location.search), { replace: true })}
            onReplace={() => open.mutate({ token: open.variables.token, replace: true })}
          />
        ) : open.error ? (
          <LinkRefused error={open.error} onAgain={open.reset} />
        ) : ask.data ? (
          <LinkSent
            email={email}
            expires_in_seconds={ask.data.expires_in_seconds}
            error={ask.error}
            onAgain={() => send(email)}
            onOther={ask.reset}
          />
        ) : (
          <AskForLink before={email} busy={ask.isPending} error={ask.error} onAsk={send} />
        )}
      </div>
      <p className="sign-in-foot">
        Programs use an API key instead: see <a href="/docs">how the API works</a>.
      </p>
    </main>
  );
}

/** React may run an effect twice; a token goes out once. */
function useTokenOnce(token: string | null, send: (body: { token: string }) => void): void {
  const sent = useRef<string | null>(null);
  useEffect(() => {
    if (sent.current === token) return;
    sent.current = token;
    if (token === null) return;
    send({ token });
    forgetToken();
  }, [token, send]);
}

function SigningIn() {
  return (
    <div className="sign-in-waiting" role="status">
      <span className="spinner" /> Signing you in …
    </div>
  );
}
