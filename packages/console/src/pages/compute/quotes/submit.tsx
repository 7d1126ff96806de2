/** A quote becomes a job: what its command is given, and how it is queued. */

import type { Quote } from '@rcpt/contract/router/compute.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { router } from '../../../api/clients.ts';
import { useIdempotentMutation } from '../../../api/idempotent-mutation.ts';
import { KEYS } from '../../../api/keys.ts';
import { errorAt } from '../../../api/problem.ts';
import { useSession } from '../../../api/queries.ts';
import { Button } from '../../../components/button.tsx';
import { TextAreaField, TextField } from '../../../components/field.tsx';
import { Problem } from '../../../components/problem.tsx';
import { deniedReason } from '../../../format/permissions.ts';
import { toast } from '../../../layout/toasts.tsx';
import { payloadOf } from '../price.ts';

type NewJob = Parameters<typeof router.createJob>[0];

export function SubmitJob({ quote }: { quote: Quote }) {
  const { role } = useSession();
  const store = useQueryClient();
  const [, navigate] = useLocation();
  const [payload, setPayload] = useState('');
  const [priority, setPriority] = useState('0');
  const [attempts, setAttempts] = useState('3');
  const [datasets, setDatasets] = useState('');
  const [tried, setTried] = useState(false);
  const submit = useIdempotentMutation((job: NewJob, key) => router.createJob(job, key), {
    onSuccess(job) {
      store.setQueryData(KEYS.compute('job', job.id), job);
      void store.invalidateQueries({ queryKey: KEYS.compute('jobs') });
      toast('Job queued');
      navigate(`/compute/jobs/${encodeURIComponent(job.id)}`);
    },
  });
  const read = payloadOf(payload);
  const wrong = tried && 'wrong' in read ? read.wrong : undefined;
  const send = () => {
    setTried(true);
    if ('wrong' in read || submit.isPending || deniedReason(role, 'work') !== null) return;
    const { member_id, job_type, requested_gpu_sku, estimated_hours } = quote;
    const input_dataset_ids = datasets.split(/[\s,]+/).filter((id) => id !== '');
    submit.mutate({
      ...{ member_id, job_type, requested_gpu_sku, estimated_hours, input_dataset_ids },
      payload: read.payload as NonNullable<NewJob['payload']>,
      priority: Number(priority),
      max_attempts: Number(attempts),
    });
  };
  return (
    <form
      className="form submit-job"
      aria-label="Submit as a job"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <TextAreaField
        label="Payload"
        optional
        mono
        rows={5}
        hint="A JSON object: the worker’s command reads it from its job file."
        placeholder={'{\n  "base_model": "acme/tiny-1b"\n}'}
        error={wrong ?? errorAt(submit.error, 'payload')}
        value={payload}
        onChange={({ target }) => setPayload(target.value)}
      />
      <TextField
        label="Datasets"
        optional
        hint="Their ids, with commas between."
        error={errorAt(submit.error, 'input_dataset_ids')}
        value={datasets}
        onChange={({ target }) => setDatasets(target.value)}
      />
      <div className="form-row">
        <TextField
          label="Priority"
          type="number"
          min={-1000}
          max={1000}
          required
          hint="Higher goes first."
          error={errorAt(submit.error, 'priority')}
          value={priority}
          onChange={({ target }) => setPriority(target.value)}
        />
        <TextField
          label="Attempts"
          type="number"
          min={1}
          max={100}
          required
          hint="When a worker is lost."
          error={errorAt(submit.error, 'max_attempts')}
          value={attempts}
          onChange={({ target }) => setAttempts(target.value)}
        />
      </div>
      {submit.error && <Problem error={submit.error} />}
      <div className="form-end">
        <Button kind="primary" type="submit" busy={submit.isPending} disabledReason={deniedReason(role, 'work')}>
          Submit as job
        </Button>
      </div>
    </form>
  );
}
