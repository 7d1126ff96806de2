/** Artifact keys: names joined by slashes, made of a job's id and of what the job called its files. */

/** Refused for good: no other attempt would be taken. */
export class StoreRefused extends Error {}

/** Its names. Throws `StoreRefused` for a key that would lead out of the store, or to a folder of it. */
export function namesIn(key: string): string[] {
  const names = key.split('/');
  if (names.some((name) => ['', '.', '..'].includes(name) || name.includes('\0')))
    throw new StoreRefused(`not the key of an artifact: ${JSON.stringify(key)}`);
  return names;
}
