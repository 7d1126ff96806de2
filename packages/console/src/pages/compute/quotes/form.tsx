/** Who wants which GPU for how long, to do what. */

import type { Quote } from '@rcpt/contract/router/compute.ts';
import type { Member } from '@rcpt/contract/router/members.ts';
import type { JobType } from '@rcpt/contract/router/vocabulary.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { router } from '../../../api/clients.ts';
import { useIdempotentMutation } from '../../../api/idempotent-mutation.ts';
import { KEYS } from '../../../api/keys.ts';
import { errorAt } from '../../../api/problem.ts';
import { useSession } from '../../../api/queries.ts';
import { Button, ButtonLink } from '../../../components/button.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { SelectField, TextField } from '../../../components/field.tsx';
import { Problem } from '../../../components/problem.tsx';
import { deniedReason } from '../../../format/permissions.ts';
import { OFFERED_JOB_TYPES, typeWord } from '../format.ts';
import { hoursOf, type Offer, rateWords } from '../price.ts';

export interface QuoteDraft {
  member_id: string;
  requested_gpu_sku: string;
  /** As typed. */
  hours: string;
  job_type: JobType;
}

interface QuoteFormProps {
  members: readonly Member[];
  prices: readonly Offer[];
  draft: QuoteDraft;
  onChange: (draft: QuoteDraft) => void;
  onGiven: (quote: Quote) => void;
}

export function QuoteForm({ members, prices, draft, onChange, onGiven }: QuoteFormProps) {
  const { role } = useSession();
  const store = useQueryClient();
  const [tried, setTried] = useState(false);
  const ask = useIdempotentMutation((body: Parameters<typeof router.quote>[0], key) => router.quote(body, key), {
    onSuccess(quote) {
      void store.invalidateQueries({ queryKey: KEYS.compute('quotes') });
      onGiven(quote);
    },
  });
  if (members.length === 0) return <NoMembers />;
  const { member_id, requested_gpu_sku, hours, job_type } = complete(draft, members, prices);
  const estimated_hours = hoursOf(hours);
  const missing = tried && estimated_hours === null ? 'More than 0 and at most 8784 hours, a year.' : undefined;
  const set = (change: Partial<QuoteDraft>) => onChange({ ...complete(draft, members, prices), ...change });
  return (
    <form
      className="form panel"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (estimated_hours === null || ask.isPending || deniedReason(role, 'work') !== null) return;
        ask.mutate({ member_id, requested_gpu_sku, estimated_hours, job_type });
      }}
    >
      <SelectField
        label="Member"
        hint="Who the job is for, and who it is charged to."
        error={errorAt(ask.error, 'member_id')}
        value={member_id}
        onChange={({ target }) => set({ member_id: target.value })}
      >
        {members.map(({ id, name, email, status }) => (
          <option key={id} value={id}>
            {name} ({email}){status === 'inactive' ? ', inactive' : ''}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Hardware"
        error={errorAt(ask.error, 'requested_gpu_sku')}
        value={requested_gpu_sku}
        onChange={({ target }) => set({ requested_gpu_sku: target.value })}
      >
        {prices.map(({ gpu_type, gpu_name, hourly_rate_usd, there }) => (
          <option key={gpu_type} value={gpu_type}>
            {gpu_name}: {rateWords(hourly_rate_usd)}
            {there ? '' : ', no node yet'}
          </option>
        ))}
      </SelectField>
      <div className="form-row">
        <TextField
          label="Hours"
          inputMode="decimal"
          placeholder="2"
          error={missing ?? errorAt(ask.error, 'estimated_hours')}
          value={hours}
          onChange={({ target }) => set({ hours: target.value })}
        />
        <SelectField
          label="Job type"
          value={job_type}
          onChange={({ target }) => set({ job_type: target.value as JobType })}
        >
          {OFFERED_JOB_TYPES.map((type) => (
            <option key={type} value={type}>
              {typeWord(type)}
            </option>
          ))}
        </SelectField>
      </div>
      {ask.error && <Problem error={ask.error} />}
      <div className="form-end">
        <Button kind="primary" type="submit" busy={ask.isPending} disabledReason={deniedReason(role, 'work')}>
          Get a quote
        </Button>
      </div>
    </form>
  );
}

/** What was not chosen yet is the first there is: of the members, the first that is active. */
function complete(draft: QuoteDraft, members: readonly Member[], prices: readonly Offer[]): QuoteDraft {
  return {
    ...draft,
    member_id: (
      members.find(({ id }) => id === draft.member_id) ??
      members.find(({ status }) => status === 'active') ??
      members[0]!
    ).id,
    requested_gpu_sku: chosenPrice(draft, prices).gpu_type,
  };
}

/** The chosen row, while it has a price; else the first. */
export function chosenPrice({ requested_gpu_sku }: QuoteDraft, prices: readonly Offer[]): Offer {
  return prices.find(({ gpu_type }) => gpu_type === requested_gpu_sku) ?? prices[0]!;
}

function NoMembers() {
  return (
    <div className="panel">
      <EmptyState icon="people" title="A quote is for a member">
        <p>There is none yet. Add the first member; then this page quotes and submits jobs.</p>
        <ButtonLink href="/compute/members">Add a member</ButtonLink>
      </EmptyState>
    </div>
  );
}
