/** One rule of a sheet that is written: what holds, who decides it, and what it says about the submission at hand. */

import { CHECK_CATEGORIES, CHECK_SEVERITIES } from '@rcpt/contract/words.ts';
import type { Check } from '@rcpt/contract/work.ts';
import { IconButton } from '../../../components/button.tsx';
import { SelectField, TextField } from '../../../components/field.tsx';
import { CheckStatusMark } from '../../../components/outcome.tsx';
import { SegmentedControl } from '../../../components/segmented-control.tsx';
import { sentence } from '../../../format/vocabulary.ts';
import { CodeField } from './code-field.tsx';
import { type DraftFault, type RuleDraft, slugOf } from './draft.ts';

const DECIDED_BY = [
  { value: 'expression', label: 'Expression' },
  { value: 'person', label: 'Person' },
] as const;

interface RuleFieldsProps {
  rule: RuleDraft;
  index: number;
  count: number;
  /** Of this rule: `expr`, `id`, … */
  faultAt: (member: string) => DraftFault | null;
  finding: Check | undefined;
  onChange: (rule: RuleDraft) => void;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}

export function RuleFields({ rule, index, count, faultAt, finding, onChange, onMove, onRemove }: RuleFieldsProps) {
  const change = (to: Partial<RuleDraft>) => onChange({ ...rule, ...to });
  const name = `rule ${index + 1}`;
  const error = (member: string) => faultAt(member)?.message;
  return (
    <li className="rule">
      <header>
        <h3 className="rule-name">{sentence(name)}</h3>
        {finding && <CheckStatusMark check={finding} />}
        <span className="rule-acts">
          {index > 0 && <IconButton icon="up" small label={`Move ${name} up`} onClick={() => onMove(-1)} />}
          {index < count - 1 && <IconButton icon="down" small label={`Move ${name} down`} onClick={() => onMove(1)} />}
          <IconButton icon="trash" small label={`Remove ${name}`} onClick={onRemove} />
        </span>
      </header>
      <TextField
        label="What holds"
        value={rule.label}
        placeholder="The lines make the total"
        error={error('label')}
        onChange={({ target: { value: label } }) =>
          change({ label, ...(rule.id === slugOf(rule.label) ? { id: slugOf(label) } : {}) })
        }
      />
      <div className="rule-row">
        <TextField
          label="Id"
          mono
          value={rule.id}
          placeholder="lines-make-total"
          error={error('id')}
          onChange={(event) => change({ id: event.target.value })}
        />
        <SelectField
          label="Category"
          value={rule.category}
          error={error('category')}
          onChange={(event) => change({ category: event.target.value })}
        >
          <Options words={CHECK_CATEGORIES} value={rule.category} />
        </SelectField>
        <SelectField
          label="Severity"
          value={rule.severity}
          error={error('severity')}
          onChange={(event) => change({ severity: event.target.value })}
        >
          <Options words={CHECK_SEVERITIES} value={rule.severity} />
        </SelectField>
      </div>
      <div className="rule-decided">
        <SegmentedControl
          label={`Who decides ${name}`}
          options={DECIDED_BY}
          value={rule.checklist ? 'person' : 'expression'}
          onChange={(by) => change({ checklist: by === 'person' })}
        />
        {rule.checklist ? (
          <p className="field-hint">Stays open until a person applies it on the Run; the verdict waits for that.</p>
        ) : (
          <CodeField
            label={`Expression of ${name}`}
            labelHidden
            value={rule.expr}
            placeholder="submission.total == sum(submission.lines.map(line, line.amount))"
            fault={faultAt('expr')}
            onChange={(expr) => change({ expr })}
          />
        )}
      </div>
    </li>
  );
}

/** With the word that stands there, should it be none of them. */
function Options({ words, value }: { words: readonly string[]; value: string }) {
  return [...(words.includes(value) ? [] : [value]), ...words].map((word) => (
    <option key={word} value={word}>
      {sentence(word)}
    </option>
  ));
}
