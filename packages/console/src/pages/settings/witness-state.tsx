/** How it stands between a witness and a log, in a word, and of all of them in a sentence. */
import type { Witness, WitnessLog, WitnessState } from '@rcpt/contract/ledger/witnesses.ts';
import { StatusBadge, type StatusIconName, type Tone } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';

const LOOKS: Record<WitnessState, { mark: StatusIconName; tone: Tone; word: string }> = {
  cosigned: { mark: 'tick', tone: 'good', word: 'Cosigned' },
  waiting: { mark: 'half', tone: 'accent', word: 'Waiting' },
  unreachable: { mark: 'dash', tone: 'caution', word: 'Unreachable' },
  refused: { mark: 'warning', tone: 'caution', word: 'Does not cosign' },
  contradicted: { mark: 'cross', tone: 'bad', word: 'Contradicts' },
};

export const LOG_WORD: Record<WitnessLog['log'], string> = { receipts: 'Receipts', activity: 'Activity' };

export function StateOf({ log }: { log: WitnessLog }) {
  const { mark, tone, word } = LOOKS[log.state];
  if (log.size === null)
    return (
      <span className="two-lines">
        <LogWord log={log} />
        <StatusBadge mark="ring" tone="neutral">
          Nothing signed yet
        </StatusBadge>
      </span>
    );
  return (
    <span className="two-lines">
      <LogWord log={log} />
      <StatusBadge mark={mark} tone={tone}>
        {word}
      </StatusBadge>
      <small>
        {log.cosigned_at === null ? (
          `0 of ${log.size}`
        ) : (
          <>
            {log.cosigned_size} of {log.size}, <Timestamp at={log.cosigned_at} />
          </>
        )}
      </small>
    </span>
  );
}

/** On a phone, where the table has no head. */
function LogWord({ log: { log } }: { log: WitnessLog }) {
  return <small className="on-phone">{LOG_WORD[log]}</small>;
}

export function receiptsOf({ logs }: Witness): WitnessLog | undefined {
  return logs.find(({ log }) => log === 'receipts');
}

export interface Cosigned {
  count: number;
  of: number;
  last_at: string | null;
  contradicted: boolean;
}

/** Of the last checkpoint of the receipts. */
export function cosignedOf(witnesses: readonly Witness[]): Cosigned {
  const receipts = witnesses.flatMap((witness) => receiptsOf(witness) ?? []);
  return {
    count: receipts.filter(({ state }) => state === 'cosigned').length,
    of: witnesses.length,
    last_at: receipts.reduce<string | null>((last, { cosigned_at: at }) => (at && at > (last ?? '') ? at : last), null),
    contradicted: witnesses.some(({ logs }) => logs.some(({ state }) => state === 'contradicted')),
  };
}
