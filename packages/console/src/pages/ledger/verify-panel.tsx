/** Verifying the whole chain: asked for, on its way, and what came of it. */
import { statusOf } from '../../api/problem.ts';
import { useSession } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Hash } from '../../components/copy.tsx';
import { Problem } from '../../components/problem.tsx';
import { Progress } from '../../components/progress.tsx';
import { StatusIcon, type StatusIconName, type Tone } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { amount, count } from '../../format/numbers.ts';
import { useShortcuts } from '../../layout/shortcuts.ts';
import { receipts, type VerificationState } from './verification.ts';
import { Violations } from './violations.tsx';
import { duration, verdictOf } from './wording.ts';

interface VerifyPanelProps {
  last: number;
  /** Shows a number in the chain below. */
  onShow: (org_seq: number) => void;
}

export function VerifyPanel({ last, onShow }: VerifyPanelProps) {
  const state = receipts.use();
  const running = state.is === 'running';
  const { organization } = useSession();
  const start = () => void receipts.start(organization.id);
  useShortcuts({ v: { does: 'Verify the chain', run: () => !running && start() } });
  const { mark, tone, title } = looksOf(state);
  return (
    <section className={`panel verify ${tone}`} aria-label="Verification">
      <div className="verify-head">
        <StatusIcon name={mark} tone={tone} />
        <div>
          <div role="status">
            <h2>{title}</h2>
          </div>
          <Words state={state} last={last} />
        </div>
        {running ? (
          <Button onClick={receipts.stop}>Stop</Button>
        ) : (
          <Button kind={state.is === 'done' ? 'plain' : 'primary'} icon="shield" onClick={start}>
            {state.is === 'never' ? 'Verify' : 'Verify again'}
          </Button>
        )}
      </div>
      {state.is === 'running' && (
        <Progress
          label="Receipts verified"
          {...(state.progress && { done: state.progress.receipts_checked, of: state.progress.receipts })}
        />
      )}
      {state.is === 'failed' && <Problem error={state.error} />}
      {state.is === 'done' && <Violations violations={state.report.violations} last={last} onShow={onShow} />}
    </section>
  );
}

export function looksOf(state: VerificationState): { mark: StatusIconName; tone: Tone; title: string } {
  switch (state.is) {
    case 'never':
      return { mark: 'ring', tone: 'neutral', title: 'Not verified yet' };
    case 'running':
      return { mark: 'half', tone: 'accent', title: 'Verifying the chain' };
    case 'stopped':
      return { mark: 'dash', tone: 'neutral', title: 'Stopped before the end' };
    case 'failed': {
      const passing = statusOf(state.error) !== null;
      return { mark: 'dash', tone: 'neutral', title: passing ? 'Not verified' : 'The verification failed' };
    }
    case 'done': {
      const { tone, words } = verdictOf(state.report);
      return { mark: tone === 'good' ? 'tick' : tone === 'bad' ? 'cross' : 'dash', tone, title: words };
    }
  }
}

function Words({ state, last }: { state: VerificationState; last: number }) {
  switch (state.is) {
    case 'never':
      return (
        <p>
          Hashes all {count(last + 1, 'stored receipt')} again, follows every link to the one before, and compares the
          end with the head that the last mint recorded.
        </p>
      );
    case 'running':
      return <p className="tabular">{progressOf(state.progress)}</p>;
    case 'stopped':
      return <p>{progressOf(state.progress)}. A part that was looked at says nothing about the rest.</p>;
    case 'failed':
      return <p>Nothing is known about the chain until a verification comes to its end.</p>;
    case 'done':
      return <Done state={state} last={last} />;
  }
}

function Done({
  state: { report, at, seconds },
  last,
}: {
  state: Extract<VerificationState, { is: 'done' }>;
  last: number;
}) {
  const { head, receipts_checked, ok } = report;
  const since = head === null ? 0 : last - head.org_seq;
  return (
    <>
      <p>
        {ok && head !== null
          ? `All ${count(receipts_checked, 'receipt')} are as they were sealed, each linked to the one before, up to the recorded head.`
          : `${count(receipts_checked, 'receipt')} checked.`}{' '}
        Verified <Timestamp at={at} />, in {duration(seconds)}.
        {ok && since > 0 && ` ${count(since, 'receipt')} sealed since.`}
      </p>
      {head !== null && (
        <p className="verify-end">
          {ok ? 'Head' : 'The chain ends at'} <strong>#{head.org_seq}</strong> <Hash value={head.receipt_sha256} />
        </p>
      )}
    </>
  );
}

function progressOf(progress: { receipts_checked: number; receipts: number } | null): string {
  if (progress === null) return 'Reading the first receipts';
  return `${amount(progress.receipts_checked)} of ${count(progress.receipts, 'receipt')}`;
}
