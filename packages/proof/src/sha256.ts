/** SHA-256 (FIPS 180-4): the platform's where there is a synchronous one, else the one below. */

const native = globalThis.process?.getBuiltinModule?.('node:crypto');

/** Lower-case hex of SHA-256 over the bytes, or over the UTF-8 of a string. The string must be well-formed. */
export const sha256Hex: (data: string | Uint8Array) => string = native
  ? (data) => native.hash('sha256', data)
  : sha256HexPortable;

const root = (n: number, power: number) => {
  const fraction = n ** power % 1;
  return (fraction * 2 ** 32) | 0;
};

const primes: number[] = [];
for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p !== 0)) primes.push(n);
const ROUND = Int32Array.from(primes, (p) => root(p, 1 / 3));
const START = Int32Array.from(primes.slice(0, 8), (p) => root(p, 1 / 2));
const schedule = new Int32Array(64);

/** The same in plain TypeScript, for a browser: WebCrypto hashes only asynchronously. */
export function sha256HexPortable(data: string | Uint8Array): string {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  const whole = bytes.length & ~63;
  const state = Int32Array.from(START);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < whole; at += 64) compress(state, view, at);

  const rest = bytes.length - whole;
  const tail = new DataView(new ArrayBuffer(rest < 56 ? 64 : 128));
  for (let i = 0; i < rest; i++) tail.setUint8(i, bytes[whole + i]!);
  tail.setUint8(rest, 0x80);
  tail.setBigUint64(tail.byteLength - 8, BigInt(bytes.length) * 8n);
  for (let at = 0; at < tail.byteLength; at += 64) compress(state, tail, at);

  let hex = '';
  for (const word of state) hex += (word >>> 0).toString(16).padStart(8, '0');
  return hex;
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
