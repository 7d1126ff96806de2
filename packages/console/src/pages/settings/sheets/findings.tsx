/** What a sheet finds on a submission: the verdict, and each rule in the sheet's order. */
import type { FlightSheetFindings } from '@rcpt/contract/ledger/flight-sheet.ts';
import { CheckStatusMark, OUTCOME_LOOKS } from '../../../components/outcome.tsx';
import { StatusIcon } from '../../../components/status-badge.tsx';
import { count } from '../../../format/numbers.ts';
import { OUTCOME_WORD, sentence } from '../../../format/vocabulary.ts';

export function Findings({ findings: { checks, verdict } }: { findings: FlightSheetFindings }) {
  const open = checks.filter(({ status }) => status === 'open').length;
  return (
    <div className="findings">
      {verdict ? (
        <div className={`trial-verdict ${OUTCOME_LOOKS[verdict.outcome].tone}`}>
          <h3 className="trial-outcome">
            <StatusIcon name={OUTCOME_LOOKS[verdict.outcome].mark} tone={OUTCOME_LOOKS[verdict.outcome].tone} />
            {OUTCOME_WORD[verdict.outcome]}
          </h3>
          <span>
            <strong>{verdict.score_100}</strong> of 100
          </span>
          <p>{verdict.summary}</p>
        </div>
      ) : (
        <div className="trial-verdict accent">
          <h3 className="trial-outcome">
            <StatusIcon name="ring" tone="accent" />
            Waits for a person
          </h3>
          <p>{count(open, 'rule')} to be decided by hand; a Run has its verdict after that.</p>
        </div>
      )}
      <ul aria-label="Findings">
        {checks.map((check) => (
          <li key={check.key} className="finding">
            <CheckStatusMark check={check} />
            <div>
              <span className="finding-label">{check.label}</span>
              {check.status !== 'pass' && <p className="finding-detail">{check.detail}</p>}
            </div>
            <small className="finding-severity">{sentence(check.severity)}</small>
          </li>
        ))}
      </ul>
    </div>
  );
}
