/** One piece of evidence: what was recorded, and whether what is stored is still that. */
import { ProblemError } from '@rcpt/contract/client/call.ts';
import type { Evidence } from '@rcpt/contract/ledger/runs.ts';
import { byteSize } from '@rcpt/contract/shown.ts';
import type { EvidenceKind } from '@rcpt/contract/vocabulary.ts';
import { useMutation } from '@tanstack/react-query';
import { evidencePath, type Found, foundBy, saveEvidence } from '../../api/evidence.ts';
import { problemOf } from '../../api/problem.ts';
import { AwayLink, Button } from '../../components/button.tsx';
import { Hash } from '../../components/copy.tsx';
import { Icon, type IconName } from '../../components/icon.tsx';
import { Problem } from '../../components/problem.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import type { StatusIconName, Tone } from '../../components/tones.ts';
import { sentence } from '../../format/vocabulary.ts';
import { Shown } from '../../shown/shown.ts';

const ICONS: Record<EvidenceKind, IconName> = {
  file: 'file',
  note: 'note',
  url: 'link',
  observation: 'note',
  tool_output: 'settings',
  model_output: 'compute',
  log: 'runs',
};

const FOUND: Record<Found, { mark: StatusIconName; tone: Tone; words: string }> = {
  whole: { mark: 'tick', tone: 'good', words: 'Stored as recorded' },
  altered: { mark: 'cross', tone: 'bad', words: 'Altered in storage' },
  gone: { mark: 'cross', tone: 'bad', words: 'Not in storage any more' },
  unknown: { mark: 'warning', tone: 'caution', words: 'Could not be compared' },
};

interface Given {
  run_id: string;
  item: Evidence;
  /** Undefined: not compared yet. */
  found: Found | undefined;
  onFound(found: Found): void;
}

export function EvidenceItem({ run_id, item, found, onFound }: Given) {
  const { id, kind, label, sha256, byte_size, content_type, stored } = item;
  const saving = useMutation({
    mutationFn: () => saveEvidence(run_id, id),
    onSuccess: () => onFound('whole'),
    onError: (error) => onFound(foundBy(problemOf(error).status)),
  });
  const { mark, tone, words } = FOUND[found ?? 'unknown'];
  return (
    <li>
      <Icon name={ICONS[kind]} />
      <div className="evidence-words">
        <span className="evidence-label">
          <Shown text={label} />
        </span>
        <small className="muted">
          {[sentence(kind), stored ? byteSize(byte_size) : 'kept elsewhere', stored && content_type]
            .filter(Boolean)
            .join(' · ')}
        </small>
        {found !== undefined && (
          <small>
            <StatusBadge mark={mark} tone={tone}>
              {words}
            </StatusBadge>
          </small>
        )}
        {saving.error && <Problem error={withButton(saving.error)} />}
        {found === 'altered' && (
          <small>
            <AwayLink
              kind="quiet"
              small
              icon="download"
              href={`${evidencePath(run_id, id)}?altered=serve`}
              download={`${id}.altered`}
            >
              Download the altered bytes
            </AwayLink>
          </small>
        )}
      </div>
      <Hash value={sha256} what="SHA-256" short />
      {stored && (
        <Button kind="quiet" small icon="download" busy={saving.isPending} onClick={() => saving.mutate()}>
          Download
        </Button>
      )}
    </li>
  );
}

/** The last sentence of the refusal. The button stands in its place. */
const HOW_TO_SEE_ALTERED = 'To look at them all the same, ask with ?altered=serve.';

function withButton(error: unknown): ProblemError {
  const problem = problemOf(error);
  return new ProblemError({ ...problem, detail: problem.detail.replace(HOW_TO_SEE_ALTERED, '').trimEnd() });
}
