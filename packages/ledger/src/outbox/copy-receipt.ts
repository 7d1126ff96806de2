/** The copies of one receipt: what is written where. Every step may be repeated; nothing here touches the database. */
import { Refusal } from '@rcpt/service/error.ts';
import type { Storage } from '@rcpt/storage/storage.ts';
import type { Mailer } from '../mail/mail.ts';
import { receiptMail } from '../mail/receipt-mail.ts';
import type { Asked } from '../share/printer.ts';
import { viewOf } from '../share/view.ts';
import { titleOf } from '../share/words.ts';
import type { Claim, StoredCopy } from '../store/outbox.ts';
import { openSealed, type SealedReceipt } from './sealed.ts';
import { receiptKey } from './storage.ts';

export interface Destinations {
  storage: Storage;
  mailer: Mailer;
  /** Throws `overloaded` and `rate_limited` when more is drawn just now than there is time for. */
  renderPdf(of: Asked & { org_seq: number }): Promise<Uint8Array>;
}

/**
 * Who failed decides what happens next. `receipt`: it is not what was sealed, so no copy of it leaves. `copy`: this one
 * cannot be made or is not accepted. `destination`: storage or mail server does not work, for any copy. `busy`: it has not
 * been tried, because too much else is being drawn.
 */
export type Fault = 'receipt' | 'copy' | 'destination' | 'busy';

/** How long a destination may take for one copy, and when all is given up. */
export interface Limits {
  destination_ms: number;
  giving_up: AbortSignal;
}

export interface Outcome {
  claim: Claim;
  /** Null: done. */
  failure: { fault: Fault; error: unknown } | null;
}

/**
 * Makes the claimed copies of one receipt. Never throws.
 *
 * An altered receipt is neither mailed nor copied: the copy in object storage was made when the receipt was whole, and
 * may be the only witness of what it said, so altered bytes must not replace it.
 */
export async function copyReceipt(
  to: Destinations,
  stored: StoredCopy | undefined,
  claims: Claim[],
  limits: Limits,
): Promise<Outcome[]> {
  const sealed = openSealed(stored);
  if (sealed instanceof Error) return claims.map((claim) => ({ claim, failure: { fault: 'receipt', error: sealed } }));
  const pdf = once(() => within(limits.giving_up, renderPdf(to, stored!, sealed)));
  return Promise.all(
    claims.map((claim) =>
      makeCopy(to, sealed, claim, pdf, limits).then(
        () => ({ claim, failure: null }),
        (error: unknown) => ({ claim, failure: failureOf(error) }),
      ),
    ),
  );
}

/**
 * A crash after the write, or an answer that gets lost, repeats it: an object is replaced by the same bytes under the
 * same key (a PDF by one rendered from the same bytes), a mail is sent again under the same Message-ID.
 */
async function makeCopy(
  { storage, mailer }: Destinations,
  { receipt, bytes }: SealedReceipt,
  { organization_id, kind, recipient }: Claim,
  pdf: () => Promise<Uint8Array>,
  limits: Limits,
): Promise<void> {
  const { share_url } = receipt;
  if (kind === 'json') {
    const key = receiptKey(organization_id, receipt.receipt_id, 'json');
    await inTime(limits, (signal) => storage.put(key, Buffer.from(bytes, 'utf8'), 'application/json', signal));
  } else if (kind === 'pdf') {
    const key = receiptKey(organization_id, receipt.receipt_id, 'pdf');
    const file = await pdf();
    await inTime(limits, (signal) => storage.put(key, file, 'application/pdf', signal));
  } else {
    const title = titleOf(viewOf({ receipt: JSON.parse(bytes), verified: true }).print);
    const mail = receiptMail({ receipt, title, bytes, pdf: await pdf(), to: recipient, share_url });
    await inTime(limits, (signal) => mailer.send(mail, signal));
  }
}

async function renderPdf(
  to: Destinations,
  { organization_id, org_seq }: StoredCopy,
  { receipt: { share_url }, bytes }: SealedReceipt,
): Promise<Uint8Array> {
  try {
    return await to.renderPdf({ organization_id, org_seq, bytes, share_url });
  } catch (error) {
    throw error instanceof Refusal && BUSY.has(error.code) ? error : new NotRendered(error);
  }
}

class NotRendered extends Error {
  constructor(cause: unknown) {
    super(`the PDF could not be rendered: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** What the printer says when it has no time. */
const BUSY = new Set(['overloaded', 'rate_limited']);
/** What the mail server says about one message or one recipient; everything else it says is about itself. */
const ABOUT_ONE_MAIL = new Set(['EENVELOPE', 'EMESSAGE']);

function failureOf(error: unknown): NonNullable<Outcome['failure']> {
  if (error instanceof AtDestination) {
    const about_one = ABOUT_ONE_MAIL.has((error.cause as { code?: string } | null)?.code ?? '');
    return { fault: about_one ? 'copy' : 'destination', error: error.cause };
  }
  return { fault: error instanceof Refusal && BUSY.has(error.code) ? 'busy' : 'copy', error };
}

/** What a destination did not do. Nothing else is its fault. */
class AtDestination extends Error {
  constructor(cause: unknown) {
    super('a destination failed', { cause });
  }
}

/** The time runs from when the destination is asked: what was waited for before, a drawing, is not its fault. */
async function inTime(
  { destination_ms, giving_up }: Limits,
  ask: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const signal = AbortSignal.any([AbortSignal.timeout(destination_ms), giving_up]);
  try {
    await within(signal, ask(signal));
  } catch (error) {
    throw new AtDestination(error);
  }
}

/** Not every destination heeds a signal; none may hold up the others. Throws what the signal was aborted with. */
async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const give_up = () => reject(signal.reason);
  signal.addEventListener('abort', give_up, { once: true });
  if (signal.aborted) give_up();
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', give_up);
    work.catch(() => undefined);
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}
