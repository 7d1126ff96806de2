/** Verification of one organization's chain: one snapshot, one pass, constant memory. */
import type { VerifyProgress } from '@rcpt/contract/ledger/live.ts';
import { type ChainReport, ChainVerifier } from '@rcpt/proof/chain.ts';
import type { Db } from '@rcpt/service/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { auditRow, readHead, SCAN_CHAIN } from './store/audit.ts';

/** Told so often at most while a chain is walked. */
const PROGRESS_MS = 100;
/** Chains walked at a time by one process, and how many may wait for that. */
const AT_ONCE = 2;
const MAY_WAIT = 32;
/** One organization leaves room for the others. */
const OF_ONE_ORGANIZATION = 12;

export interface Verifier {
  /**
   * Every receipt of the chain against its own bytes, its record, its predecessor and, at the end, the recorded head.
   * Stops early when `signal` aborts. Throws `overloaded`, `database_unavailable`.
   */
  verify(organization_id: string, signal: AbortSignal, progress?: Progress): Promise<ChainReport>;
}

/** Hears how far a walk has come, first when it begins; nobody waits for it. */
export type Progress = (walked: VerifyProgress) => void;

export function createVerifier(db: Db): Verifier {
  let walking = 0;
  const waiting: (() => void)[] = [];
  const asked = new Map<string, number>();

  /** Whoever ends hands over its place, so that nobody takes it in between. False: `signal` aborted first. */
  function takePlace(signal: AbortSignal): Promise<boolean> {
    if (walking < AT_ONCE) {
      walking++;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const turn = () => {
        signal.removeEventListener('abort', gone);
        resolve(true);
      };
      const gone = () => {
        const at = waiting.indexOf(turn);
        if (at !== -1) waiting.splice(at, 1);
        resolve(false);
      };
      waiting.push(turn);
      signal.addEventListener('abort', gone);
      if (signal.aborted) gone();
    });
  }

  function leavePlace(): void {
    const next = waiting.shift();
    if (next === undefined) walking--;
    else next();
  }

  return {
    async verify(organization_id, signal, progress) {
      const before = asked.get(organization_id) ?? 0;
      if (waiting.length >= MAY_WAIT || before >= OF_ONE_ORGANIZATION)
        throw new Refusal('overloaded', 'Many chains are being verified. Try again shortly.');
      asked.set(organization_id, before + 1);
      try {
        // Nobody reads what is said of nothing.
        if (!(await takePlace(signal))) return new ChainVerifier(organization_id).finish();
        return await walk(db, organization_id, signal, progress).finally(leavePlace);
      } finally {
        const left = asked.get(organization_id)! - 1;
        if (left === 0) asked.delete(organization_id);
        else asked.set(organization_id, left);
      }
    },
  };
}

function walk(
  db: Db,
  organization_id: string,
  signal: AbortSignal,
  progress: Progress = () => {},
): Promise<ChainReport> {
  return db.snapshot(async (read) => {
    const head = await readHead(read, organization_id);
    const verifier = new ChainVerifier(organization_id);
    const receipts = head === null ? 0 : head.org_seq + 1;
    let receipts_checked = 0;
    let told_at = performance.now();
    progress({ receipts_checked, receipts });
    for await (const batch of read.scan(SCAN_CHAIN, [organization_id])) {
      if (signal.aborted) break;
      for (const row of batch) {
        const { payload, record } = auditRow(row);
        verifier.push(payload, record);
      }
      receipts_checked += batch.length;
      if (performance.now() - told_at < PROGRESS_MS) continue;
      told_at = performance.now();
      progress({ receipts_checked, receipts });
    }
    return verifier.finish(head);
  });
}
