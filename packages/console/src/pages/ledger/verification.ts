/** One verification of a whole chain, as it goes on. It lasts over a change of pages, until it is stopped or asked for again. */
import { ProblemError } from '@rcpt/contract/client/call.ts';
import type { VerifyProgress } from '@rcpt/contract/ledger/live.ts';
import type { Verification } from '@rcpt/contract/ledger/receipts.ts';
import type { Problem } from '@rcpt/contract/problem.ts';
import { useSyncExternalStore } from 'react';
import type { z } from 'zod';
import { keepVerification } from '../../api/last-verification.ts';
import { eventsFrom, type StreamEvent } from './event-stream.ts';

export type Report = z.infer<typeof Verification>;

export type VerificationState =
  | { is: 'never' }
  | { is: 'running'; progress: VerifyProgress | null }
  | { is: 'done'; report: Report; at: string; seconds: number }
  | { is: 'stopped'; progress: VerifyProgress | null }
  | { is: 'failed'; error: unknown };

/** A stream that ends without a report has verified nothing. */
const BROKE_OFF: Problem = {
  type: 'urn:problem:verification-broke-off',
  title: 'The verification broke off',
  status: 0,
  detail: 'The connection ended before there was a result, so nothing is known. Verify again.',
  code: 'verification_broke_off',
  request_id: '',
};

/** Of one chain. Lasts over a change of pages. */
export interface ChainVerification {
  use(): VerificationState;
  start(organization_id: string): Promise<void>;
  stop(): void;
}

/** @param onReport is told the result */
export function createVerification(
  path: string,
  onReport: (organization_id: string, report: Report) => void = () => {},
): ChainVerification {
  let state: VerificationState = { is: 'never' };
  let running: AbortController | null = null;
  const listeners = new Set<() => void>();

  function setState(next: VerificationState): void {
    state = next;
    for (const listener of listeners) listener();
  }

  return {
    use: () =>
      useSyncExternalStore(
        (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        () => state,
      ),
    async start(organization_id) {
      running?.abort();
      const mine = new AbortController();
      running = mine;
      const setIfMine = (next: VerificationState) => mine === running && setState(next);
      const began = performance.now();
      let progress: VerifyProgress | null = null;
      setIfMine({ is: 'running', progress });
      try {
        const report = await reportOf(eventsFrom(path, mine.signal), (next) => {
          progress = next;
          setIfMine({ is: 'running', progress });
        });
        onReport(organization_id, report);
        setIfMine({ is: 'done', report, at: new Date().toISOString(), seconds: (performance.now() - began) / 1000 });
      } catch (error) {
        setIfMine(mine.signal.aborted ? { is: 'stopped', progress } : { is: 'failed', error });
      }
    },
    stop: () => running?.abort(),
  };
}

/** Of the receipts. The result is kept for the overview of the organization. */
export const receipts = createVerification('/ledger/verify', keepVerification);

/** Reads events until there is a report. Throws what the service says instead of one, or that there was none. */
export async function reportOf(
  events: AsyncIterable<StreamEvent>,
  onProgress: (progress: VerifyProgress) => void,
): Promise<Report> {
  for await (const { event, data } of events) {
    if (event === 'progress') onProgress(JSON.parse(data) as VerifyProgress);
    if (event === 'report') return JSON.parse(data) as Report;
    if (event === 'problem') throw new ProblemError(JSON.parse(data) as Problem);
  }
  throw new ProblemError(BROKE_OFF);
}
