/** The checks of a Run by category, what asks for attention first; open ones are decided in place. */

import type { Run } from '@rcpt/contract/ledger/runs.ts';
import { deciderOf, decidersInWords, signerOf } from '@rcpt/contract/signer.ts';
import { CHECK_CATEGORIES } from '@rcpt/contract/words.ts';
import type { Check } from '@rcpt/contract/work.ts';
import { CheckStatusMark } from '../../components/outcome.tsx';
import { SignedBy, SignerId } from '../../components/signer.tsx';
import { sentence } from '../../format/vocabulary.ts';
import { Section } from '../../layout/page.tsx';
import { Shown } from '../../shown/shown.ts';
import { DecideCheck } from './decide-check.tsx';
import './checks.css';

const FIRST = ['open', 'flag', 'skip', 'pass'] as const satisfies readonly Check['status'][];

export function ChecksSection({ run, disabledReason }: { run: Run; disabledReason: string | null }) {
  if (run.checks.length === 0) return null;
  return (
    <Section title="Checks" beside={tally(run.checks)}>
      <div className="checks">
        {byCategory(run.checks).map(([category, checks]) => {
          return (
            <section key={category} aria-label={sentence(category)}>
              <h3>{sentence(category)}</h3>
              <ul>
                {checks.map((check) => (
                  <Line key={check.key} run={run} check={check} disabledReason={disabledReason} />
                ))}
              </ul>
            </section>
          );
        })}
      </div>
    </Section>
  );
}

function Line({ run, check, disabledReason }: { run: Run; check: Check; disabledReason: string | null }) {
  const decidable = check.status === 'open' && run.stage === 'Checks';
  return (
    <li data-status={check.status}>
      <CheckStatusMark check={check} />
      <div className="check-words">
        <span className="check-label">
          <Shown text={check.label} />
        </span>
        <Decided check={check} />
        {check.detail && (
          <p className="muted written" dir="auto">
            <Shown text={check.detail} place="text" />
          </p>
        )}
        {decidable && <DecideCheck run_id={run.id} check={check} disabledReason={disabledReason} />}
      </div>
      <span className="check-severity">{sentence(check.severity)}</span>
    </li>
  );
}

/** What a rule decided says nothing here: the section's sum does. */
function Decided({ check }: { check: Check }) {
  const signer = signerOf(check.decided_by);
  if (signer === null) return null;
  return (
    <div className="check-decided">
      Decided by <SignedBy signer={signer} />
      <SignerId id={signer.id} />
    </div>
  );
}

/** Each category with its checks; the one that asks for attention most comes first. */
function byCategory(all: readonly Check[]) {
  return CHECK_CATEGORIES.map((category) => {
    const checks = all.filter((check) => check.category === category).sort(byAttention);
    return [category, checks] as const;
  })
    .filter(([, checks]) => checks.length > 0)
    .sort(([, [a]], [, [b]]) => byAttention(a!, b!));
}

function byAttention(a: Check, b: Check): number {
  return FIRST.indexOf(a.status) - FIRST.indexOf(b.status);
}

const TALLY: Record<Check['status'], string> = { pass: 'passed', skip: 'skipped', flag: 'flagged', open: 'open' };

/** `12 checks: 10 passed, 2 flagged · 11 by rule, 1 by a person`. */
function tally(checks: readonly Check[]): string {
  const parts = FIRST.toReversed()
    .map((status) => [checks.filter((check) => check.status === status).length, status] as const)
    .filter(([number]) => number > 0)
    .map(([number, status]) => `${number} ${TALLY[status]}`);
  const by = decidersInWords(checks.map(({ decided_by }) => deciderOf(decided_by)));
  return `${checks.length} ${checks.length === 1 ? 'check' : 'checks'}: ${parts.join(', ')}${by && ` · ${by}`}`;
}
