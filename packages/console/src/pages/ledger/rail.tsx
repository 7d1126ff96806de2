/** The chain drawn at the left of its rows: a node per receipt, a link down to the one it names. */
import type { Link } from './chain.ts';

export type Node = 'plain' | 'altered' | 'missing' | 'doubted';

/** How a link is drawn: `open` leads to a row that is not loaded, `none` to nothing. */
export type Line = 'holds' | 'broken' | 'open' | 'none';

export function lineOf(link: Link): Line {
  if (link === 'first') return 'none';
  if (link === 'unknown') return 'open';
  return link === 'holds' ? 'holds' : 'broken';
}

/** `above`: the link that comes from the row above; `below`: this receipt's own. */
export function Rail({ node, above, below }: { node: Node; above: Line; below: Line }) {
  return (
    <svg className="rail" viewBox="0 0 24 56" aria-hidden="true">
      {above !== 'none' && <path className={`line ${above}`} d="M12 0V11" />}
      {above !== 'none' && <path className={`tip ${above}`} d="M9.2 8.2L12 11.2L14.8 8.2" />}
      {below !== 'none' && below !== 'broken' && <path className={`line ${below}`} d="M12 25V56" />}
      {below === 'broken' && (
        <>
          <path className="line broken" d="M12 25V31" />
          <path className="cut broken" d="M8 35.5L16 43.5M16 35.5L8 43.5" />
          <path className="line broken" d="M12 48V56" />
        </>
      )}
      <Dot node={node} />
    </svg>
  );
}

function Dot({ node }: { node: Node }) {
  if (node === 'altered')
    return (
      <>
        <path className="node altered" d="M9.5 12.9H14.5L18 16.4V21.6L14.5 25.1H9.5L6 21.6V16.4Z" />
        <path className="node-mark" d="M9.6 16.6L14.4 21.4M14.4 16.6L9.6 21.4" />
      </>
    );
  return <circle className={`node ${node}`} cx="12" cy="19" r={node === 'plain' ? 4 : 5} />;
}
