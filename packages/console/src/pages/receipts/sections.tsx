/** The sections of a printed receipt: the same, in the same order, as on its shared page. */
import type {
  Section as Printed,
  PrintedCheck,
  PrintedEvidence,
  Fact as PrintedFact,
} from '@rcpt/contract/lanes/lane.ts';
import { decidersInWords } from '@rcpt/contract/signer.ts';
import { IconButton } from '../../components/button.tsx';
import { copy } from '../../components/copy.tsx';
import { Description, DescriptionList, LeftOut } from '../../components/description-list.tsx';
import { CheckStatusMark } from '../../components/outcome.tsx';
import { SignedBy, SignerId } from '../../components/signer.tsx';
import { Badge } from '../../components/status-badge.tsx';
import { count } from '../../format/numbers.ts';
import { sentence } from '../../format/vocabulary.ts';
import { Section } from '../../layout/page.tsx';
import { Shown } from '../../shown/shown.ts';

export function PrintedSection({ section }: { section: Printed }) {
  switch (section.kind) {
    case 'facts':
      if (section.facts.length === 0) return null;
      return (
        <Section title={section.title}>
          <PrintedFacts facts={section.facts} />
          <LeftOut members={section.left_out} />
        </Section>
      );
    case 'checks':
      return (
        <Section title={section.title} beside={tally(section.checks)}>
          <Checks checks={section.checks} />
        </Section>
      );
    case 'evidence':
      return (
        <Section title={section.title} beside={count(section.evidence.length, 'item')}>
          <Evidence evidence={section.evidence} />
        </Section>
      );
    case 'text':
      return (
        <Section title={section.title}>
          <div className="prose" dir="auto">
            <Shown text={section.text} place="text" />
          </div>
        </Section>
      );
  }
}

function PrintedFacts({ facts }: { facts: readonly PrintedFact[] }) {
  return (
    <DescriptionList>
      {facts.map(({ label, value, mono }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two facts may have one label
        <Description key={place} label={label}>
          {mono ? <code>{value}</code> : value}
        </Description>
      ))}
    </DescriptionList>
  );
}

function Checks({ checks }: { checks: readonly PrintedCheck[] }) {
  if (checks.length === 0) return <p className="muted">No check was recorded.</p>;
  return (
    <ul className="printed-list">
      {checks.map((check, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two checks may have one label
        <li key={place} className="printed-check">
          <CheckStatusMark check={check} />
          <div>
            <Shown text={check.label} />
            <Decided by={check.decided_by} />
            {check.detail !== '' && check.detail !== '—' && (
              <p className="muted written" dir="auto">
                <Shown text={check.detail} place="text" />
              </p>
            )}
          </div>
          <span className="muted">
            {sentence(check.category)}, {check.severity}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** What a rule decided says nothing here: the section's sum does. */
function Decided({ by }: { by: PrintedCheck['decided_by'] }) {
  if (by === null || by === 'rule') return null;
  return (
    <p className="muted">
      {'Decided by '}
      <SignedBy signer={by} />
      <SignerId id={by.id} />
    </p>
  );
}

function Evidence({ evidence }: { evidence: readonly PrintedEvidence[] }) {
  if (evidence.length === 0) return <p className="muted">No evidence was attached.</p>;
  return (
    <ul className="printed-list">
      {evidence.map(({ label, kind, sha256, size }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two pieces of evidence may be the same
        <li key={place} className="printed-evidence">
          <div>
            <Shown text={label} /> <Badge>{sentence(kind)}</Badge>
            {size && <span className="muted"> {size}</span>}
          </div>
          <span className="hash">
            <code>{sha256}</code>
            <IconButton
              icon="copy"
              label={`Copy the hash of ${label}`}
              small
              onClick={() => void copy(sha256, 'Hash')}
            />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** `12 checks: 10 pass, 2 flag · all by rule`. */
function tally(checks: readonly PrintedCheck[]): string {
  const counts = new Map<string, number>();
  for (const { status } of checks) counts.set(status, (counts.get(status) ?? 0) + 1);
  const parts = Array.from(counts, ([status, of]) => `${of} ${status}`);
  const by = decidersInWords(checks.map(({ decided_by: by }) => (by === 'rule' ? by : (by?.kind ?? null))));
  return `${count(checks.length, 'check')}${parts.length > 1 ? `: ${parts.join(', ')}` : ''}${by && ` · ${by}`}`;
}
