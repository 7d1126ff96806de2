/** Tiles of a log (C2SP tlog-tiles): 256 hashes of one level, or 256 entries; partial ones at the right edge. */

export const TILE_WIDTH = 256;

/** `level` null: entries. */
export interface Tile {
  level: number | null;
  index: number;
  /** 1 to 256; 256 is a full tile. */
  width: number;
}

/** `tile/0/x001/234`, `tile/entries/005.p/17`. */
export function tilePath({ level, index, width }: Tile): string {
  return `tile/${level ?? 'entries'}/${numberPath(index)}${width === TILE_WIDTH ? '' : `.p/${width}`}`;
}

/** Null where the path, after `tile/`, is not exactly that of a tile. */
export function parseTilePath(path: string): Tile | null {
  const match = /^(entries|[0-9]|[1-5][0-9]|6[0-3])\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(path);
  if (match === null) return null;
  const [, level, digits, width] = match;
  const tile = {
    level: level === 'entries' ? null : Number(level),
    index: Number(digits!.replaceAll(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  };
  if (!Number.isSafeInteger(tile.index) || tilePath(tile) !== `tile/${path}`) return null;
  return tile;
}

/** How many hashes (or entries) a tile can hold when the tree has this size; 0 where there is none. */
export function tileWidth(size: number, level: number | null, index: number): number {
  const complete = Math.floor(size / TILE_WIDTH ** (level ?? 0));
  return Math.max(0, Math.min(TILE_WIDTH, complete - index * TILE_WIDTH));
}

/** 1234067 → `x001/x234/067`. */
function numberPath(index: number): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g)!;
  return groups.map((group, i) => (i < groups.length - 1 ? `x${group}` : group)).join('/');
}
