/** The evidence of a Run: what is attached, and while its stage takes more, ways to attach it. */
import type { Evidence, Run } from '@rcpt/contract/ledger/runs.ts';
import { useState } from 'react';
import { compareStored, type Found } from '../../api/evidence.ts';
import { Button } from '../../components/button.tsx';
import { count } from '../../format/numbers.ts';
import { Section } from '../../layout/page.tsx';
import { DropZone } from './drop-zone.tsx';
import { EvidenceItem } from './evidence-item.tsx';
import { WriteEvidence } from './write-evidence.tsx';
import './evidence.css';

/** @param why one may not attach; null where one may */
export function EvidenceSection({ run, disabledReason }: { run: Run; disabledReason: string | null }) {
  const [writing, setWriting] = useState(false);
  const { found, note, comparing, compareAll } = useComparisons(run);
  const takesMore = run.stage === 'Inputs' || run.stage === 'Evidence';
  return (
    <Section
      title="Evidence"
      beside={
        takesMore ? (
          <Button small icon="plus" disabledReason={disabledReason} onClick={() => setWriting(true)}>
            Note, link or hash
          </Button>
        ) : (
          run.evidence.length > 0 && count(run.evidence.length, 'item')
        )
      }
    >
      {takesMore && disabledReason === null && <DropZone run_id={run.id} />}
      {run.evidence.length > 0 ? (
        <ul className="evidence">
          {run.evidence.map((item) => (
            <EvidenceItem
              key={item.id}
              run_id={run.id}
              item={item}
              found={found[item.id]}
              onFound={(as) => note(item, as)}
            />
          ))}
        </ul>
      ) : (
        (!takesMore || disabledReason !== null) && <p className="muted">No evidence is attached.</p>
      )}
      {run.evidence.some(({ stored }) => stored) && (
        <p className="compare-stored">
          <Button kind="quiet" small icon="refresh" busy={comparing} onClick={compareAll}>
            Compare what is stored with what was recorded
          </Button>
        </p>
      )}
      {writing && <WriteEvidence run_id={run.id} onClose={() => setWriting(false)} />}
    </Section>
  );
}

/** What was found of each item, once it was compared. */
function useComparisons({ id, evidence }: Run) {
  const [found, setFound] = useState<Record<string, Found>>({});
  const [comparing, setComparing] = useState(false);
  const note = (item: Evidence, as: Found) => setFound((before) => ({ ...before, [item.id]: as }));

  /** One after the other: the ledger reads each of them whole. */
  async function compareAll(): Promise<void> {
    setComparing(true);
    for (const item of evidence) if (item.stored) note(item, await compareStored(id, item.id));
    setComparing(false);
  }
  return { found, note, comparing, compareAll: () => void compareAll() };
}
