/** How a Run stands, in one mark and a few words: what a list shows and a person acts on. */
import type { Run } from '@rcpt/contract/ledger/runs.ts';
import type { StatusIconName, Tone } from '../components/tones.ts';

interface RunStatus {
  mark: StatusIconName;
  tone: Tone;
  words: string;
}

export function runStatus(run: Run): RunStatus {
  if (run.receipt_id !== null) return { mark: 'tick', tone: 'good', words: 'Sealed' };
  if (run.approval?.decision === 'rejected') return { mark: 'cross', tone: 'bad', words: 'Rejected' };
  if (run.approval !== null) return { mark: 'half', tone: 'accent', words: 'Approved, not sealed' };
  if (run.stage === 'Verdict') return { mark: 'half', tone: 'accent', words: 'Waiting for approval' };
  const open = openChecks(run);
  if (open > 0) return { mark: 'ring', tone: 'caution', words: `${open} open ${open === 1 ? 'check' : 'checks'}` };
  return { mark: 'ring', tone: 'neutral', words: run.stage };
}

export function openChecks(run: Run): number {
  return run.checks.filter((check) => check.status === 'open').length;
}
