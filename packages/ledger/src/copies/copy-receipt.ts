/** The copies of one receipt: what is written where. Every step may be repeated; nothing here touches the database. */
import { type Rendered, read } from '../print/reading.ts';
import type { Claim, StoredCopy } from '../store/outbox.ts';
import type { Mailer } from './mail.ts';
import { InvalidRecipient, receiptMail } from './receipt-mail.ts';
import { openSealed, type SealedReceipt } from './sealed.ts';
import { receiptKey, type Storage } from './storage.ts';

export interface Destinations {
  storage: Storage;
  mailer: Mailer;
  renderPdf(input: Rendered): Promise<Uint8Array>;
}

/**
 * Who failed decides what happens next. `receipt`: it is not what was sealed, so no copy of it leaves. `copy`: this one
 * cannot be made or is not accepted. `destination`: storage or mail server does not work, for any copy.
 */
export type Fault = 'receipt' | 'copy' | 'destination';

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
  signal: AbortSignal,
): Promise<Outcome[]> {
  const sealed = openSealed(stored);
  if (sealed instanceof Error) return claims.map((claim) => ({ claim, failure: { fault: 'receipt', error: sealed } }));
  const pdf = once(() => renderPdf(to, sealed));
  return Promise.all(
    claims.map((claim) =>
      within(signal, makeCopy(to, sealed, claim, pdf, signal)).then(
        () => ({ claim, failure: null }),
        (error: unknown) => ({
          claim,
          failure: { fault: faultOf(error), error: signal.aborted ? signal.reason : error },
        }),
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
  signal: AbortSignal,
): Promise<void> {
  if (kind === 'json') {
    const key = receiptKey(organization_id, receipt.receipt_id, 'json');
    await storage.put(key, Buffer.from(bytes, 'utf8'), 'application/json', signal);
  } else if (kind === 'pdf') {
    await storage.put(receiptKey(organization_id, receipt.receipt_id, 'pdf'), await pdf(), 'application/pdf', signal);
  } else {
    const { share_url } = receipt;
    const mail = receiptMail({
      receipt,
      title: read(receipt).print.title,
      bytes,
      pdf: await pdf(),
      to: recipient,
      share_url,
    });
    await mailer.send(mail, signal);
  }
}

async function renderPdf(to: Destinations, { receipt, bytes }: SealedReceipt): Promise<Uint8Array> {
  try {
    return await to.renderPdf({ receipt, bytes, verified: true, share_url: receipt.share_url });
  } catch (error) {
    throw new NotRendered(error);
  }
}

class NotRendered extends Error {
  constructor(cause: unknown) {
    super(`the PDF could not be rendered: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** What the mail server says about one message or one recipient; everything else is about the server. */
const ABOUT_ONE_MAIL = new Set(['EENVELOPE', 'EMESSAGE']);

function faultOf(error: unknown): Fault {
  if (error instanceof NotRendered || error instanceof InvalidRecipient) return 'copy';
  return ABOUT_ONE_MAIL.has((error as { code?: string } | null)?.code ?? '') ? 'copy' : 'destination';
}

/** Not every destination heeds a signal; none may hold up the others. */
async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const give_up = () => reject(signal.reason);
  signal.addEventListener('abort', give_up, { once: true });
  if (signal.aborted) give_up();
  try {
    return await Promise.race([work, late]);
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
