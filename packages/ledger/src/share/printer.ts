/**
 * Pages, PDFs and cards. Each is drawn once, in a thread, and kept for as long as there is room; what cannot be drawn is
 * remembered too. A drawing takes the turn of the receipt's organization: the readers of its links wait for each other only.
 */
import { createHash } from 'node:crypto';
import { Refusal } from '@rcpt/service/error.ts';
import { refuse } from '../problems.ts';
import { createPool, GivenUp } from '../threads/pool.ts';
import type { DRAWINGS, Drawn } from './drawing-thread.ts';
import { createFairCache } from './fair-cache.ts';
import { type Beside, opened, type Seen, type Stored, seen } from './view.ts';

export type { Drawn };

/** A stored receipt, and the organization that the record names: it takes that organization's turn. */
export interface Asked extends Stored {
  organization_id: string;
  /** Its index in the log; absent: its PDF takes no proof along. */
  org_seq?: number;
}

export interface Printer {
  /**
   * All three throw `receipt_not_drawn` for what could not be drawn just now or a while ago, and, of which nothing is kept,
   * `rate_limited` and `overloaded` where too much waits already.
   */
  page(of: Asked): Promise<Drawn>;
  pdf(of: Asked): Promise<Drawn>;
  /** A PNG, 1200 × 630. */
  card(of: Asked): Promise<Drawn>;
  /** Whether it is what was shared, and its name. */
  see(of: Asked): Promise<Seen>;
  /** Keeps no drawing of this organization. */
  forget(organization_id: string): void;
  /** Takes no more, finishes what it took, ends the threads. */
  close(): Promise<void>;
}

export interface PrinterOptions {
  /** What a PDF takes along; null where the log does not prove it. */
  besideOf?(organization_id: string, org_seq: number): Promise<Beside | null>;
  /** What the approver signed with a passkey, as it is served; null where none signed. */
  approvalOf?(organization_id: string, org_seq: number): Promise<string | null>;
  remembered_bytes?: number;
  timeout_ms?: number;
  waiting_each?: number;
  onFault?(error: Error): void;
  /** Milliseconds since 1970. */
  now?(): number;
}

const REMEMBERED_BYTES = 16 * 1024 * 1024;
const SEEN_BYTES = 1024 * 1024;
const SEEN_EACH = 256;
/** Each holds its receipt while it waits: a megabyte at most. */
const WAITING = 320;
/** A receipt is checked in a millisecond per 100 kB: what is smaller costs less than the way to a thread. */
const SMALL = 32_768;
/** What failed in drawing fails again; what was ended may have been ended for a machine that had too much to do. */
const FAILED_MS = 600_000;
const ENDED_MS = 60_000;

type Form = Exclude<keyof typeof DRAWINGS, 'see'>;
interface Unproven {
  drawn: Drawn;
  until: number;
}
interface Failed {
  refusal: Refusal;
  until: number;
}

export function createPrinter(options: PrinterOptions = {}): Printer {
  const { remembered_bytes = REMEMBERED_BYTES, timeout_ms = 10_000, waiting_each = 160, now = Date.now } = options;
  const onFault = options.onFault ?? (() => undefined);
  const { besideOf = async () => null, approvalOf = async () => null } = options;
  const pool = createPool<typeof DRAWINGS>(new URL('./drawing-thread.ts', import.meta.url), {
    threads: 2,
    each: 1,
    waiting_each,
    waiting: WAITING,
    what: 'pages and PDFs of this organization',
    timeout_ms,
    onFault,
  });
  const finished = createFairCache<Drawn | Unproven | Failed>(remembered_bytes);
  const known = createFairCache<Seen>(SEEN_BYTES);
  const drawing = new Map<string, Promise<Drawn>>();

  async function draw(form: Form, of: Asked, key: string): Promise<Drawn> {
    const { organization_id, org_seq, ...stored } = of;
    try {
      const beside = form === 'pdf' && org_seq !== undefined ? await besideOf(organization_id, org_seq) : null;
      const approval = form !== 'card' && org_seq !== undefined ? await approvalOf(organization_id, org_seq) : null;
      const drawn = await pool.run(form, organization_id, { ...stored, beside, approval });
      // Without its proof it is drawn again in a while: the log may prove it by then.
      const kept =
        form === 'pdf' && org_seq !== undefined && beside === null ? { drawn, until: now() + ENDED_MS } : drawn;
      finished.put(organization_id, key, kept, drawn.file.byteLength);
      return drawn;
    } catch (error) {
      const ended = error instanceof GivenUp;
      if (error instanceof Refusal && !ended) throw error;
      // What was ended is told already.
      if (!ended) onFault(error as Error);
      const refusal = refuse(
        'receipt_not_drawn',
        'This receipt cannot be drawn. Its JSON can be downloaded: the JSON is the receipt.',
      );
      refusal.cause = error;
      finished.put(organization_id, key, { refusal, until: now() + (ended ? ENDED_MS : FAILED_MS) }, SEEN_EACH);
      throw refusal;
    }
  }

  async function once(form: Form, of: Asked): Promise<Drawn> {
    const key = keyOf(form, of);
    const found = finished.get(of.organization_id, key);
    if (found !== undefined && 'file' in found) return found;
    if (found !== undefined && found.until > now()) {
      if ('drawn' in found) return found.drawn;
      throw found.refusal;
    }
    const waiting = drawing.get(key);
    if (waiting !== undefined) return waiting;
    const drawn = draw(form, of, key).finally(() => drawing.delete(key));
    drawing.set(key, drawn);
    return drawn;
  }

  return {
    page: (of) => once('page', of),
    pdf: (of) => once('pdf', of),
    card: (of) => once('card', of),
    async see(of) {
      const { organization_id, bytes, share_url } = of;
      if (bytes.length <= SMALL) return seen(opened(of));
      const key = keyOf('see', of);
      const before = known.get(organization_id, key);
      if (before !== undefined) return before;
      const found = await pool.run('see', organization_id, { bytes, share_url });
      known.put(organization_id, key, found, SEEN_EACH);
      return found;
    },
    forget: (organization_id) => finished.forget(organization_id),
    close: () => pool.close(),
  };
}

/** The stored hash is not enough: altered bytes keep it. The bytes themselves are hashed, with the link they stand behind. */
function keyOf(as: string, { organization_id, bytes, share_url, org_seq, decided }: Asked): string {
  return createHash('sha256')
    .update(`${as} ${organization_id} ${org_seq ?? ''} ${share_url}\n${decided ? JSON.stringify(decided) : ''}\n`)
    .update(bytes)
    .digest('base64');
}
