/** One receipt of the chain: its hash, and below it the hash it names, which is the one of the next row. */
import { Link } from 'wouter';
import { StatusIcon } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { LANE_LABEL } from '../../format/vocabulary.ts';
import { type Link as ChainLink, linkOf, type Slot } from './chain.ts';
import { type Line, lineOf, type Node, Rail } from './rail.tsx';
import { asFound, has, KIND, type Violation } from './wording.ts';
import './chain.css';

type Found = readonly Violation[];

interface ChainRowProps {
  org_seq: number;
  receipt: Slot;
  /** The rows it is linked with; null above the newest. */
  above: Slot;
  below: Slot;
  /** What a verification found at this row, and at the two it is linked with. */
  found?: Found | undefined;
  foundAbove?: Found | undefined;
  foundBelow?: Found | undefined;
}

/** What stands in one row, for a list item of the height of a row. */
export function ChainRow({ org_seq, receipt, found = [], ...rows }: ChainRowProps) {
  const { foundAbove = [], foundBelow = [] } = rows;
  const here = asFound(receipt, found);
  const link = linkOf(here, asFound(rows.below, foundBelow));
  return (
    <>
      <Rail
        node={nodeOf(receipt, found)}
        above={rows.above === null ? 'none' : drawn(linkOf(asFound(rows.above, foundAbove), here), foundAbove, found)}
        below={receipt === null ? 'none' : drawn(link, found, foundBelow)}
      />
      <span className="chain-number">#{org_seq}</span>
      <Hashes receipt={here} link={link} altered={here !== receipt} />
      <Words
        org_seq={org_seq}
        receipt={receipt}
        wrong={wrongs(receipt, has(foundBelow, 'payload_altered') ? 'unknown' : link, found)}
      />
      {receipt && (
        <span className="chain-when">
          <Timestamp at={receipt.created_at} />
        </span>
      )}
    </>
  );
}

function Hashes({ receipt, link, altered }: { receipt: Slot; link: ChainLink; altered: boolean }) {
  if (receipt === undefined) return <span className="chain-hashes loading" />;
  if (receipt === null) return <span className="chain-hashes none">none</span>;
  const torn = link === 'broken' || link === 'lost';
  return (
    <span className="chain-hashes">
      <code className={altered ? 'torn' : undefined}>{receipt.receipt_sha256.slice(0, 10)}</code>
      {link === 'first' ? (
        <small>first of the chain</small>
      ) : (
        <code className={torn ? 'parent torn' : 'parent'}>
          <span aria-hidden="true">{torn ? '≠' : '↓'}</span>
          <span className="visually-hidden">{torn ? 'names, but the receipt below is not, ' : 'names '}</span>
          {receipt.parent_hash.slice(0, 10)}
        </code>
      )}
    </span>
  );
}

function Words({ org_seq, receipt, wrong }: { org_seq: number; receipt: Slot; wrong: string[] }) {
  if (receipt === undefined) return <span className="chain-words loading" />;
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
          <StatusIcon name="cross" tone="bad" />
          {wrong.join(', ')}
        </small>
      ) : (
        receipt && <small>{LANE_LABEL[receipt.lane]}</small>
      )}
    </span>
  );
}

/** What the last verification said of it, else what the rows themselves show. */
function wrongs(receipt: Slot, link: ChainLink, found: Found): string[] {
  if (found.length > 0) return [...new Set(found.map(({ kind }) => KIND[kind].title))];
  if (link === 'broken') return [KIND.broken_parent_link.title];
  if (link === 'lost') return ['The receipt it names is not there'];
  return receipt === null ? ['Missing'] : [];
}

function nodeOf(receipt: Slot, found: Found): Node {
  if (receipt === null) return 'missing';
  if (has(found, 'payload_altered')) return 'altered';
  return has(found, 'record_mismatch', 'head_mismatch') ? 'doubted' : 'plain';
}

/** A link that the rows show whole may be broken in what is sealed: at its beginning, or because its end is no longer there. */
function drawn(link: ChainLink, found: Found, foundBelow: Found): Line {
  const broken = has(found, 'broken_parent_link', 'sequence_gap') || has(foundBelow, 'payload_altered');
  return broken && link !== 'first' ? 'broken' : lineOf(link);
}
