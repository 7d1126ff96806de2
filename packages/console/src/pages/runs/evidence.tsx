/** The evidence of a Run: what is attached, and while its stage takes more, ways to attach it. */
import type { Evidence, Run } from '@rcpt/contract/ledger/runs.ts';
import { useState } from 'react';
import { Section } from '../../frame/page.tsx';
import { AwayLink, Button } from '../../parts/button.tsx';
import { Hash } from '../../parts/copy.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { byteSize, count } from '../../words/numbers.ts';
import { type EvidenceKind, sentence } from '../../words/vocabulary.ts';
import { DropZone } from './drop-zone.tsx';
import { WriteEvidence } from './write-evidence.tsx';
import './evidence.css';

const ICONS: Record<EvidenceKind, IconName> = {
  file: 'file',
  note: 'note',
  url: 'link',
  observation: 'note',
  tool_output: 'settings',
  model_output: 'compute',
  log: 'runs',
};

/** @param why one may not attach; null where one may */
export function EvidenceSection({ run, why }: { run: Run; why: string | null }) {
  const [writing, setWriting] = useState(false);
  const takesMore = run.stage === 'Inputs' || run.stage === 'Evidence';
  return (
    <Section
      title="Evidence"
      beside={
        takesMore ? (
          <Button small icon="plus" why={why} onClick={() => setWriting(true)}>
            Note, link or hash
          </Button>
        ) : (
          run.evidence.length > 0 && count(run.evidence.length, 'item')
        )
      }
    >
      {takesMore && why === null && <DropZone run_id={run.id} />}
      {run.evidence.length > 0 ? (
        <ul className="evidence">
          {run.evidence.map((item) => (
            <Item key={item.id} run_id={run.id} item={item} />
          ))}
        </ul>
      ) : (
        (!takesMore || why !== null) && <p className="muted">No evidence is attached.</p>
      )}
      {writing && <WriteEvidence run_id={run.id} onClose={() => setWriting(false)} />}
    </Section>
  );
}

function Item({ run_id, item }: { run_id: string; item: Evidence }) {
  const { id, kind, label, sha256, byte_size, content_type, stored } = item;
  return (
    <li>
      <Icon name={ICONS[kind]} />
      <div className="evidence-words">
        <span className="evidence-label">{label}</span>
        <small className="muted">
          {[sentence(kind), stored ? byteSize(byte_size) : 'kept elsewhere', stored && content_type]
            .filter(Boolean)
            .join(' · ')}
        </small>
      </div>
      <Hash value={sha256} what="SHA-256" short />
      {stored && (
        <AwayLink kind="quiet" small icon="download" href={`/runs/${run_id}/evidence/${id}`} download={id}>
          Download
        </AwayLink>
      )}
    </li>
  );
}
