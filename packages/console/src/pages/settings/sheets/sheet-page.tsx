/** One version of a flight sheet, to be read, and to be tried on a submission. */
import type { FlightSheet, Rule } from '@rcpt/contract/ledger/flight-sheet.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { flightSheetsQuery, useSession } from '../../../api/queries.ts';
import { ButtonLink } from '../../../components/button.tsx';
import { Description, DescriptionList } from '../../../components/description-list.tsx';
import { Icon } from '../../../components/icon.tsx';
import { RawJson } from '../../../components/json-view.tsx';
import { Menu } from '../../../components/menu.tsx';
import { Badge } from '../../../components/status-badge.tsx';
import { count } from '../../../format/numbers.ts';
import { deniedReason } from '../../../format/permissions.ts';
import { sentence } from '../../../format/vocabulary.ts';
import { Page, Section } from '../../../layout/page.tsx';
import { useCheck } from './check.ts';
import { draftOf } from './draft.ts';
import { addressOf, newVersionOf } from './sheet-list.tsx';
import { EMPTY_SUBMISSION } from './submission.ts';
import { Trial } from './trial.tsx';

export function SheetPage({ sheet }: { sheet: FlightSheet }) {
  const disabledReason = deniedReason(useSession().role, 'work');
  const { name, version, title, assignment, rules, output_schema, pass_threshold, fail_threshold } = sheet;
  return (
    <Page
      title={title}
      narrow
      up={{ href: '/settings/flight-sheets', label: 'Flight sheets' }}
      beside={<Versions name={name} version={version} />}
      actions={disabledReason === null && <ButtonLink href={newVersionOf(sheet)}>New version</ButtonLink>}
    >
      <Section title="Assignment">
        <div className="panel">
          <DescriptionList>
            <Description label="Name">
              <code>{name}</code>
            </Description>
            <Description label="Asks for">{assignment.title}</Description>
            {assignment.instructions && <Description label="Instructions">{assignment.instructions}</Description>}
            <Description label="Passes">
              from a score of {pass_threshold}; fails below {fail_threshold} or on any flag of high severity
            </Description>
          </DescriptionList>
        </div>
      </Section>
      <Section title="Rules" beside={count(rules.length, 'rule')}>
        <RuleTable rules={rules} />
      </Section>
      <Section title="Form of the output" beside="JSON Schema 2020-12">
        <RawJson value={output_schema} />
      </Section>
      {disabledReason === null && <TryIt sheet={sheet} />}
    </Page>
  );
}

function RuleTable({ rules }: { rules: readonly Rule[] }) {
  return (
    <ol className="rule-list">
      {rules.map((rule) => (
        <li key={rule.id} className="rule-read">
          <div>
            <span className="rule-label">{rule.label}</span>
            <span className="rule-kind">
              <span>{sentence(rule.category)}</span>
              <Badge>{sentence(rule.severity)}</Badge>
            </span>
          </div>
          {'expr' in rule ? (
            <pre>{rule.expr}</pre>
          ) : (
            <p className="by-person">
              <Icon name="person" /> A person decides this on each Run.
            </p>
          )}
          <code className="rule-id">{rule.id}</code>
        </li>
      ))}
    </ol>
  );
}

function Versions({ name, version }: { name: string; version: string }) {
  const { data } = useQuery(flightSheetsQuery);
  const [, navigate] = useLocation();
  const versions = (data ?? []).filter((sheet) => sheet.name === name).toReversed();
  if (versions.length < 2) return <Badge>{version}</Badge>;
  return (
    <Menu
      label={`Version ${version}`}
      className="button small"
      groups={[
        versions.map((sheet, place) => ({
          label: sheet.version,
          chosen: sheet.version === version,
          ...(place === 0 ? { detail: 'newest' } : {}),
          onSelect: () => navigate(addressOf(sheet)),
        })),
      ]}
    >
      Version {version}
      <Icon name="down" />
    </Menu>
  );
}

function TryIt({ sheet }: { sheet: FlightSheet }) {
  const draft = useMemo(() => draftOf(sheet), [sheet]);
  const [submission, setSubmission] = useState(EMPTY_SUBMISSION);
  const checked = useCheck(draft, submission, { may: true });
  return (
    <Section title="Try it" beside="Nothing is stored">
      <div className="panel">
        <Trial submission={submission} checked={checked} onChange={setSubmission} />
      </div>
    </Section>
  );
}
