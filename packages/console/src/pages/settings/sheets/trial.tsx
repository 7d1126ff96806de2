/** A submission to try a sheet on, and what the sheet finds on it. Nothing of it is stored. */
import { useQuery } from '@tanstack/react-query';
import { ledger } from '../../../api/clients.ts';
import { KEYS } from '../../../api/keys.ts';
import { SelectField } from '../../../components/field.tsx';
import { Problem } from '../../../components/problem.tsx';
import { SegmentedControl } from '../../../components/segmented-control.tsx';
import { OUTCOME_WORD } from '../../../format/vocabulary.ts';
import type { Checked } from './check.ts';
import { CodeField } from './code-field.tsx';
import { EvidenceFacts } from './evidence-facts.tsx';
import { Findings } from './findings.tsx';
import { EMPTY_SUBMISSION, isGiven, type Submission, submissionOf } from './submission.ts';

const KINDS = [
  { value: 'json', label: 'JSON' },
  { value: 'text', label: 'Text' },
] as const;

interface TrialProps {
  submission: Submission;
  checked: Checked;
  onChange: (submission: Submission) => void;
}

export function Trial({ submission, checked, onChange }: TrialProps) {
  const change = (to: Partial<Submission>) => onChange({ ...submission, ...to });
  return (
    <div className="trial">
      <FromRun onChange={onChange} />
      <div className="trial-output">
        <CodeField
          label="Output"
          tall
          rows={5}
          value={submission.output}
          placeholder={submission.kind === 'json' ? '{ "a": 2, "b": 3, "sum": 5 }' : 'What the agent wrote'}
          fault={checked.submission.output}
          onChange={(output) => change({ output })}
        />
        <SegmentedControl
          label="What the output is"
          options={KINDS}
          value={submission.kind}
          onChange={(kind) => change({ kind })}
        />
      </div>
      <CodeField
        label="Inputs"
        optional
        tall
        value={submission.inputs}
        placeholder={'{ "client": "Acme" }'}
        fault={checked.submission.inputs}
        onChange={(inputs) => change({ inputs })}
      />
      <EvidenceFacts evidence={submission.evidence} onChange={(evidence) => change({ evidence })} />
      <p role="status" className="visually-hidden">
        {inShort(checked)}
      </p>
      <div aria-busy={checked.checking}>
        <Found submission={submission} checked={checked} />
      </div>
    </div>
  );
}

/** Read aloud when it changes; the findings themselves are not. */
function inShort({ findings }: Checked): string {
  if (findings === null) return '';
  const { verdict } = findings;
  return verdict ? `${OUTCOME_WORD[verdict.outcome]}, ${verdict.score_100} of 100` : 'Waits for a person';
}

function Found({ submission, checked }: Pick<TrialProps, 'submission' | 'checked'>) {
  const { findings, faults, problem } = checked;
  if (problem) return <Problem error={problem} />;
  if (findings) return <Findings findings={findings} />;
  if (!isGiven(submission))
    return <p className="muted">Paste an output, or take one from a Run: findings appear here.</p>;
  if (faults.length > 0) return <p className="muted">Findings appear here once what is marked is put right.</p>;
  return <p className="muted">The findings are on their way.</p>;
}

/** The last evaluations: a new version is best tried on work that exists. */
function FromRun({ onChange }: Pick<TrialProps, 'onChange'>) {
  const { data } = useQuery({
    queryKey: [...KEYS.runs({ lane: 'eval' }), 'last'],
    queryFn: ({ signal }) => ledger.listRuns({ lane: 'eval', limit: 20 }, signal),
  });
  const runs = (data?.runs ?? []).filter(({ execution }) => execution !== null);
  if (runs.length === 0) return null;
  return (
    <SelectField
      label="Take a submission from a Run"
      value=""
      onChange={({ target }) => {
        const run = runs.find(({ id }) => id === target.value);
        onChange((run && submissionOf(run)) ?? EMPTY_SUBMISSION);
      }}
    >
      <option value="">Choose a Run …</option>
      {runs.map((run) => (
        <option key={run.id} value={run.id}>
          {run.title}
          {run.verdict ? ` · ${run.verdict.outcome} ${run.verdict.score_100}` : ''}
        </option>
      ))}
    </SelectField>
  );
}
