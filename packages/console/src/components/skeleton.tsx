/** Grey shapes of the size of what is loading. They appear only when loading takes long enough to be noticed. */
import './skeleton.css';

export function Skeleton({ width = '100%', height = '1rem' }: { width?: string; height?: string }) {
  return <span className="skeleton" style={{ width, height }} />;
}

/** Rows of a table or a list; `height` is one row's. */
export function SkeletonRows({ rows = 8, height = '2.6rem' }: { rows?: number; height?: string }) {
  return (
    <div className="skeleton-rows">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows of a skeleton are nothing but their place
        <div key={row} style={{ height }}>
          <Skeleton width={`${38 + ((row * 23) % 34)}%`} height="0.8rem" />
          <Skeleton width="4.5rem" height="0.8rem" />
        </div>
      ))}
    </div>
  );
}

/** A list of two-line rows on its panel. */
export function PanelSkeleton({ rows }: { rows: number }) {
  return (
    <div className="panel flush">
      <SkeletonRows rows={rows} height="3.6rem" />
    </div>
  );
}
