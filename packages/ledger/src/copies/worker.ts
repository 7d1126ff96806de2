/**
 * The copier: takes rows of the outbox in batches, makes the copies, deletes the rows. It delays no mint: while mints
 * flow it works a tenth of the time, and nothing it does or fails to do reaches them.
 *   claim due rows → per receipt: load, check its seal, copy and mail → delete what is done, postpone what is not.
 * Every copy is made at least once. A crash before a row is deleted makes it due again when its lease ends, and the work
 * is repeated in place (see `copyReceipt`).
 */
import type { Db } from '@rcpt/service/db.ts';
import type { Logger } from '@rcpt/service/log.ts';
import {
  anyDue,
  type Claim,
  COPY_KINDS,
  type CopyKind,
  claimDue,
  deleteDone,
  loadPayloads,
  PARKED,
  type Postponed,
  postpone,
} from '../store/outbox.ts';
import { Circuit } from './circuit.ts';
import { copyReceipt, type Destinations, type Outcome } from './copy-receipt.ts';
import { errorText } from './error-text.ts';
import { Bell, Pace, pause } from './pace.ts';
import { type Patience, postponed, released } from './settle.ts';

export interface CopierSettings extends Destinations {
  db: Db;
  logger: Logger;
  /** True while mints are waiting. */
  busy(): boolean;
  timing?: Partial<Timing>;
  /** Milliseconds since 1970. */
  now?(): number;
  /** 0 to 1. */
  chance?(): number;
}

export interface Timing extends Patience {
  /** How often it looks for rows that another process has left, or whose time has come. */
  poll_ms: number;
  /** From `wake` to the first look: what is minted meanwhile comes along. */
  gather_ms: number;
  /** What the copies of one receipt may take. */
  receipt_ms: number;
  /** Far longer than `receipt_ms`: a slow copier must not lose its rows to another while it works on them. */
  lease_ms: number;
  /** What `close` leaves to the receipts in hand. */
  close_ms: number;
}

const TIMING: Timing = {
  poll_ms: 2_000,
  gather_ms: 50,
  receipt_ms: 30_000,
  lease_ms: 180_000,
  close_ms: 1_500,
  backoff: { first_ms: 1_000, longest_ms: 900_000 },
  mail_backoff: { first_ms: 1_000, longest_ms: 43_200_000 },
};

/** Of each kind. */
const ROWS_PER_CLAIM = 32;
const RECEIPTS_AT_ONCE = 4;

export interface Copier {
  /** There may be work. Costs nothing, never throws. */
  wake(): void;
  /** Ends with the receipts in hand, within about two seconds; what is left stays in the outbox. */
  close(): Promise<void>;
}

export function startCopier(settings: CopierSettings): Copier {
  const round = new Round(settings);
  const ended = round.untilStopped();
  return {
    wake: () => round.bell.ring(),
    async close() {
      round.stop();
      await ended;
    },
  };
}

type Destination = 'storage' | 'mail';
const DESTINATION: Record<CopyKind, Destination> = { mail: 'mail', json: 'storage', pdf: 'storage' };

/** Round and round: claim, copy, settle, rest. */
class Round {
  readonly bell = new Bell();
  readonly #settings: CopierSettings;
  readonly #timing: Timing;
  readonly #now: () => number;
  readonly #chance: () => number;
  readonly #circuits: Record<Destination, Circuit>;
  readonly #stopping = new AbortController();
  readonly #giving_up = new AbortController();
  readonly #pace: Pace;
  #done: Claim[] = [];
  #postponed: Postponed[] = [];
  #database_away = false;

  constructor(settings: CopierSettings) {
    this.#settings = settings;
    this.#timing = { ...TIMING, ...settings.timing };
    this.#now = settings.now ?? Date.now;
    this.#chance = settings.chance ?? Math.random;
    this.#circuits = { storage: new Circuit(this.#timing.backoff), mail: new Circuit(this.#timing.backoff) };
    this.#pace = new Pace(settings.busy, this.#stopping.signal);
  }

  stop(): void {
    this.#stopping.abort();
    this.bell.ring();
    const timer = setTimeout(() => this.#giving_up.abort(new Abandoned()), this.#timing.close_ms);
    timer.unref();
  }

  async untilStopped(): Promise<void> {
    const stopping = this.#stopping.signal;
    while (!stopping.aborted) {
      if (await this.#copyDueOrSayWhyNot()) continue;
      await this.bell.wait(this.#timing.poll_ms);
      if (!stopping.aborted) await pause(this.#timing.gather_ms, stopping);
    }
  }

  async #copyDueOrSayWhyNot(): Promise<boolean> {
    try {
      const worked = await this.#copyDue();
      this.#database_away = false;
      return worked;
    } catch (error) {
      if (!this.#database_away) this.#settings.logger.warn({ error: errorText(error) }, 'copies wait for the database');
      this.#database_away = true;
      return false;
    }
  }

  /** One claim's worth. False: nothing to do just now. */
  async #copyDue(): Promise<boolean> {
    this.#pace.begin();
    // What the database did not take last time.
    await this.#settle();
    const claims = await this.#claim();
    if (claims.length === 0) return false;
    const last_start = this.#now() + this.#timing.lease_ms - this.#timing.receipt_ms;
    const waiting = byReceipt(claims);
    while (waiting.length > 0 && !this.#stopping.signal.aborted && this.#now() < last_start) {
      const receipts = waiting.splice(0, this.#settings.busy() ? 1 : RECEIPTS_AT_ONCE);
      const [tried, left] = this.#partedByCircuit(receipts.flat());
      this.#release(left);
      await this.#copyReceipts(tried);
      await this.#pace.rest();
    }
    this.#release(waiting.flat());
    await this.#settle();
    return true;
  }

  async #claim(): Promise<Claim[]> {
    const { db } = this.#settings;
    const now = this.#now();
    const limits = COPY_KINDS.map((kind) => ({
      kind,
      limit: this.#circuits[DESTINATION[kind]].allows(now, ROWS_PER_CLAIM),
    }));
    const allowed = limits.filter(({ limit }) => limit > 0);
    const at = new Date(now).toISOString();
    if (
      !(await anyDue(
        db,
        allowed.map(({ kind }) => kind),
        at,
      ))
    )
      return [];
    const leased_until = new Date(now + this.#timing.lease_ms).toISOString();
    return db.transaction(async (tx) => {
      const claims: Claim[] = [];
      for (const { kind, limit } of allowed)
        claims.push(...(await claimDue(tx, kind, { now: at, leased_until, limit })));
      return claims;
    });
  }

  async #copyReceipts(claims: Claim[]): Promise<void> {
    if (claims.length === 0) return;
    const stored = await loadPayloads(this.#settings.db, claims);
    const signal = AbortSignal.any([AbortSignal.timeout(this.#timing.receipt_ms), this.#giving_up.signal]);
    const outcomes = await Promise.all(
      byReceipt(claims).map((ofReceipt) => {
        const { organization_id, org_seq } = ofReceipt[0]!;
        const receipt = stored.find((row) => row.organization_id === organization_id && row.org_seq === org_seq);
        return copyReceipt(this.#settings, receipt, ofReceipt, signal);
      }),
    );
    this.#record(outcomes.flat());
    // A copy made twice is the same copy; a mail sent twice is two mails, so its row goes at once.
    if (claims.some(({ kind }) => kind === 'mail')) await this.#settle();
  }

  #record(outcomes: Outcome[]): void {
    const now = this.#now();
    for (const outcome of outcomes) {
      if (outcome.failure === null) this.#done.push(outcome.claim);
      else if (!(outcome.failure.error instanceof Abandoned)) this.#postpone(outcome, now);
    }
    for (const destination of ['storage', 'mail'] as const) this.#judge(destination, outcomes, now);
  }

  #postpone(outcome: Outcome, now: number): void {
    const { logger } = this.#settings;
    const row = postponed(outcome, now, this.#chance(), this.#timing);
    this.#postponed.push(row);
    const { organization_id, org_seq, kind } = row.claim;
    const facts = { organization_id, org_seq, kind, attempts: row.attempts, error: row.last_error };
    if (row.next_attempt_at === PARKED) logger.error(facts, 'a copy was given up and stays in the outbox');
    else logger.warn({ ...facts, next_attempt_at: row.next_attempt_at }, 'a copy failed and will be tried again');
  }

  /** One failure of a destination counts once, however many copies met it. */
  #judge(destination: Destination, outcomes: Outcome[], now: number): void {
    const ours = outcomes.filter(({ claim }) => DESTINATION[claim.kind] === destination);
    const circuit = this.#circuits[destination];
    if (ours.some(({ failure }) => failure?.fault === 'destination')) circuit.failed(now, this.#chance());
    else if (ours.some(({ failure }) => failure === null) && circuit.succeeded())
      this.#settings.logger.info({ destination }, 'copies flow again');
  }

  #partedByCircuit(claims: Claim[]): [allowed: Claim[], not: Claim[]] {
    const now = this.#now();
    const allowed = (claim: Claim) => this.#circuits[DESTINATION[claim.kind]].allows(now, 1) > 0;
    return [claims.filter(allowed), claims.filter((claim) => !allowed(claim))];
  }

  #release(claims: Claim[]): void {
    const now = this.#now();
    for (const claim of claims) this.#postponed.push(released(claim, now));
  }

  /** One transaction. When it fails, the same is tried again with the next round. */
  async #settle(): Promise<void> {
    const done = this.#done;
    const later = this.#postponed;
    if (done.length + later.length === 0) return;
    await this.#settings.db.transaction(async (tx) => {
      await deleteDone(tx, done);
      await postpone(tx, later);
    });
    this.#done = [];
    this.#postponed = [];
  }
}

/** The copier ends and does not wait for the answer: done or not, the row becomes due when its lease ends. */
class Abandoned extends Error {}

function byReceipt(claims: Claim[]): Claim[][] {
  return [...Map.groupBy(claims, ({ organization_id, org_seq }) => `${organization_id} ${org_seq}`).values()];
}
