/** A flight sheet as a form: what it is called, what is asked for, the form of the answer, the rules, the scores. */

import { Button } from '../../../components/button.tsx';
import { TextAreaField, TextField } from '../../../components/field.tsx';
import { count } from '../../../format/numbers.ts';
import { Section } from '../../../layout/page.tsx';
import { type Checked, faultAt } from './check.ts';
import { CodeField } from './code-field.tsx';
import { type Draft, type DraftFault, newRule, type RuleDraft, slugOf } from './draft.ts';
import { placeOf } from './json-places.ts';
import { Language } from './language.tsx';
import { RuleFields } from './rule-fields.tsx';

interface SheetFormProps {
  draft: Draft;
  checked: Checked;
  onChange: (draft: Draft) => void;
}

/** `isNew`: its name follows its title until another is typed. */
export function SheetForm({ draft, checked, isNew, onChange }: SheetFormProps & { isNew: boolean }) {
  const change = (to: Partial<Draft>) => onChange({ ...draft, ...to });
  const field = (member: Exclude<keyof Draft, 'rules'>, path: string = member) => ({
    value: draft[member],
    error: faultAt(checked, path)?.message,
    onChange: ({ target }: { target: { value: string } }) => change({ [member]: target.value }),
  });
  return (
    <div className="sheet-form">
      <Section title="Sheet">
        <div className="panel form">
          <TextField
            label="Title"
            placeholder="Debt service memo"
            {...field('title')}
            onChange={({ target: { value: title } }) =>
              change({ title, ...(isNew && draft.name === slugOf(draft.title) ? { name: slugOf(title) } : {}) })
            }
          />
          <div className="form-row">
            <TextField label="Name" mono placeholder="debt-service-memo" {...field('name')} />
            <TextField label="Version" mono {...field('version')} />
          </div>
        </div>
      </Section>
      <Section title="Assignment">
        <div className="panel form">
          <TextField label="What is asked for" {...field('assignment_title', 'assignment.title')} />
          <TextAreaField label="Instructions" optional rows={3} {...field('instructions', 'assignment.instructions')} />
        </div>
      </Section>
      <Section title="Form of the output" beside="JSON Schema 2020-12">
        <div className="panel">
          <CodeField
            label="JSON Schema"
            labelHidden
            tall
            rows={6}
            value={draft.output_schema}
            fault={schemaFault(draft.output_schema, checked.faults)}
            onChange={(output_schema) => change({ output_schema })}
          />
        </div>
      </Section>
      <Rules draft={draft} checked={checked} onChange={onChange} />
      <Section title="Scores">
        <div className="panel form">
          <div className="form-row">
            <TextField
              label="Passes from"
              inputMode="numeric"
              hint="Below it the outcome is at best a review."
              {...field('pass_threshold')}
            />
            <TextField
              label="Fails below"
              inputMode="numeric"
              hint="Any flag of high severity fails as well."
              {...field('fail_threshold')}
            />
          </div>
        </div>
      </Section>
    </div>
  );
}

function Rules({ draft, checked, onChange }: SheetFormProps) {
  const { rules } = draft;
  const change = (to: RuleDraft[]) => onChange({ ...draft, rules: to });
  const fault = faultAt(checked, 'rules');
  return (
    <Section title="Rules" beside={`${count(rules.length, 'rule')}, in CEL over submission, inputs and evidence`}>
      <ol className="rules">
        {rules.map((rule, index) => (
          <RuleFields
            key={rule.key}
            rule={rule}
            index={index}
            count={rules.length}
            faultAt={(member) => faultAt(checked, `rules.${index}.${member}`)}
            finding={checked.findingOf(index)}
            onChange={(to) => change(rules.with(index, to))}
            onMove={(by) => change(rules.with(index, rules[index + by]!).with(index + by, rule))}
            onRemove={() => change(rules.toSpliced(index, 1))}
          />
        ))}
      </ol>
      {fault && <p className="field-error">{fault.message}</p>}
      <Button icon="plus" onClick={() => change([...rules, newRule()])}>
        Add a rule
      </Button>
      <Language />
    </Section>
  );
}

/** The ledger names a place in the schema by its path; the field marks it in the text. */
function schemaFault(text: string, faults: readonly DraftFault[]): DraftFault | null {
  const fault = faults.find(({ path }) => path === 'output_schema' || path.startsWith('output_schema.'));
  if (fault === undefined) return null;
  if (fault.path === 'output_schema') return fault;
  return { ...fault, offset: placeOf(text, fault.path.slice('output_schema.'.length)) };
}
