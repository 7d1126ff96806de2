/**
 * Keeps values up to a number of bytes in all. When it is full, the organization that holds the most bytes loses the value that
 * it used longest ago.
 */
export interface Memory<Value> {
  get(organization_id: string, key: string): Value | undefined;
  /** Nothing larger than a quarter of the memory is kept. */
  put(organization_id: string, key: string, value: Value, bytes: number): void;
}

interface Shelf<Value> {
  bytes: number;
  /** In the order of their last use. */
  entries: Map<string, { value: Value; bytes: number }>;
}

export function createMemory<Value>(limit: number): Memory<Value> {
  const shelves = new Map<string, Shelf<Value>>();
  let held = 0;

  function take(organization_id: string, key: string): { value: Value; bytes: number } | undefined {
    const shelf = shelves.get(organization_id);
    const entry = shelf?.entries.get(key);
    if (shelf === undefined || entry === undefined) return undefined;
    shelf.entries.delete(key);
    shelf.bytes -= entry.bytes;
    held -= entry.bytes;
    if (shelf.entries.size === 0) shelves.delete(organization_id);
    return entry;
  }

  function add(organization_id: string, key: string, entry: { value: Value; bytes: number }): void {
    const shelf = shelves.get(organization_id) ?? { bytes: 0, entries: new Map() };
    shelves.set(organization_id, shelf);
    shelf.entries.set(key, entry);
    shelf.bytes += entry.bytes;
    held += entry.bytes;
  }

  function forgetOne(): void {
    const [organization_id, { entries }] = [...shelves].reduce((most, next) =>
      next[1].bytes > most[1].bytes ? next : most,
    );
    take(organization_id, entries.keys().next().value!);
  }

  return {
    get(organization_id, key) {
      const entry = take(organization_id, key);
      if (entry !== undefined) add(organization_id, key, entry);
      return entry?.value;
    },
    put(organization_id, key, value, bytes) {
      if (bytes > limit / 4) return;
      take(organization_id, key);
      add(organization_id, key, { value, bytes });
      while (held > limit) forgetOne();
    },
  };
}
