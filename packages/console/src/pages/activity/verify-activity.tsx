/** Verifying the activity chain, and holding it against who may act now. */
import { useSession } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Hash } from '../../components/copy.tsx';
import { Problem } from '../../components/problem.tsx';
import { StatusIcon } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { count } from '../../format/numbers.ts';
import { Finding, ViolationTitle } from '../ledger/finding.tsx';
import { createVerification, type VerificationState } from '../ledger/verification.ts';
import { looksOf } from '../ledger/verify-panel.tsx';
import type { Violation } from '../ledger/wording.ts';
import '../ledger/ledger.css';

const verification = createVerification('/activity/verify');

export function VerifyActivity() {
  const state = verification.use();
  const { organization } = useSession();
  const { mark, tone, title } = looksOf(state);
  return (
    <section className={`panel verify ${tone}`} aria-label="Verification">
      <div className="verify-head">
        <StatusIcon name={mark} tone={tone} />
        <div>
          <div role="status">
            <h2>{title}</h2>
          </div>
          <Words state={state} />
        </div>
        {state.is === 'running' ? (
          <Button onClick={verification.stop}>Stop</Button>
        ) : (
          <Button
            kind={state.is === 'done' ? 'plain' : 'primary'}
            icon="shield"
            onClick={() => void verification.start(organization.id)}
          >
            {state.is === 'never' ? 'Verify' : 'Verify again'}
          </Button>
        )}
      </div>
      {state.is === 'failed' && <Problem error={state.error} />}
      {state.is === 'done' && state.report.violations.length > 0 && (
        <ol className="violations">
          {state.report.violations.map((violation, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: one line may be pinned twice
            <li key={place}>
              <Found violation={violation} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function Words({ state }: { state: VerificationState }) {
  switch (state.is) {
    case 'never':
    case 'failed':
    case 'stopped':
      return (
        <p>
          Hashes every line again, follows each link to the one before, and compares the members, keys, passkeys and
          settings of today with what the lines tell of them.
        </p>
      );
    case 'running':
      return <p>Reading the lines</p>;
    case 'done': {
      const { ok, receipts_checked, head } = state.report;
      return (
        <>
          <p>
            {ok
              ? `All ${count(receipts_checked, 'line')} are as they were sealed, and explain who may act today.`
              : `${count(receipts_checked, 'line')} checked.`}{' '}
            Verified <Timestamp at={state.at} />.
          </p>
          {head !== null && (
            <p className="verify-end">
              {ok ? 'Head' : 'The chain ends at'} <strong>#{head.org_seq}</strong> <Hash value={head.receipt_sha256} />
            </p>
          )}
        </>
      );
    }
  }
}

function Found({ violation }: { violation: Violation }) {
  return (
    <article className="violation">
      <header>
        <ViolationTitle violation={violation} />
      </header>
      <Finding violation={violation} of="Line" />
    </article>
  );
}
