/**
 * Sends each newly signed checkpoint to the witnesses that the organization lists, beside everything else: no mint waits for it.
 *   signed → due, by what is stored → claimed, so that one process at a time asks → sent with its proof → cosignature checked and kept.
 * A crash leaves it due when the claim ends. A witness that fails is left alone for longer each time; nothing else waits for it.
 */
import type { Db } from '@rcpt/service/db/db.ts';
import type { Logger } from '@rcpt/service/process/log.ts';
import { changes } from '../changes/transaction.ts';
import { type Backoff, backoffMs } from '../outbox/circuit.ts';
import { errorText } from '../outbox/error-text.ts';
import { pause, WakeSignal } from '../outbox/throttle.ts';
import {
  claimSubmission,
  type DueSubmission,
  dueSubmissions,
  keepCosignature,
  MOST_DUE,
  noteFailure,
} from '../store/witnesses.ts';
import { nextOf } from './next.ts';
import { type Proofs, type Submitted, submitCheckpoint } from './submit.ts';

export interface SubmitterSettings {
  db: Db;
  logs: Proofs;
  logger: Logger;
  only_public: boolean;
  timing?: Partial<Timing>;
}

export interface Timing {
  /** How often all organizations are looked through: for what another process has left, or whose time has come. */
  poll_ms: number;
  /** From a wake to the look: what is signed meanwhile comes along. */
  gather_ms: number;
  /** Longer than a submission takes. */
  claim_ms: number;
  /** What was cosigned so long ago, or before the start, is sent again: a witness that has gone, and a backup that was restored, are noticed. */
  again_ms: number;
  backoff: Backoff;
}

const TIMING: Timing = {
  poll_ms: 15_000,
  gather_ms: 20,
  claim_ms: 60_000,
  again_ms: 86_400_000,
  backoff: { first_ms: 2_000, longest_ms: 900_000 },
};

export interface Submitter {
  /** This organization has something new, or all may have. Costs nothing, never throws. */
  wake(organization_id: string | null): void;
  /** Gives up what is in hand: it stays due. */
  close(): Promise<void>;
}

export function startSubmitter(settings: SubmitterSettings): Submitter {
  const { db, logger } = settings;
  const timing = { ...TIMING, ...settings.timing };
  const stopping = new AbortController();
  const signal = new WakeSignal();
  const started = Date.now();
  const woken = new Set<string>();
  /** By organization and witness: one at a time. */
  const in_hand = new Map<string, { organization_id: string; work: Promise<void> }>();
  let look_at_all = true;
  /** One per submission that failed: its time comes before all are looked through. */
  const timers = new Set<NodeJS.Timeout>();
  /** Due, by witness, and not begun for want of room. */
  let waiting: DueSubmission[][] = [];
  let more_are_due = false;

  async function look(): Promise<void> {
    const organizations = look_at_all ? [null] : [...woken];
    look_at_all = false;
    woken.clear();
    const now = Date.now();
    for (const organization_id of organizations) {
      const at = new Date(now).toISOString();
      const sent_before = new Date(Math.max(started, now - timing.again_ms)).toISOString();
      const due = await dueSubmissions(db, { at, sent_before, organization_id });
      const groups = Map.groupBy(due, nameOf);
      // What waits already keeps its place, in its newest state; what is new goes behind it.
      const known = new Map(waiting.map((group) => [nameOf(group[0]!), group]));
      waiting = [...new Map([...known, ...groups]).values()];
      if (organization_id === null) more_are_due = due.length === MOST_DUE;
    }
    beginSome();
  }

  /** What is left out here is begun when something ends; what is in hand is looked for again then. */
  function beginSome(): void {
    waiting = stopping.signal.aborted ? [] : waiting.filter(([first]) => !in_hand.has(nameOf(first!)));
    for (;;) {
      const next = nextOf(waiting, [...in_hand.values()]);
      if (next === null) return;
      waiting = waiting.filter((group) => group !== next);
      begin(next);
    }
  }

  function begin(group: DueSubmission[]): void {
    const [{ organization_id }] = group as [DueSubmission];
    const name = nameOf(group[0]!);
    const work = submitEach(group).finally(() => {
      in_hand.delete(name);
      beginSome();
      wake(more_are_due && waiting.length === 0 ? null : organization_id);
    });
    in_hand.set(name, { organization_id, work });
  }

  async function submitEach(group: DueSubmission[]): Promise<void> {
    for (const due of group) {
      if (stopping.signal.aborted) return;
      try {
        const until = new Date(Date.now() + timing.claim_ms).toISOString();
        if (!(await claimSubmission(db, due, until))) continue;
        const submitted = await submitCheckpoint(settings, due, stopping.signal);
        if (!stopping.signal.aborted) await keep(due, submitted);
      } catch (error) {
        logger.warn(
          { organization_id: due.organization_id, error: errorText(error) },
          'a checkpoint waits for its witness',
        );
        await pause(timing.backoff.first_ms, stopping.signal);
      }
    }
  }

  async function keep(due: DueSubmission, submitted: Submitted): Promise<void> {
    const { organization_id, witness_id, log } = due;
    const state = submitted.kind;
    const failures = due.failures + 1;
    const wait_ms = backoffMs(failures, timing.backoff, Math.random());
    const at = new Date().toISOString();
    const next_attempt_at = new Date(Date.now() + wait_ms).toISOString();
    await db.transaction(async (tx) => {
      if (submitted.kind === 'cosigned') await keepCosignature(tx, due, { ...submitted, at });
      else await noteFailure(tx, due, { ...submitted, state: submitted.kind, failures, next_attempt_at });
      if (state !== due.state) changes(tx, organization_id, { settings: true });
    });
    if (state !== 'cosigned') wakeAfter(organization_id, wait_ms);
    if (state === due.state) return;
    const facts = {
      organization_id,
      witness_id,
      log,
      state,
      ...(state !== 'cosigned' && { reason: submitted.reason }),
    };
    if (state === 'contradicted')
      logger.error(facts, 'a witness contradicts this ledger: docs/operations.md, Witnesses');
    else logger[state === 'cosigned' ? 'info' : 'warn'](facts, 'how it stands with a witness has changed');
  }

  function wakeAfter(organization_id: string, ms: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      wake(organization_id);
    }, ms);
    timers.add(timer);
  }

  function wake(organization_id: string | null): void {
    if (organization_id === null) look_at_all = true;
    else woken.add(organization_id);
    signal.wake();
  }

  async function run(): Promise<void> {
    let away = false;
    let looked_at_all = Number.NEGATIVE_INFINITY;
    while (!stopping.signal.aborted) {
      try {
        if (performance.now() - looked_at_all >= timing.poll_ms) look_at_all = true;
        if (look_at_all) looked_at_all = performance.now();
        await look();
        away = false;
      } catch (error) {
        if (!away) logger.warn({ error: errorText(error) }, 'witnesses wait for the database');
        away = true;
      }
      await signal.wait(timing.poll_ms);
      await pause(timing.gather_ms, stopping.signal);
    }
    await Promise.allSettled([...in_hand.values()].map(({ work }) => work));
  }

  const ended = run();
  return {
    wake,
    async close() {
      stopping.abort();
      for (const timer of timers) clearTimeout(timer);
      signal.wake();
      await ended;
    },
  };
}

function nameOf({ organization_id, witness_id }: DueSubmission): string {
  return `${organization_id} ${witness_id}`;
}
