/** One organization's chain while a transaction appends to it. */
import { type PinnedModel, pinnedModelOf } from '@rcpt/contract/lanes/pinned-model.ts';
import { LANES } from '@rcpt/contract/lanes/registry.ts';
import type { LaneName, SchemaId } from '@rcpt/contract/vocabulary.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import { valueInText } from '@rcpt/proof/canonical.ts';
import { leafHash } from '@rcpt/proof/log/merkle.ts';
import { appendLeaf, countPeaks } from '@rcpt/proof/log/peaks.ts';
import { receiptIdOf, sealWith } from '@rcpt/proof/receipt.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { decodeHashes, encodeHashes } from '../log/encoding.ts';
import { refuse } from '../problems.ts';
import { isAsApproved } from '../runs/sealed-block.ts';
import {
  findPin,
  type LockedHead,
  loadApprovedBlock,
  type MintableRun,
  type markMinted,
  type StoredReceipt,
} from '../store/chains.ts';
import { outboxRows } from '../store/outbox.ts';
import { intactPin } from './pin.ts';

/** What a receipt is sealed with. */
export interface SealSettings {
  /** Share links start with it. */
  base_url: string;
  now(): string;
  newShareToken(): string;
}

export interface Minted {
  receipt_id: string;
  /** The stored canonical bytes, as text. */
  payload: string;
  /** Null: an altered receipt does not say. */
  share_url: string | null;
  /** False: the Run had its receipt already. */
  fresh: boolean;
}

interface Mint {
  receipt: StoredReceipt;
  run: Parameters<typeof markMinted>[1][number];
  outbox: ReturnType<typeof outboxRows>;
}

/** Null also where somebody changed them: a tree of another size is not grown on; the chain is taken in anew. */
function peaksOf({ org_seq, peaks }: LockedHead): Uint8Array[] | null {
  const hashes = peaks === null ? null : decodeHashes(peaks);
  return hashes?.length === countPeaks(org_seq + 1) ? hashes : null;
}

/** Holds what was sealed until all of it is stored. */
export class GrowingChain {
  readonly from: LockedHead;
  head: LockedHead;
  /** Those that the transaction was asked to mint, by id. */
  readonly runs = new Map<string, MintableRun>();
  readonly minted: Mint[] = [];
  readonly movedPins = new Map<string, number>();
  /** Null: the chain is older than its tree, and not taken in yet. */
  #peaks: Uint8Array[] | null;
  readonly #pins = new Map<string, PinnedModel | null>();
  readonly #tx: Queries;

  constructor(head: LockedHead, tx: Queries) {
    this.from = head;
    this.head = head;
    this.#peaks = peaksOf(head);
    this.#tx = tx;
  }

  /** The head as it is stored, with the tree over all receipts. */
  get end(): LockedHead {
    return { ...this.head, peaks: this.#peaks && encodeHashes(this.#peaks) };
  }

  /** Throws `approval_mismatch`, `pin_damaged`, before anything has changed. */
  async append(run: MintableRun, by: string, { base_url, now, newShareToken }: SealSettings): Promise<Minted> {
    const lane = LANES[run.lane as LaneName];
    const block = await this.#approvedBlockOf(run);
    const created_at = now();
    const needed = lane.needs_pin && (valueInText(block, lane.needs_pin) as string);
    const pinned_model = needed === undefined ? null : await this.#pinOf(needed);
    const share_token = newShareToken();
    const org_seq = this.head.org_seq + 1;
    const receipt_id = receiptIdOf(org_seq, run.id);
    const { organization_id, organization_name } = this.head;
    const own: JsonObject = {
      schema: lane.schema satisfies SchemaId,
      receipt_id,
      org_seq,
      parent_hash: this.head.receipt_sha256,
      created_at,
      organization: { id: organization_id, name: organization_name },
      ...lane.complete?.({ created_at, pinned_model }, () => JSON.parse(block) as JsonObject),
      share_url: `${base_url}/share/${share_token}`,
    };
    const sealed = sealWith(block, own);
    const { receipt_sha256 } = sealed;

    this.minted.push({
      receipt: {
        organization_id,
        org_seq,
        parent_hash: this.head.receipt_sha256,
        run_id: run.id,
        schema: lane.schema,
        receipt_sha256,
        share_token,
        payload: sealed.canonical,
      },
      run: {
        organization_id,
        run_id: run.id,
        receipt_id,
        by,
        at: created_at,
      },
      outbox: outboxRows(organization_id, org_seq, JSON.parse(run.notify) as string[], created_at),
    });
    this.#peaks = this.#peaks && appendLeaf(this.#peaks, org_seq, leafHash(Buffer.from(sealed.canonical)));
    this.head = { ...this.head, org_seq, receipt_sha256 };
    run.receipt_id = receipt_id;
    if (lane.pins !== undefined) {
      const pinned = valueInText(block, lane.pins) as string;
      this.movedPins.set(pinned, org_seq);
      this.#pins.set(pinned, pinnedModelOf({ ...own, receipt_sha256 }));
    }
    return { receipt_id, payload: sealed.canonical, share_url: own.share_url as string, fresh: true };
  }

  /** As canonical JSON. Throws `approval_mismatch`: what is sealed is what a person approved, to the byte. */
  async #approvedBlockOf({ id, approved_block, approved_sha256 }: MintableRun): Promise<string> {
    const block = approved_block ?? (await loadApprovedBlock(this.#tx, this.from.organization_id, id));
    if (isAsApproved({ approved_block: block, approved_sha256 })) return block;
    throw refuse(
      'approval_mismatch',
      `What is stored of ${id} is not what was approved: the hash fixed by the approval differs. Nothing was minted. Do the work again in a new Run, and ask the operator who changed the database.`,
    );
  }

  /** The most recent pin, also one minted earlier in this very transaction. */
  async #pinOf(slug: string): Promise<PinnedModel | null> {
    const known = this.#pins.get(slug);
    if (known !== undefined) return known;
    const stored = await findPin(this.#tx, this.from.organization_id, slug);
    const pin = stored === null ? null : intactPin(stored, slug);
    this.#pins.set(slug, pin);
    return pin;
  }
}
