/** What breaks the chain, each in words and drawn where it breaks. */
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { count } from '../../format/numbers.ts';
import { blockOf, type Slot } from './chain.ts';
import { ChainRow } from './chain-row.tsx';
import { Finding, ViolationTitle } from './finding.tsx';
import { blockQuery } from './queries.ts';
import { KIND, type Violation, violationsBySeq } from './wording.ts';

const SHOWN_AT_FIRST = 3;

interface ViolationsProps {
  violations: readonly Violation[];
  last: number;
  onShow: (org_seq: number) => void;
}

export function Violations({ violations, last, onShow }: ViolationsProps) {
  const [all, setAll] = useState(false);
  if (violations.length === 0) return null;
  const bySeq = violationsBySeq(violations);
  const hidden = violations.length - SHOWN_AT_FIRST;
  return (
    <>
      <ol className="violations">
        {violations.slice(0, all ? undefined : SHOWN_AT_FIRST).map((violation, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one receipt may be pinned twice
          <li key={place}>
            <One violation={violation} all={bySeq} last={last} onShow={onShow} />
          </li>
        ))}
      </ol>
      {!all && hidden > 0 && (
        <Button kind="quiet" onClick={() => setAll(true)}>
          Show {count(hidden, 'more violation')}
        </Button>
      )}
    </>
  );
}

interface OneProps extends Omit<ViolationsProps, 'violations'> {
  violation: Violation;
  all: ReadonlyMap<number, readonly Violation[]>;
}

function One({ violation, all, last, onShow }: OneProps) {
  const { kind, org_seq } = violation;
  return (
    <article className="violation">
      <header>
        <ViolationTitle violation={violation} />
        {org_seq !== null && (
          <Button small icon="down" onClick={() => onShow(org_seq)}>
            Show in the chain
          </Button>
        )}
      </header>
      <p>{KIND[kind].means}</p>
      <div className="violation-body">
        {org_seq !== null && <Piece org_seq={org_seq} last={last} all={all} />}
        <Finding violation={violation} of="Receipt" />
      </div>
    </article>
  );
}

/** The receipt with the ones before and after it, and the break between them. */
function Piece({ org_seq, last, all }: { org_seq: number } & Pick<OneProps, 'last' | 'all'>) {
  const highest = Math.min(last, org_seq + 1);
  const seqs = [org_seq + 1, org_seq, org_seq - 1].filter((seq) => seq >= 0 && seq <= highest);
  const blocks = [...new Set([...seqs, Math.max(0, org_seq - 2)].map(blockOf))];
  const loaded = useQueries({ queries: blocks.map(blockQuery) });
  const slotAt = (seq: number): Slot => {
    if (seq < 0 || seq > last) return null;
    const block = loaded[blocks.indexOf(blockOf(seq))]?.data;
    return block === undefined ? undefined : (block.get(seq) ?? null);
  };
  return (
    <ol className="chain-piece" aria-label="Around the break">
      {seqs.map((seq) => (
        <li key={seq} className="chain-row" data-wrong={seq === org_seq || undefined}>
          <ChainRow
            org_seq={seq}
            receipt={slotAt(seq)}
            above={slotAt(seq + 1)}
            below={slotAt(seq - 1)}
            found={all.get(seq)}
            foundAbove={all.get(seq + 1)}
            foundBelow={all.get(seq - 1)}
          />
        </li>
      ))}
    </ol>
  );
}
