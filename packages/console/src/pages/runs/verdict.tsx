/** The verdict as on the receipt's page, and below it what a person decided. */
import type { Run } from '@rcpt/contract/ledger/runs.ts';
import { OUTCOME_LOOKS } from '../../components/outcome.tsx';
import { SignedBy, SignerId } from '../../components/signer.tsx';
import { StatusIcon } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { OUTCOME_WORD } from '../../format/vocabulary.ts';
import { Shown } from '../../shown/shown.ts';
import './verdict.css';

export function VerdictPanel({ run }: { run: Run }) {
  const { verdict, approval } = run;
  if (verdict === null) return null;
  const looks = OUTCOME_LOOKS[verdict.outcome];
  return (
    <section className={`verdict ${looks.tone}`} aria-label="Verdict">
      <h2>
        <StatusIcon name={looks.mark} tone={looks.tone} />
        {OUTCOME_WORD[verdict.outcome]}
      </h2>
      <p className="score">
        <strong>{verdict.score_100}</strong> of 100
      </p>
      <p className="verdict-summary">
        {verdict.summary} {verdict.recommended_action}
      </p>
      {approval && (
        <div className="verdict-approval">
          <p>
            <strong>{approval.decision === 'approved' ? 'Approved' : 'Rejected'}</strong> by{' '}
            <SignedBy signer={{ name: approval.approved_by, id: approval.approver_id }} />{' '}
            <Timestamp at={approval.approved_at} />
          </p>
          <SignerId id={approval.approver_id} />
          {approval.note && (
            <p className="muted written" dir="auto">
              <Shown text={approval.note} place="text" />
            </p>
          )}
        </div>
      )}
    </section>
  );
}
