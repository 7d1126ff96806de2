/** Posts what was done, as JSON: a template of the lane to fill in. Members that are left empty are not sent. */
import type { Run } from '@rcpt/contract/ledger/runs.ts';
import type { Json, JsonObject } from '@rcpt/contract/wire.ts';
import { useState } from 'react';
import { ledger } from '../../api/clients.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { TextAreaField } from '../../components/field.tsx';
import { EXECUTION_TEMPLATE, parsedJson } from './lane-fields.ts';
import { useRunMutation } from './run-mutation.ts';

export function ExecutionForm({ run, onClose }: { run: Run; onClose: () => void }) {
  const [text, setText] = useState(JSON.stringify(EXECUTION_TEMPLATE[run.lane], null, 2));
  const act = useRunMutation(run.id, (body: JsonObject, key) => ledger.postExecution(run.id, body, key));
  const read = reading(text);
  return (
    <FormDialog
      title="Post the execution"
      wide
      action="Post it"
      mutation={act}
      disabledReason={read.fault}
      onSend={() => {
        if (read.body) act.mutate(read.body, { onSuccess: onClose });
      }}
      onClose={onClose}
    >
      <TextAreaField
        label="What was done"
        mono
        rows={12}
        value={text}
        error={read.fault}
        hint="A JSON object. Text members that are left empty are not sent."
        onChange={(event) => setText(event.target.value)}
      />
      {run.evidence.length === 0 && (
        <p className="muted">No evidence is attached yet, and none can be attached afterwards.</p>
      )}
    </FormDialog>
  );
}

function reading(text: string): { body: JsonObject; fault?: undefined } | { body?: undefined; fault: string } {
  try {
    const value = parsedJson(text, 'This') as Json;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { fault: 'It has to be an object: { … }.' };
    return { body: Object.fromEntries(Object.entries(value).filter(([, member]) => member !== '')) };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}
