/** SHA-256 (FIPS 180-4): the platform's where there is a synchronous one, else the one below. */

const native = globalThis.process?.getBuiltinModule?.('node:crypto');

/** Lower-case hex of SHA-256 over the bytes, or over the UTF-8 of a string. The string must be well-formed. */
export const sha256Hex: (data: string | Uint8Array) => string = native
  ? (data) => native.hash('sha256', data)
  : sha256HexPortable;

/** SHA-256 over the bytes, as 32 bytes. */
export const sha256Bytes: (data: Uint8Array) => Uint8Array = native
  ? (data) => asArray(native.hash('sha256', data, 'buffer'))
  : (data) => fromHex(sha256HexPortable(data));

/** Without what a Buffer adds. */
function asArray({ buffer, byteOffset, length }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, length);
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16));
}

const root = (n: number, power: number) => {
  const fraction = n ** power % 1;
  return (fraction * 2 ** 32) | 0;
};

const primes: number[] = [];
for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p !== 0)) primes.push(n);
const ROUND = Int32Array.from(primes, (p) => root(p, 1 / 3));
const START = Int32Array.from(primes.slice(0, 8), (p) => root(p, 1 / 2));
const schedule = new Int32Array(64);

/** SHA-256 over bytes that come in parts. */
export interface Sha256 {
  update(bytes: Uint8Array): void;
  /** Another one of the same state; the two go on by themselves. */
  copy(): Sha256;
  /** Lower-case hex. Nothing may be added afterwards. */
  hex(): string;
}

export const startSha256: () => Sha256 = native
  ? () => ofPlatform(native.createHash('sha256'))
  : () => new PortableSha256();

interface PlatformHash {
  update(bytes: Uint8Array): unknown;
  copy(): PlatformHash;
  digest(encoding: 'hex'): string;
}

function ofPlatform(hash: PlatformHash): Sha256 {
  return {
    update: (bytes) => void hash.update(bytes),
    copy: () => ofPlatform(hash.copy()),
    hex: () => hash.digest('hex'),
  };
}

/** The same in plain TypeScript, for a browser: WebCrypto hashes only asynchronously. */
export function sha256HexPortable(data: string | Uint8Array): string {
  const hash = new PortableSha256();
  hash.update(typeof data === 'string' ? new TextEncoder().encode(data) : data);
  return hash.hex();
}

/** And for bytes in parts: WebCrypto takes only the whole. */
export class PortableSha256 implements Sha256 {
  readonly #state: Int32Array;
  /** What was not yet a whole block. */
  readonly #rest = new Uint8Array(64);
  readonly #restView = new DataView(this.#rest.buffer);
  #bytes: number;

  constructor(from?: { state: Int32Array; rest: Uint8Array; bytes: number }) {
    this.#state = Int32Array.from(from?.state ?? START);
    this.#bytes = from?.bytes ?? 0;
    if (from) this.#rest.set(from.rest);
  }

  update(bytes: Uint8Array): void {
    const held = this.#bytes % 64;
    this.#bytes += bytes.length;
    let at = 0;
    if (held > 0) {
      at = Math.min(64 - held, bytes.length);
      this.#rest.set(bytes.subarray(0, at), held);
      if (held + at < 64) return;
      compress(this.#state, this.#restView, 0);
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (; at + 64 <= bytes.length; at += 64) compress(this.#state, view, at);
    this.#rest.set(bytes.subarray(at));
  }

  copy(): PortableSha256 {
    return new PortableSha256({ state: this.#state, rest: this.#rest, bytes: this.#bytes });
  }

  hex(): string {
    const rest = this.#bytes % 64;
    const tail = new DataView(new ArrayBuffer(rest < 56 ? 64 : 128));
    new Uint8Array(tail.buffer).set(this.#rest.subarray(0, rest));
    tail.setUint8(rest, 0x80);
    tail.setBigUint64(tail.byteLength - 8, BigInt(this.#bytes) * 8n);
    for (let at = 0; at < tail.byteLength; at += 64) compress(this.#state, tail, at);
    let hex = '';
    for (const word of this.#state) hex += (word >>> 0).toString(16).padStart(8, '0');
    return hex;
  }
}

/** One 64-byte block into the state. */
function compress(state: Int32Array, view: DataView, at: number): void {
  const w = schedule;
  for (let t = 0; t < 16; t++) w[t] = view.getInt32(at + 4 * t);
  for (let t = 16; t < 64; t++) {
    const x = w[t - 15]!;
    const y = w[t - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[t] = (w[t - 16]! + s0 + w[t - 7]! + s1) | 0;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let t = 0; t < 64; t++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND[t]! + w[t]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = state[0]! + a;
  state[1] = state[1]! + b;
  state[2] = state[2]! + c;
  state[3] = state[3]! + d;
  state[4] = state[4]! + e;
  state[5] = state[5]! + f;
  state[6] = state[6]! + g;
  state[7] = state[7]! + h;
}
