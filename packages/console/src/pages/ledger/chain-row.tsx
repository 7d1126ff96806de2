/** One receipt of the chain: its hash, and below it the hash it names, which is the one of the next row. */
import { Link } from 'wouter';
import { Mark } from '../../parts/mark.tsx';
import { Moment } from '../../parts/moment.tsx';
import { LANE_LABEL } from '../../words/vocabulary.ts';
import { type Link as ChainLink, linkOf, type Slot } from './chain.ts';
import { KIND, type Violation } from './in-words.ts';
import { type Line, lineOf, type Node, Rail } from './rail.tsx';
import './chain.css';

export interface ChainRowProps {
  org_seq: number;
  receipt: Slot;
  /** The rows it is linked with; null above the newest. */
  above: Slot;
  below: Slot;
  violations?: readonly Violation[] | undefined;
  violationsAbove?: readonly Violation[] | undefined;
}

/** What stands in one row, for a list item of the height of a row. */
export function ChainRow({ org_seq, receipt, above, below, violations = [], violationsAbove = [] }: ChainRowProps) {
  const link = linkOf(receipt, below);
  return (
    <>
      <Rail
        node={nodeOf(receipt, violations)}
        above={above === null ? 'none' : drawn(linkOf(above, receipt), violationsAbove)}
        below={receipt === null ? 'none' : drawn(link, violations)}
      />
      <span className="chain-number">#{org_seq}</span>
      <Hashes receipt={receipt} link={link} />
      <Words org_seq={org_seq} receipt={receipt} link={link} violations={violations} />
      {receipt && (
        <span className="chain-when">
          <Moment at={receipt.created_at} />
        </span>
      )}
    </>
  );
}

function Hashes({ receipt, link }: { receipt: Slot; link: ChainLink }) {
  if (receipt === undefined) return <span className="chain-hashes loading" />;
  if (receipt === null) return <span className="chain-hashes none">none</span>;
  const torn = link === 'broken' || link === 'lost';
  return (
    <span className="chain-hashes">
      <code>{receipt.receipt_sha256.slice(0, 10)}</code>
      {link === 'first' ? (
        <small>first of the chain</small>
      ) : (
        <code className={torn ? 'parent torn' : 'parent'}>
          <span aria-hidden="true">{torn ? '≠' : '↓'}</span>
          <span className="unseen">{torn ? 'names, but the receipt below is not, ' : 'names '}</span>
          {receipt.parent_hash.slice(0, 10)}
        </code>
      )}
    </span>
  );
}

function Words({
  org_seq,
  receipt,
  link,
  violations,
}: Pick<ChainRowProps, 'org_seq' | 'receipt'> & { link: ChainLink; violations: readonly Violation[] }) {
  if (receipt === undefined) return <span className="chain-words loading" />;
  const wrong = wrongs(receipt, link, violations);
  return (
    <span className="chain-words">
      {receipt === null ? (
        <span className="chain-title">There is no receipt at this number</span>
      ) : (
        <Link href={`/receipts/${receipt.receipt_id}`} className="chain-title">
          {receipt.title || `Receipt ${org_seq}`}
        </Link>
      )}
      {wrong.length > 0 ? (
        <small className="bad chain-wrong">
          <Mark name="cross" tone="bad" />
          {wrong.join(', ')}
        </small>
      ) : (
        receipt && <small>{LANE_LABEL[receipt.lane]}</small>
      )}
    </span>
  );
}

/** What the last verification said of it, else what the rows themselves show. */
function wrongs(receipt: Slot, link: ChainLink, violations: readonly Violation[]): string[] {
  if (violations.length > 0) return [...new Set(violations.map(({ kind }) => KIND[kind].title))];
  if (link === 'broken') return [KIND.broken_parent_link.title];
  if (link === 'lost') return ['The receipt it names is not there'];
  return receipt === null ? ['Missing'] : [];
}

function nodeOf(receipt: Slot, violations: readonly Violation[]): Node {
  if (receipt === null) return 'missing';
  if (violations.some(({ kind }) => kind === 'payload_altered')) return 'altered';
  return violations.some(({ kind }) => kind === 'record_mismatch' || kind === 'head_mismatch') ? 'doubted' : 'plain';
}

/** A link that the rows show whole may be broken in what is sealed. */
function drawn(link: ChainLink, violations: readonly Violation[]): Line {
  const broken = violations.some(({ kind }) => kind === 'broken_parent_link' || kind === 'sequence_gap');
  return broken && link !== 'first' ? 'broken' : lineOf(link);
}
