/** What a job would cost, and the step from the quote to the job. */

import type { Quote } from '@rcpt/contract/router/compute.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { ComputePage } from './compute-page.tsx';
import { OFFERED_JOB_TYPES } from './format.ts';
import { offersOf } from './price.ts';
import { memberNamesQuery, nodesQuery, pricesQuery } from './queries.ts';
import { type QuoteDraft, QuoteForm } from './quotes/form.tsx';
import { Given } from './quotes/given.tsx';
import { RecentQuotes } from './quotes/recent.tsx';
import './quotes/quotes.css';

export function Quotes() {
  const members = useQuery(memberNamesQuery);
  const prices = useQuery(pricesQuery);
  const nodes = useQuery(nodesQuery);
  const [search] = useSearchParams();
  const [draft, setDraft] = useState<QuoteDraft>({
    member_id: search.get('member') ?? '',
    requested_gpu_sku: '',
    hours: '',
    job_type: OFFERED_JOB_TYPES[0],
  });
  const [given, setGiven] = useState<Quote | null>(null);
  return (
    <ComputePage
      title="Quotes"
      lead="A quote is the router’s hourly rate times the hours. It is a receipt of its own and binds nobody to run the job."
      query={members}
      skeleton={<SkeletonRows rows={6} />}
    >
      {(all) => (
        <>
          <QueryBoundary query={prices} skeleton={<SkeletonRows rows={6} />}>
            {(rows) => {
              const offers = offersOf(rows, nodes.data ?? []);
              return (
                <div className="quote-columns">
                  <QuoteForm
                    members={all}
                    prices={offers}
                    draft={draft}
                    onChange={(next) => {
                      setDraft(next);
                      setGiven(null);
                    }}
                    onGiven={setGiven}
                  />
                  <Given quote={given} draft={draft} prices={offers} />
                </div>
              );
            }}
          </QueryBoundary>
          <RecentQuotes
            onUse={(again) => {
              setDraft(again);
              setGiven(null);
              scrollTo({ top: 0, behavior: 'smooth' });
            }}
          />
        </>
      )}
    </ComputePage>
  );
}
