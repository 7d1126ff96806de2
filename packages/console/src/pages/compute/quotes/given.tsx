/** The price, spelled out; once the router has quoted it, the way on to a job. */
import { GPU_PRICES, gpuPrice } from '@rcpt/contract/prices.ts';
import { Hash } from '../../../parts/copy.tsx';
import { Badge } from '../../../parts/mark.tsx';
import { usd } from '../../../words/numbers.ts';
import type { QuoteGiven } from '../calls.ts';
import { hoursWords } from '../duration.ts';
import { hoursOf, priceOf } from '../price.ts';
import type { QuoteWish } from './form.tsx';
import { SubmitJob } from './submit.tsx';

export function Given({ quote, wish }: { quote: QuoteGiven | null; wish: QuoteWish }) {
  if (quote === null) return <Preview wish={wish} />;
  return (
    <section className="sheet given" aria-label="The quote">
      <div aria-live="polite">
        <p className="given-what">
          {quote.gpu_display_name} <Badge tone="good">Quoted</Badge>
        </p>
        <p className="given-sum">{usd(quote.estimated_cost_usd)}</p>
        <p className="muted">
          {quote.hourly_rate_usd.toFixed(2)} USD/h × {hoursWords(quote.estimated_hours)}
        </p>
      </div>
      <p className="given-receipt">
        <span className="muted">Receipt</span> <Hash value={quote.receipt_id} what="Receipt id" />
      </p>
      <SubmitJob key={quote.receipt_id} quote={quote} />
    </section>
  );
}

function Preview({ wish }: { wish: QuoteWish }) {
  const sku = wish.requested_gpu_sku || GPU_PRICES[0]!.gpu_type;
  const price = gpuPrice(sku);
  const hours = hoursOf(wish.hours);
  const sum = hours === null ? null : priceOf(sku, hours);
  return (
    <section className="sheet given" aria-label="The price">
      <p className="given-what">{price?.gpu_name ?? sku}</p>
      <p className="given-sum">{sum === null ? `${price?.hourly_rate_usd} USD/h` : `${sum} USD`}</p>
      <p className="muted">
        {hours === null ? 'times the hours' : `${price?.hourly_rate_usd} USD/h × ${hoursWords(hours)}`}
      </p>
      <p className="muted given-note">The router decides the price; this is its rate as published.</p>
    </section>
  );
}
