/** The log of one job: follows its end unless one scrolls up. Only the lines one sees exist. */
import type { Job } from '@rcpt/contract/router/compute.ts';
import { useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { problemOf } from '../../../api/problem.ts';
import { Button, IconButton } from '../../../components/button.tsx';
import { copy } from '../../../components/copy.tsx';
import { SearchBox } from '../../../components/search-box.tsx';
import { exact } from '../../../format/instant.ts';
import { amount, count } from '../../../format/numbers.ts';
import { toast } from '../../../layout/toasts.tsx';
import { followLog, type LogConnection, wholeLog } from './follow.ts';
import { asText, matching } from './lines.ts';
import { LogView } from './log-view.tsx';
import '../../../components/field.css';
import './log.css';

interface LogProps {
  id: string;
  onJob: (job: Job) => void;
  /** What stands here before the first line. */
  waiting: string;
  /** Since when the router has taken no more of it. */
  cut_at: string | null;
}

export function Log({ id, onJob, waiting, cut_at }: LogProps) {
  const heard = useRef(onJob);
  heard.current = onJob;
  const feed = useMemo(() => followLog(id, (job) => heard.current(job)), [id]);
  const { lines, connection } = useSyncExternalStore(feed.subscribe, feed.state);
  const [words, setWords] = useState('');
  const [wrapped, setWrapped] = useState(() => matchMedia('(max-width: 44rem)').matches);
  const shown = useMemo(() => matching(lines.kept, words), [lines, words]);
  const isEmpty = lines.kept.length === 0;
  return (
    <div className="log">
      <div className="log-bar">
        <ConnectionLine
          connection={connection}
          cut={cut_at !== null}
          isEmpty={isEmpty}
          lines={lines.dropped + lines.kept.length}
        />
        <SearchBox label="Search the log" value={words} onSearch={setWords} />
        <Button small kind="quiet" aria-pressed={wrapped} onClick={() => setWrapped(!wrapped)}>
          Wrap
        </Button>
        <IconButton
          small
          icon="copy"
          label="Copy the lines shown"
          disabledReason={isEmpty ? 'There is nothing to copy yet.' : null}
          onClick={() => void copy(asText(shown), 'Log')}
        />
        <Download id={id} isEmpty={isEmpty} />
      </div>
      {lines.dropped > 0 && (
        <p className="log-note">
          The first {count(lines.dropped, 'line')} are not kept here. Download the log to have all of it.
        </p>
      )}
      {cut_at !== null && (
        <p className="log-note" role="status">
          Cut at {exact(cut_at)}: the quota for logs is used up. The job wrote on; what came later is not here.
        </p>
      )}
      {words.trim() !== '' && (
        <p className="log-note" role="status">
          {shown.length === 0
            ? 'No line matches'
            : `${count(shown.length, 'line')} of ${amount(lines.kept.length)} match`}
        </p>
      )}
      {isEmpty ? (
        <p className="log-empty">
          {connection === 'over'
            ? cut_at === null
              ? 'This job wrote no log.'
              : 'Nothing was taken of this job’s log.'
            : waiting}
        </p>
      ) : (
        <LogView key={`${wrapped} ${words.trim() === ''}`} lines={shown} wrapped={wrapped} />
      )}
    </div>
  );
}

const WORDS: Record<LogConnection, string> = {
  connecting: 'Connecting',
  live: 'Live',
  away: 'Broken off, trying again',
  over: 'Complete',
};

interface ConnectionLineProps {
  connection: LogConnection;
  cut: boolean;
  isEmpty: boolean;
  lines: number;
}

function ConnectionLine({ connection, cut, isEmpty, lines }: ConnectionLineProps) {
  return (
    <p className="log-standing" data-standing={connection}>
      <span className="dot" aria-hidden="true" />
      <strong>{cut && (connection === 'over' || connection === 'live') ? 'Cut' : WORDS[connection]}</strong>
      {!isEmpty && <span className="muted">{count(lines, 'line')}</span>}
    </p>
  );
}

function Download({ id, isEmpty }: { id: string; isEmpty: boolean }) {
  const [busy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    try {
      save(await wholeLog(id), `${id}.log`);
    } catch (error) {
      toast(problemOf(error).detail, 'bad');
    } finally {
      setBusy(false);
    }
  };
  return (
    <IconButton
      small
      icon="download"
      label="Download the whole log"
      busy={busy}
      disabledReason={isEmpty ? 'There is nothing to download yet.' : null}
      onClick={() => void download()}
    />
  );
}

function save(blob: Blob, name: string): void {
  const href = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement('a'), { href, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
