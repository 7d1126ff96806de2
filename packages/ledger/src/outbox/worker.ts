/**
 * The copier: takes rows of the outbox in batches, makes the copies, deletes the rows. It delays no mint: while mints
 * flow it works a tenth of the time, and nothing it does or fails to do reaches them. Each claim goes round the organizations,
 * and what needs a drawing goes its own round: a JSON waits for no PDF.
 *   claim due rows → book the mails' hours → per receipt: load, check its seal, copy and mail → delete what is done, postpone what is not.
 * Every copy is made at least once. A crash before a row is deleted makes it due again when its lease ends, and the work
 * is repeated in place (see `copyReceipt`).
 */
import type { Db } from '@rcpt/service/db/db.ts';
import type { Logger } from '@rcpt/service/process/log.ts';
import { bookMails, type MailLimits } from '../mail/mail-hours.ts';
import {
  type Claim,
  type CopyKind,
  claimDue,
  deleteDone,
  LEASE_MS,
  loadPayloads,
  organizationsDue,
  PARKED,
  type Postponed,
  postpone,
} from '../store/outbox.ts';
import { Circuit } from './circuit.ts';
import { copyReceipt, type Destinations, type Outcome } from './copy-receipt.ts';
import { errorText } from './error-text.ts';
import { postponed, type RetryPolicy, released } from './retry.ts';
import { pause, Throttle, WakeSignal } from './throttle.ts';

export interface CopierSettings extends Destinations {
  db: Db;
  logger: Logger;
  /** True while mints are waiting. */
  busy(): boolean;
  mail_limits: MailLimits;
  timing?: Partial<Timing>;
  /** Milliseconds since 1970. */
  now?(): number;
  /** 0 to 1. */
  chance?(): number;
}

export interface Timing extends RetryPolicy {
  /** How often it looks for rows that another process has left, or whose time has come. */
  poll_ms: number;
  /** From `wake` to the first look: what is minted meanwhile comes along. */
  gather_ms: number;
  /** What a destination may take for one copy. */
  destination_ms: number;
  lease_ms: number;
  /** What `close` leaves to the receipts in hand. */
  close_ms: number;
}

const TIMING: Timing = {
  poll_ms: 2_000,
  gather_ms: 50,
  destination_ms: 30_000,
  lease_ms: LEASE_MS,
  close_ms: 1_500,
  backoff: { first_ms: 1_000, longest_ms: 900_000 },
  mail_backoff: { first_ms: 1_000, longest_ms: 43_200_000 },
};

/** Few of what may be dear to draw: the next organization's first waits for one claim. */
const ROWS_PER_CLAIM: Record<CopyKind, number> = { json: 32, pdf: 8, mail: 8 };
const RECEIPTS_AT_ONCE = 4;
/** Each of the two rounds works a twentieth of the time while mints flow. */
const ROUNDS: CopyKind[][] = [['json'], ['mail', 'pdf']];
const REST_PER_WORK = 19;

export interface Copier {
  /** There may be work. Costs nothing, never throws. */
  wake(): void;
  /** Ends with the receipts in hand, within about two seconds; what is left stays in the outbox. */
  close(): Promise<void>;
}

export function startCopier(settings: CopierSettings): Copier {
  const { backoff } = { ...TIMING, ...settings.timing };
  const world: World = { storage: new Circuit(backoff), mail: new Circuit(backoff), database_away: false };
  const rounds = ROUNDS.map((kinds) => new Round(settings, kinds, world));
  const ended = Promise.all(rounds.map((round) => round.untilStopped()));
  return {
    wake() {
      for (const round of rounds) round.signal.wake();
    },
    async close() {
      for (const round of rounds) round.stop();
      await ended;
    },
  };
}

type Destination = 'storage' | 'mail';
const DESTINATION: Record<CopyKind, Destination> = { mail: 'mail', json: 'storage', pdf: 'storage' };

/** What both rounds have learned of what they depend on. */
type World = Record<Destination, Circuit> & { database_away: boolean };

/** Round and round: claim, copy, write, rest. */
class Round {
  readonly signal = new WakeSignal();
  readonly #settings: CopierSettings;
  readonly #timing: Timing;
  readonly #now: () => number;
  readonly #chance: () => number;
  readonly #kinds: CopyKind[];
  readonly #world: World;
  /** Whose turn was the last of each kind. */
  readonly #served: Partial<Record<CopyKind, string>> = {};
  readonly #stopping = new AbortController();
  readonly #giving_up = new AbortController();
  readonly #throttle: Throttle;
  #done: Claim[] = [];
  #postponed: Postponed[] = [];

  constructor(settings: CopierSettings, kinds: CopyKind[], world: World) {
    this.#kinds = kinds;
    this.#world = world;
    this.#settings = settings;
    this.#timing = { ...TIMING, ...settings.timing };
    this.#now = settings.now ?? Date.now;
    this.#chance = settings.chance ?? Math.random;
    this.#throttle = new Throttle(settings.busy, this.#stopping.signal, REST_PER_WORK);
  }

  stop(): void {
    this.#stopping.abort();
    this.signal.wake();
    const timer = setTimeout(() => this.#giving_up.abort(new Abandoned()), this.#timing.close_ms);
    timer.unref();
  }

  async untilStopped(): Promise<void> {
    const stopping = this.#stopping.signal;
    while (!stopping.aborted) {
      if (await this.#copyDueOrSayWhyNot()) continue;
      await this.signal.wait(this.#timing.poll_ms);
      if (!stopping.aborted) await pause(this.#timing.gather_ms, stopping);
    }
  }

  async #copyDueOrSayWhyNot(): Promise<boolean> {
    try {
      const worked = await this.#copyDue();
      this.#world.database_away = false;
      return worked;
    } catch (error) {
      if (!this.#world.database_away)
        this.#settings.logger.warn({ error: errorText(error) }, 'copies wait for the database');
      this.#world.database_away = true;
      return false;
    }
  }

  /** One claim's worth. False: nothing to do just now. */
  async #copyDue(): Promise<boolean> {
    this.#throttle.begin();
    // What the database did not take last time.
    await this.#write();
    const claims = await this.#claim();
    if (claims.length === 0) return false;
    const last_start = this.#now() + this.#timing.lease_ms - 2 * this.#timing.destination_ms;
    const waiting = byReceipt(claims);
    while (waiting.length > 0 && !this.#stopping.signal.aborted && this.#now() < last_start) {
      const receipts = waiting.splice(0, this.#settings.busy() ? 1 : RECEIPTS_AT_ONCE);
      const [tried, left] = this.#partedByCircuit(receipts.flat());
      this.#release(left);
      await this.#copyReceipts(tried);
      await this.#throttle.rest();
    }
    this.#release(waiting.flat());
    await this.#write();
    return true;
  }

  /** The first of each organization, then the second of each. */
  async #claim(): Promise<Claim[]> {
    const { db } = this.#settings;
    const now = this.#now();
    const at = new Date(now).toISOString();
    const leased_until = new Date(now + this.#timing.lease_ms).toISOString();
    const wanted: { kind: CopyKind; organization_id: string; limit: number }[] = [];
    for (const kind of this.#kinds) {
      const rows = this.#world[DESTINATION[kind]].allows(now, ROWS_PER_CLAIM[kind]);
      if (rows === 0) continue;
      const turns = inTurn(await organizationsDue(db, kind, at), this.#served[kind]).slice(0, rows);
      const limit = Math.ceil(rows / turns.length);
      wanted.push(...turns.map((organization_id) => ({ kind, organization_id, limit })));
      this.#served[kind] = turns.at(-1) ?? this.#served[kind];
    }
    if (wanted.length === 0) return [];
    const claims = await db.transaction(async (tx) => {
      const each: Claim[][] = [];
      for (const { kind, organization_id, limit } of wanted)
        each.push(await claimDue(tx, kind, { organization_id, now: at, leased_until, limit }));
      const allowed = new Set(await bookMails(tx, each.flat(), this.#settings.mail_limits, now));
      return each.map((rows) => rows.filter((row) => allowed.has(row)));
    });
    return Array.from({ length: Math.max(...claims.map((rows) => rows.length)) }, (_, i) =>
      claims.flatMap((rows) => rows[i] ?? []),
    ).flat();
  }

  async #copyReceipts(claims: Claim[]): Promise<void> {
    if (claims.length === 0) return;
    const stored = await loadPayloads(this.#settings.db, claims);
    const limits = { destination_ms: this.#timing.destination_ms, giving_up: this.#giving_up.signal };
    const outcomes = await Promise.all(
      byReceipt(claims).map((ofReceipt) => {
        const { organization_id, org_seq } = ofReceipt[0]!;
        const receipt = stored.find((row) => row.organization_id === organization_id && row.org_seq === org_seq);
        return copyReceipt(this.#settings, receipt, ofReceipt, limits);
      }),
    );
    this.#record(outcomes.flat());
    // A copy made twice is the same copy; a mail sent twice is two mails, so its row goes at once.
    if (claims.some(({ kind }) => kind === 'mail')) await this.#write();
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
    if (outcome.failure?.fault === 'busy') return;
    const facts = { organization_id, org_seq, kind, attempts: row.attempts, error: row.last_error };
    if (row.next_attempt_at === PARKED) logger.error(facts, 'a copy was given up and stays in the outbox');
    else logger.warn({ ...facts, next_attempt_at: row.next_attempt_at }, 'a copy failed and will be tried again');
  }

  /** One failure of a destination counts once, however many copies met it. */
  #judge(destination: Destination, outcomes: Outcome[], now: number): void {
    const ours = outcomes.filter(({ claim }) => DESTINATION[claim.kind] === destination);
    const circuit = this.#world[destination];
    if (ours.some(({ failure }) => failure?.fault === 'destination')) circuit.failed(now, this.#chance());
    else if (ours.some(({ failure }) => failure === null) && circuit.succeeded())
      this.#settings.logger.info({ destination }, 'copies flow again');
  }

  #partedByCircuit(claims: Claim[]): [allowed: Claim[], not: Claim[]] {
    const now = this.#now();
    const allowed = (claim: Claim) => this.#world[DESTINATION[claim.kind]].allows(now, 1) > 0;
    return [claims.filter(allowed), claims.filter((claim) => !allowed(claim))];
  }

  #release(claims: Claim[]): void {
    const now = this.#now();
    for (const claim of claims) this.#postponed.push(released(claim, now));
  }

  /** One transaction. When it fails, the same is tried again with the next round. */
  async #write(): Promise<void> {
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

/** In the order of the first of each. */
function byReceipt(claims: Claim[]): Claim[][] {
  const receipts: Claim[][] = [];
  for (const claim of claims) {
    const { organization_id, org_seq } = claim;
    const same = receipts.find(([first]) => first?.organization_id === organization_id && first.org_seq === org_seq);
    if (same === undefined) receipts.push([claim]);
    else same.push(claim);
  }
  return receipts;
}

/** From the one behind who was served last. */
function inTurn(organizations: string[], served = ''): string[] {
  const next = organizations.findIndex((organization_id) => organization_id > served);
  return next <= 0 ? organizations : [...organizations.slice(next), ...organizations.slice(0, next)];
}
