/** Verification of one organization's chain: one snapshot, one pass, constant memory. */
import { type ChainReport, ChainVerifier } from '@rcpt/proof/chain.ts';
import type { Db } from '@rcpt/service/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { auditRow, readHead, SCAN_CHAIN } from './store/audit.ts';

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
  verify(organization_id: string, signal: AbortSignal): Promise<ChainReport>;
}

export function createVerifier(db: Db): Verifier {
  let walking = 0;
  const waiting: (() => void)[] = [];
  const asked = new Map<string, number>();

  return {
    async verify(organization_id, signal) {
      const before = asked.get(organization_id) ?? 0;
      if (waiting.length >= MAY_WAIT || before >= OF_ONE_ORGANIZATION)
        throw new Refusal('overloaded', 'Many chains are being verified. Try again shortly.');
      asked.set(organization_id, before + 1);
      // Whoever ends hands over its place, so that nobody takes it in between.
      if (walking >= AT_ONCE) await new Promise<void>((turn) => waiting.push(turn));
      else walking++;
      try {
        return await walk(db, organization_id, signal);
      } finally {
        const next = waiting.shift();
        if (next === undefined) walking--;
        else next();
        const left = asked.get(organization_id)! - 1;
        if (left === 0) asked.delete(organization_id);
        else asked.set(organization_id, left);
      }
    },
  };
}

function walk(db: Db, organization_id: string, signal: AbortSignal): Promise<ChainReport> {
  return db.snapshot(async (read) => {
    const head = await readHead(read, organization_id);
    const verifier = new ChainVerifier(organization_id);
    for await (const batch of read.scan(SCAN_CHAIN, [organization_id])) {
      if (signal.aborted) break;
      for (const row of batch) {
        const { payload, record } = auditRow(row);
        verifier.push(payload, record);
      }
    }
    return verifier.finish(head);
  });
}
