/** What `proof` looks for before it hashes by itself. In a browser it finds nothing. */
declare var process:
  | { getBuiltinModule?: (name: 'node:crypto') => { hash(algorithm: string, data: string | Uint8Array): string } }
  | undefined;
