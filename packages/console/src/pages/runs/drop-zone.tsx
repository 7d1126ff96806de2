/** Where files are dropped or chosen, and how far each of them is. */

import type { EvidenceKind } from '@rcpt/contract/vocabulary.ts';
import { EVIDENCE_KINDS } from '@rcpt/contract/words.ts';
import { useState } from 'react';
import { problemOf } from '../../api/problem.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { FileDrop } from '../../components/file-drop.tsx';
import { Icon } from '../../components/icon.tsx';
import { Progress } from '../../components/progress.tsx';
import { byteSize } from '../../format/numbers.ts';
import { sentence } from '../../format/vocabulary.ts';
import { type Sending, useUploads } from './uploads.ts';

const FILE_KINDS = EVIDENCE_KINDS.filter((kind) => kind !== 'note' && kind !== 'url');

export function DropZone({ run_id }: { run_id: string }) {
  const { list, add, cancel, retry } = useUploads(run_id);
  const [kind, setKind] = useState<EvidenceKind>('file');
  return (
    <>
      <FileDrop
        className="drop-zone"
        icon="upload"
        before="Drop files here or"
        choose="choose them"
        onFiles={(files) => add(files, kind)}
      >
        <label className="drop-kind">
          as{' '}
          <select value={kind} onChange={(event) => setKind(event.target.value as EvidenceKind)}>
            {FILE_KINDS.map((each) => (
              <option key={each} value={each}>
                {sentence(each).toLowerCase()}
              </option>
            ))}
          </select>
        </label>
      </FileDrop>
      {list.length > 0 && (
        <ul className="evidence sending">
          {list.map((each) => (
            <Line key={each.id} sending={each} onCancel={() => cancel(each.id)} onRetry={() => retry(each.id)} />
          ))}
        </ul>
      )}
    </>
  );
}

const WORDS: Record<Sending['state'], string> = {
  waiting: 'Waiting',
  hashing: 'Hashing here',
  sending: 'Sending',
  done: 'Attached, hash agrees',
  failed: 'Not attached',
};

function Line({ sending, onCancel, onRetry }: { sending: Sending; onCancel: () => void; onRetry: () => void }) {
  const { file, state, sent, sha256, error } = sending;
  const failed = state === 'failed';
  return (
    <li>
      <Icon name="file" />
      <div className="evidence-words">
        <span className="evidence-label">{file.name}</span>
        {failed ? (
          <small className="field-error" role="alert">
            {problemOf(error).detail}
          </small>
        ) : (
          <>
            <Progress
              label={`${file.name}: ${WORDS[state]}`}
              {...(state === 'sending' || state === 'done' ? { done: sent, of: Math.max(file.size, 1) } : {})}
            />
            <small className="muted">
              {WORDS[state]} · {byteSize(file.size)}
              {sha256 && ` · ${sha256.slice(0, 12)}…`}
            </small>
          </>
        )}
      </div>
      {failed && (
        <Button small icon="refresh" onClick={onRetry}>
          Try again
        </Button>
      )}
      <IconButton icon="close" small label={failed ? 'Leave it out' : `Cancel ${file.name}`} onClick={onCancel} />
    </li>
  );
}
