/**
 * Keeps values up to a number of bytes in all. When it is full, the organization that holds the most bytes loses the value that
 * it used longest ago.
 */
import { LRUCache } from 'lru-cache';

export interface FairCache<Value> {
  get(organization_id: string, key: string): Value | undefined;
  /** Nothing larger than a quarter of the memory is kept. */
  put(organization_id: string, key: string, value: Value, bytes: number): void;
  /** All of one organization's. */
  forget(organization_id: string): void;
}

export function createFairCache<Value extends NonNullable<unknown>>(limit: number): FairCache<Value> {
  const shares = new Map<string, LRUCache<string, Value>>();

  function forgetOne(): void {
    const [organization_id, share] = [...shares].reduce((most, next) =>
      next[1].calculatedSize > most[1].calculatedSize ? next : most,
    );
    share.pop();
    if (share.size === 0) shares.delete(organization_id);
  }

  return {
    forget: (organization_id) => void shares.delete(organization_id),
    get: (organization_id, key) => shares.get(organization_id)?.get(key),
    put(organization_id, key, value, bytes) {
      if (bytes > limit / 4) return;
      const share = shares.get(organization_id) ?? new LRUCache<string, Value>({ maxSize: limit });
      shares.set(organization_id, share.set(key, value, { size: bytes }));
      while (shares.values().reduce((sum, { calculatedSize }) => sum + calculatedSize, 0) > limit) forgetOne();
    },
  };
}
