/** What `proof` looks for before it does by itself what Node can do faster. In a browser it finds nothing. */
declare var process:
  | {
      getBuiltinModule?: ((name: 'node:crypto') => { hash(algorithm: string, data: string | Uint8Array): string }) &
        ((name: 'node:buffer') => { isUtf8(bytes: Uint8Array): boolean });
    }
  | undefined;
