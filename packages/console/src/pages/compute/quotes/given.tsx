/** The price, spelled out; once the router has quoted it, the way on to a job. */

import type { Quote } from '@rcpt/contract/router/compute.ts';
import { Hash } from '../../../components/copy.tsx';
import { Badge } from '../../../components/status-badge.tsx';
import { usd } from '../../../format/numbers.ts';
import { hoursWords } from '../duration.ts';
import { costOf, hoursOf, type Offer, rateWords } from '../price.ts';
import { chosenPrice, type QuoteDraft } from './form.tsx';
import { SubmitJob } from './submit.tsx';

interface GivenProps {
  quote: Quote | null;
  draft: QuoteDraft;
  prices: readonly Offer[];
}

export function Given({ quote, draft, prices }: GivenProps) {
  if (quote === null) return <Preview draft={draft} price={chosenPrice(draft, prices)} />;
  return (
    <section className="panel given" aria-label="The quote">
      <div aria-live="polite">
        <p className="given-what">
          {quote.gpu_display_name} <Badge tone="good">Quoted</Badge>
        </p>
        <p className="given-sum">{usd(quote.estimated_cost_usd)}</p>
        <p className="muted">
          {rateWords(quote.hourly_rate_usd)} × {hoursWords(quote.estimated_hours)}
        </p>
      </div>
      <p className="given-receipt">
        <span className="muted">Receipt</span> <Hash value={quote.receipt_id} what="Receipt id" />
      </p>
      <SubmitJob key={quote.receipt_id} quote={quote} />
    </section>
  );
}

function Preview({ draft, price }: { draft: QuoteDraft; price: Offer }) {
  const hours = hoursOf(draft.hours);
  const rate = rateWords(price.hourly_rate_usd);
  return (
    <section className="panel given" aria-label="The price">
      <p className="given-what">{price.gpu_name}</p>
      <p className="given-sum">{hours === null ? rate : `${costOf(price, hours)} USD`}</p>
      <p className="muted">{hours === null ? 'times the hours' : `${rate} × ${hoursWords(hours)}`}</p>
      {!price.there && <p className="muted">No node of this kind is registered: a job would wait for one.</p>}
      <p className="muted given-note">The router decides the price; this is its rate as published.</p>
    </section>
  );
}
