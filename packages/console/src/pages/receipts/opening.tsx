/** What a receipt says first: its verdict where the lane has one, and who approved. */
import type { Print } from '@rcpt/contract/lanes/lane.ts';
import { SignedBy, SignerId } from '../../components/signer.tsx';
import { StatusIcon, type StatusIconName, type Tone } from '../../components/status-badge.tsx';
import { Shown } from '../../shown/shown.ts';

const MARK: Record<Exclude<Tone, 'accent'>, StatusIconName> = {
  good: 'tick',
  caution: 'warning',
  bad: 'cross',
  neutral: 'dash',
};

/** Where the lane has a verdict, it comes first; who approved stands with it. */
export function Opening({ print: { outcome, approval } }: { print: Print }) {
  if (outcome === null && approval === null) return null;
  return (
    <section className={`opening ${outcome?.tone ?? 'neutral'}`} aria-label={outcome ? 'Verdict' : 'Approval'}>
      {outcome && (
        <>
          <div className="opening-head">
            <h2>
              <StatusIcon name={MARK[outcome.tone]} tone={outcome.tone} />
              {outcome.word}
            </h2>
            {outcome.score_100 !== null && (
              <p className="opening-score">
                <strong>{outcome.score_100}</strong> of 100
              </p>
            )}
          </div>
          {outcome.summary !== '—' && (
            <p className="written" dir="auto">
              <Shown text={outcome.summary} place="text" />
            </p>
          )}
        </>
      )}
      {approval && <Approval approval={approval} />}
    </section>
  );
}

function Approval({ approval: { decision, by, at, note } }: { approval: NonNullable<Print['approval']> }) {
  return (
    <div className="opening-approval">
      <p>
        {decision}
        {by && (
          <>
            {' by '}
            <SignedBy signer={by} />
          </>
        )}
        {at && <span className="muted">, {at}</span>}
      </p>
      {by && <SignerId id={by.id} />}
      {note && note !== '—' && (
        <blockquote className="written" dir="auto">
          <Shown text={note} place="text" />
        </blockquote>
      )}
    </div>
  );
}
