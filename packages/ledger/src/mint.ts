/**
 * How a receipt is minted. Requests that wait together are minted together: one transaction, one disk sync, and each is
 * answered only once that transaction is durable. Within it, per organization:
 *   lock the head → read the approved Runs, compare each with what was approved → seal each on top of the one before
 *   → store receipts, Runs, outbox → move the head.
 * A crash before the commit leaves nothing; after it, everything, and a retry is answered with the same receipt.
 */

import { type PinnedModel, pinnedModelOf } from '@rcpt/contract/lanes/model-pin.ts';
import { LANES } from '@rcpt/contract/lanes/registry.ts';
import type { LaneName, SchemaId } from '@rcpt/contract/vocabulary.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import { receiptIdOf, seal } from '@rcpt/proof/receipt.ts';
import { type Db, type Queries, together } from '@rcpt/service/db.ts';
import { DatabaseUnavailable, Refusal } from '@rcpt/service/error.ts';
import { intactPin } from './domain/pin.ts';
import { refuse } from './domain/run.ts';
import { isAsApproved } from './domain/sealed-block.ts';
import {
  findPin,
  type Head,
  insertReceipts,
  loadMintable,
  lockHeads,
  type MintableRun,
  markMinted,
  moveHeads,
  movePin,
  payloadOfRun,
  type StoredReceipt,
} from './store/chains.ts';
import { OUTBOX_COLUMNS, outboxRows } from './store/outbox.ts';

/** Receipts of one transaction at most: what a stalled disk may hold up at once. */
const MINTS_PER_COMMIT = 256;

export interface MintRequest {
  organization_id: string;
  run_id: string;
  /** Who asks: the credential's id, recorded with the stage. */
  by: string;
}

export interface Minted {
  receipt_id: string;
  /** The stored canonical bytes, as text. */
  payload: string;
  /** False: the Run had its receipt already. */
  fresh: boolean;
}

export interface MintSettings {
  db: Db;
  /** Share links start with it. */
  base_url: string;
  now(): string;
  newShareToken(): string;
  /** Requests that may wait; above it `mint` throws `overloaded`. */
  queue_limit: number;
  /** Called after a commit that minted something; must not throw. */
  onMinted(): void;
}

export interface Minter {
  /** Throws `run_not_approved`, `approval_mismatch`, `pin_damaged`, `not_found`, `overloaded`, `database_unavailable`. */
  mint(request: MintRequest): Promise<Minted>;
  /** Requests not answered yet. */
  pending(): number;
}

type Outcome = Minted | Refusal;
interface Waiting {
  request: MintRequest;
  resolve(minted: Minted): void;
  reject(error: unknown): void;
}

export function createMinter(settings: MintSettings): Minter {
  const waiting: Waiting[] = [];
  let answering = 0;
  let minting = false;

  /** One transaction at a time; whoever arrives meanwhile is in the next. */
  async function mintWaiting(): Promise<void> {
    minting = true;
    while (waiting.length > 0)
      for (const one of await mintInOne(() => waiting.splice(0, MINTS_PER_COMMIT))) await mintInOne(() => [one]);
    minting = false;
  }

  /** Answers those it takes, or returns them to be tried one by one: what is wrong with one Run must not fail the others. */
  async function mintInOne(take: () => Waiting[]): Promise<Waiting[]> {
    let taken: Waiting[] = [];
    try {
      const outcomes = await settings.db.transaction((tx) => {
        if (taken.length === 0) taken = take();
        answering = taken.length;
        return mintTogether(
          tx,
          taken.map(({ request }) => request),
          settings,
        );
      });
      settle(taken, outcomes);
    } catch (error) {
      if (taken.length === 0) taken = take();
      if (taken.length > 1 && !(error instanceof DatabaseUnavailable)) return taken;
      for (const { reject } of taken) reject(error);
    }
    answering = 0;
    return [];
  }

  function settle(taken: Waiting[], outcomes: Outcome[]): void {
    let fresh = false;
    for (const [i, { resolve, reject }] of taken.entries()) {
      const outcome = outcomes[i]!;
      if (outcome instanceof Refusal) reject(outcome);
      else resolve(outcome);
      fresh ||= !(outcome instanceof Refusal) && outcome.fresh;
    }
    if (fresh) settings.onMinted();
  }

  return {
    mint: (request) =>
      new Promise((resolve, reject) => {
        if (waiting.length >= settings.queue_limit)
          return reject(
            new Refusal('overloaded', 'Too many mints are waiting. This Run was not minted; try again shortly.'),
          );
        waiting.push({ request, resolve, reject });
        if (!minting) void mintWaiting();
      }),
    pending: () => waiting.length + answering,
  };
}

async function mintTogether(tx: Queries, requests: MintRequest[], settings: MintSettings): Promise<Outcome[]> {
  const [heads, mintable] = await together(
    lockHeads(tx, [...new Set(requests.map((request) => request.organization_id))]),
    loadMintable(tx, requests),
  );
  const chains = new Map(heads.map((head) => [head.organization_id, new GrowingChain(head, tx)]));
  const runs = new Map(mintable.map((run) => [keyOf(run.organization_id, run.id), run]));

  const outcomes: Outcome[] = [];
  for (const request of requests) {
    const run = runs.get(keyOf(request.organization_id, request.run_id));
    const chain = chains.get(request.organization_id);
    if (run === undefined || chain === undefined)
      outcomes.push(new Refusal('not_found', 'This organization has no such Run.'));
    else if (run.receipt_id !== null) outcomes.push(await mintedBefore(tx, chain, run));
    else if (run.stage !== 'Approval' || run.approved_block === null)
      outcomes.push(
        refuse(
          'run_not_approved',
          `The Run is at ${run.stage} and not approved; only an approved Run makes a receipt.`,
        ),
      );
    else outcomes.push(await chain.append(run, request.by, settings).catch(refusal));
  }

  const grown = [...chains.values()].filter((chain) => chain.minted.length > 0);
  const minted = grown.flatMap((chain) => chain.minted);
  if (minted.length === 0) return outcomes;
  // The commit is sent when all of them have succeeded, not with them: killed before, a ledger leaves nothing.
  await together(
    insertReceipts(
      tx,
      minted.map(({ receipt }) => receipt),
    ),
    markMinted(
      tx,
      minted.map((mint) => mint.run),
    ),
    tx.insert(
      'outbox',
      OUTBOX_COLUMNS,
      minted.flatMap((mint) => mint.outbox),
    ),
    ...grown.flatMap(({ from, movedPins }) =>
      Array.from(movedPins, ([slug, org_seq]) => movePin(tx, from.organization_id, slug, org_seq)),
    ),
    moveHeads(
      tx,
      grown.map((chain) => ({ from: chain.from, to: chain.head })),
    ),
  );
  return outcomes;
}

/** Refused before its chain grew: the others of this transaction go on. */
function refusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}

async function mintedBefore(tx: Queries, chain: GrowingChain, run: MintableRun): Promise<Minted> {
  const twin = chain.minted.find(({ receipt }) => receipt.run_id === run.id)?.receipt.payload;
  const payload = twin ?? (await payloadOfRun(tx, run.organization_id, run.id));
  return { receipt_id: run.receipt_id!, payload, fresh: false };
}

const keyOf = (organization_id: string, run_id: string) => `${organization_id} ${run_id}`;

interface Mint {
  receipt: StoredReceipt;
  run: Parameters<typeof markMinted>[1][number];
  outbox: ReturnType<typeof outboxRows>;
}

/** Throws `approval_mismatch`: what is sealed is what a person approved, to the byte. */
function approvedBlockOf(run: MintableRun): JsonObject {
  if (isAsApproved(run)) return JSON.parse(run.approved_block!) as JsonObject;
  throw refuse(
    'approval_mismatch',
    `What is stored of ${run.id} is not what was approved: the hash fixed by the approval differs. Nothing was minted. Do the work again in a new Run, and ask the operator who changed the database.`,
  );
}

/** One organization's chain while a transaction appends to it. */
class GrowingChain {
  readonly from: Head;
  head: Head;
  readonly minted: Mint[] = [];
  readonly movedPins = new Map<string, number>();
  readonly #pins = new Map<string, PinnedModel | null>();
  readonly #tx: Queries;

  constructor(head: Head, tx: Queries) {
    this.from = head;
    this.head = head;
    this.#tx = tx;
  }

  /** Throws `approval_mismatch`, `pin_damaged`, before anything has changed. */
  async append(run: MintableRun, by: string, { base_url, now, newShareToken }: MintSettings): Promise<Minted> {
    const lane = LANES[run.lane as LaneName];
    const approved = approvedBlockOf(run);
    const created_at = now();
    const needed = lane.needs_pin?.(approved);
    const pinned_model = needed === undefined ? null : await this.#pinOf(needed);
    const share_token = newShareToken();
    const org_seq = this.head.org_seq + 1;
    const receipt_id = receiptIdOf(org_seq, run.id);
    const { organization_id, organization_name } = this.head;
    const payload: JsonObject = {
      schema: lane.schema satisfies SchemaId,
      receipt_id,
      org_seq,
      parent_hash: this.head.receipt_sha256,
      created_at,
      organization: { id: organization_id, name: organization_name },
      ...(lane.complete?.(approved, { created_at, pinned_model }) ?? approved),
      share_url: `${base_url}/share/${share_token}`,
    };
    const sealed = seal(payload);
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
    this.head = { ...this.head, org_seq, receipt_sha256 };
    run.receipt_id = receipt_id;
    const pinned = lane.pins?.(approved);
    if (pinned !== undefined) {
      this.movedPins.set(pinned, org_seq);
      this.#pins.set(pinned, pinnedModelOf({ ...payload, receipt_sha256 }));
    }
    return { receipt_id, payload: sealed.canonical, fresh: true };
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
