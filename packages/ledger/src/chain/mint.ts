/**
 * How a receipt is minted (docs/spec.md §13.4). Requests that wait together are minted together: one transaction, one disk sync, and each is
 * answered only once that transaction is durable. Within it, per organization:
 *   lock the head → read the approved Runs, compare each with what was approved → seal each on top of the one before
 *   → store receipts, Runs, outbox → move the head.
 * A crash before the commit leaves nothing; after it, everything, and a retry is answered with the same receipt.
 */

import { valueInText } from '@rcpt/proof/canonical.ts';
import { type Db, type Queries, together } from '@rcpt/service/db/db.ts';
import { DatabaseUnavailable, Refusal } from '@rcpt/service/error.ts';
import { changes } from '../changes/transaction.ts';
import { refuse } from '../problems.ts';
import {
  insertReceipts,
  loadMintable,
  lockHeads,
  type MintableRun,
  markMinted,
  moveHeads,
  movePin,
  payloadOfRun,
} from '../store/chains.ts';
import { OUTBOX_COLUMNS } from '../store/outbox.ts';
import { inRounds } from '../turns/rounds.ts';
import { GrowingChain, type Minted, type SealSettings } from './growing-chain.ts';

/** Receipts of one transaction at most: what a stalled disk may hold up at once. */
const MINTS_PER_COMMIT = 256;
/** A block up to here is loaded with its Run: 4 MiB for all that one transaction may take. */
const SMALL_BYTES = 16_384;
/** Larger ones of one transaction in all, or one that is larger still: while they are sealed, everybody waits. */
const LARGE_BYTES_PER_COMMIT = 1_048_576;

export interface MintRequest {
  organization_id: string;
  run_id: string;
  /** Who asks: the credential's id, recorded with the stage. */
  by: string;
}

export interface MintSettings extends SealSettings {
  db: Db;
  /** Requests that may wait; above it `mint` throws `overloaded`. */
  queue_limit: number;
  /** Called after a commit, with the organizations whose chains grew; must not throw. */
  onMinted(organization_ids: Set<string>): void;
}

export interface Minter {
  /** Throws `run_not_approved`, `approval_mismatch`, `pin_damaged`, `not_found`, `overloaded`, `database_unavailable`. */
  mint(request: MintRequest): Promise<Minted>;
  /** Requests not answered yet. */
  pending(): number;
}

/** `later`: there was no room for another large one. */
type Outcome = Minted | Refusal | 'later';
interface Waiting {
  request: MintRequest;
  resolve(minted: Minted): void;
  reject(error: unknown): void;
}

export function createMinter(settings: MintSettings): Minter {
  /** In the order of their turns. */
  let waiting: Waiting[] = [];
  let answering = 0;
  let minting = false;

  /** One transaction at a time; requests that arrive meanwhile are in the next. */
  async function mintWaiting(): Promise<void> {
    minting = true;
    while (waiting.length > 0) for (const one of await mintInOne(nextInTurn)) await mintInOne(() => [one]);
    minting = false;
  }

  /** Of each organization one, and again, so that none waits for all that another one mints. */
  function nextInTurn(): Waiting[] {
    const turns = inRounds(waiting, ({ request }) => request.organization_id);
    waiting = turns.slice(MINTS_PER_COMMIT);
    return turns.slice(0, MINTS_PER_COMMIT);
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
      answer(taken, outcomes);
    } catch (error) {
      if (taken.length === 0) taken = take();
      if (taken.length > 1 && !(error instanceof DatabaseUnavailable)) return taken;
      for (const { reject } of taken) reject(error);
    }
    answering = 0;
    return [];
  }

  function answer(taken: Waiting[], outcomes: Outcome[]): void {
    const grown = new Set<string>();
    for (const [i, { request, resolve, reject }] of taken.entries()) {
      const outcome = outcomes[i]!;
      if (outcome === 'later') continue;
      if (outcome instanceof Refusal) reject(outcome);
      else resolve(outcome);
      if (!(outcome instanceof Refusal) && outcome.fresh) grown.add(request.organization_id);
    }
    // Requests that had no room go before those that came since.
    waiting = [...taken.filter((_, i) => outcomes[i] === 'later'), ...waiting];
    if (grown.size > 0) settings.onMinted(grown);
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
    loadMintable(tx, requests, SMALL_BYTES),
  );
  const chains = new Map(heads.map((head) => [head.organization_id, new GrowingChain(head, tx)]));
  for (const run of mintable) chains.get(run.organization_id)?.runs.set(run.id, run);

  let large = 0;
  const hasRoom = ({ approved_bytes }: MintableRun): boolean => {
    if (approved_bytes === null || approved_bytes <= SMALL_BYTES) return true;
    const fits = large === 0 || large + approved_bytes <= LARGE_BYTES_PER_COMMIT;
    if (fits) large += approved_bytes;
    return fits;
  };

  const outcomes: Outcome[] = [];
  for (const request of requests) {
    const chain = chains.get(request.organization_id);
    const run = chain?.runs.get(request.run_id);
    if (run === undefined || chain === undefined)
      outcomes.push(new Refusal('not_found', 'This organization has no such Run.'));
    else if (run.receipt_id === null && (run.stage !== 'Approval' || run.approved_bytes === null))
      outcomes.push(
        refuse(
          'run_not_approved',
          `The Run is at ${run.stage} and not approved; only an approved Run makes a receipt.`,
        ),
      );
    else if (!hasRoom(run)) outcomes.push('later');
    else if (run.receipt_id !== null) outcomes.push(await mintedBefore(tx, chain, run));
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
      grown.map((chain) => ({ from: chain.from, to: chain.end })),
    ),
  );
  for (const { from, minted } of grown)
    changes(tx, from.organization_id, { runs: minted.map(({ run }) => run.run_id), receipts: true });
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
  return { receipt_id: run.receipt_id!, payload, share_url: shareUrlIn(payload), fresh: false };
}

function shareUrlIn(payload: string): string | null {
  try {
    const share_url = valueInText(payload, ['share_url']);
    return typeof share_url === 'string' ? new URL(share_url).href : null;
  } catch {
    return null;
  }
}
