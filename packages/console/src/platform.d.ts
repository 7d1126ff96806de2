/** What `proof` looks for before it does by itself what Node can do faster. In a browser it finds nothing. */
declare var process:
  | {
      getBuiltinModule?: ((name: 'node:crypto') => PlatformCrypto) &
        ((name: 'node:buffer') => { isUtf8(bytes: Uint8Array): boolean });
    }
  | undefined;

interface PlatformCrypto {
  hash(algorithm: string, data: string | Uint8Array): string;
  hash(algorithm: string, data: Uint8Array, output: 'buffer'): Uint8Array;
  createHash(algorithm: string): PlatformHash;
}

interface PlatformHash {
  update(bytes: Uint8Array): unknown;
  copy(): PlatformHash;
  digest(encoding: 'hex'): string;
}
