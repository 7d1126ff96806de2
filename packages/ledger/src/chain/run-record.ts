/**
 * What the ledger's own records say that a receipt seals: the lane's blocks built anew from the Run, and in a cook the pin
 * that was the most recent one then. Verification holds the receipt against them.
 */
import type { MemberPath } from '@rcpt/contract/lanes/lane.ts';
import { type PinnedModel, pinnedModelOf } from '@rcpt/contract/lanes/pinned-model.ts';
import { member } from '@rcpt/contract/lanes/printed.ts';
import { LANES, laneBySchema } from '@rcpt/contract/lanes/registry.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import { canonicalize } from '@rcpt/proof/canonical.ts';
import { verifyReceipt } from '@rcpt/proof/receipt.ts';
import type { ReceiptRecord } from '@rcpt/proof/record.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { blockOf, completeBlock, isAsApproved, type SealedRun } from '../runs/sealed-block.ts';
import { payloadAt } from '../store/audit.ts';

/** Slugs whose last pin is remembered while a chain is walked; pins of further slugs are not compared (docs/trust.md). */
const SLUGS_KNOWN = 100_000;

const PINNING = Object.values(LANES).flatMap(({ pins, schema }) => (pins === undefined ? [] : [schema]));

/** Where the pins of the chain walked so far stand. */
export class PinsSoFar {
  /** The place of the most recent pin, by slug. */
  readonly places = new Map<string, number>();
  isWhole = true;
  readonly #db: Queries;
  readonly #organization_id: string;

  constructor(db: Queries, organization_id: string) {
    this.#db = db;
    this.#organization_id = organization_id;
  }

  /** Takes an intact receipt that the walk has passed. */
  passed(payload: string, org_seq: number): void {
    if (!PINNING.some((schema) => payload.includes(`"schema":"${schema}"`))) return;
    const slug = pinnedSlug(payload);
    if (slug === null) return;
    if (this.places.size < SLUGS_KNOWN || this.places.has(slug)) this.places.set(slug, org_seq);
    else this.isWhole = false;
  }

  /** Undefined where it cannot be told: its receipt is damaged, for which that receipt is blamed. */
  async mostRecent(slug: string): Promise<PinnedModel | null | undefined> {
    const place = this.places.get(slug);
    if (place === undefined) return this.isWhole ? null : undefined;
    const verdict = verifyReceipt((await payloadAt(this.#db, this.#organization_id, place)) ?? '');
    return (verdict.ok && verdict.payload !== null && pinnedModelOf(verdict.payload)) || undefined;
  }
}

/** Null for a receipt that pins nothing, also for one that was sealed anew without what its lane seals. */
function pinnedSlug(payload: string): string | null {
  const receipt = JSON.parse(payload) as JsonObject;
  return slugIn(receipt, laneBySchema(String(receipt.schema))?.pins) ?? null;
}

function slugIn(receipt: JsonObject, path: MemberPath | undefined): string | undefined {
  const slug = path && member(receipt, ...path);
  return typeof slug === 'string' ? slug : undefined;
}

/**
 * The record of a receipt, with what its Run says beside its columns.
 * @param run undefined: none is stored; null: its documents cannot be read
 * @param arePinsJudged false once a receipt before was altered or is missing: what was pinned then is not known
 */
export async function recordWithRun(
  columns: ReceiptRecord,
  payload: string | Uint8Array,
  run: SealedRun | null | undefined,
  pins: PinsSoFar,
  arePinsJudged: boolean,
): Promise<ReceiptRecord> {
  if (run === undefined) return { ...columns, blocks: null };
  if (run === null) return { ...columns, blocks: UNREADABLE };
  const beside = { ...columns, receipt_id: run.receipt_id ?? 'none', created_at: run.updated_at };
  const made = makeBlock(run);
  if (made === null) return { ...beside, blocks: UNREADABLE };
  const { block, slug } = made;
  const pin = slug === undefined ? null : arePinsJudged ? await pins.mostRecent(slug) : undefined;
  const blocks = completeBlock(run, block, pin === undefined ? sealedPin(payload) : pin);
  return { ...beside, blocks: isApproved(run, block) ? blocks : { ...blocks, ...ANOTHER_BLOCK } };
}

/** Null when the Run holds what no stage writes: it was altered. */
function makeBlock(run: SealedRun): { block: JsonObject; slug: string | undefined } | null {
  try {
    const block = blockOf(run);
    return { block, slug: slugIn(block, LANES[run.lane].needs_pin) };
  } catch {
    return null;
  }
}

function isApproved(run: SealedRun, block: JsonObject): boolean {
  // Approved before its hash was kept: there is nothing to compare.
  if (run.approved_sha256 === null) return true;
  try {
    return isAsApproved(run, canonicalize(block));
  } catch {
    return false;
  }
}

/** Agrees with no receipt: every block is named as absent. */
const UNREADABLE: JsonObject = {};

/** The block that the approval fixed is gone, or is not what the Run's records make. */
const ANOTHER_BLOCK: JsonObject = { approved_block: 'not what the records of the Run make' };

/** As the receipt says it, which may have been altered. */
function sealedPin(payload: string | Uint8Array): PinnedModel | null {
  const { pinned_model } = verifyReceipt(payload).payload ?? {};
  return (pinned_model as PinnedModel | undefined) ?? null;
}
