/**
 * Time stamps (RFC 3161): what an authority is asked, and what it answered. Who signed an answer is not looked at: that takes certificates, and is the
 * reader's to judge (docs/spec.md §36). What is read here comes from outside.
 */
import {
  Boolean as Asn1Boolean,
  type AsnType,
  Constructed,
  fromBER,
  GeneralizedTime,
  Integer,
  Null,
  ObjectIdentifier,
  OctetString,
  Sequence,
} from 'asn1js';

const SHA256 = '2.16.840.1.101.3.4.2.1';
const SIGNED_DATA = '1.2.840.113549.1.7.2';
const TST_INFO = '1.2.840.113549.1.9.16.1.4';
/** granted, grantedWithMods (RFC 3161, section 2.4.2). */
const GRANTED = new Set(['0', '1']);

/** A token with its chain of certificates has less. */
export const LARGEST_ANSWER = 65_536;
const LIMITS = { maxDepth: 32, maxNodes: 4_000, maxContentLength: LARGEST_ANSWER, parseEmbedded: false };

/** Why an answer is not a time stamp of what was asked. */
export class NotATimestamp extends Error {}

export interface TimestampQuestion {
  /** SHA-256 of what is stamped, 32 bytes. */
  digest: Uint8Array;
  /** At least 8 random bytes. */
  nonce: Uint8Array;
}

/** A TimeStampReq, DER: the answer shall hold the authority's certificate. */
export function timestampRequest({ digest, nonce }: TimestampQuestion): Uint8Array {
  const algorithm = new Sequence({ value: [new ObjectIdentifier({ value: SHA256 }), new Null()] });
  const imprint = new Sequence({ value: [algorithm, new OctetString({ valueHex: copied(digest) })] });
  const request = [new Integer({ value: 1 }), imprint, integerOf(nonce), new Asn1Boolean({ value: true })];
  return new Uint8Array(new Sequence({ value: request }).toBER());
}

/**
 * When this TimeStampResp says that the digest existed: an instant. Throws `NotATimestamp` where it is not granted, malformed, of another digest,
 * or answers another request.
 */
export function timestampedAt(answer: Uint8Array, { digest, nonce }: TimestampQuestion): string {
  const [status, token] = partsOf(read(answer));
  const [code, ...reasons] = partsOf(status);
  if (!GRANTED.has(numberIn(code))) throw new NotATimestamp(`not granted: status ${numberIn(code)}${wordsIn(reasons)}`);
  if (token === undefined) throw new NotATimestamp('it holds no token');
  const info = partsOf(read(signedInfoOf(token)));
  const [version, , imprint, , time] = info;
  if (numberIn(version) !== '1') throw new NotATimestamp('its version is not 1');
  const [algorithm, hashed] = partsOf(imprint);
  if (oidIn(partsOf(algorithm)[0]) !== SHA256 || !same(bytesIn(hashed), digest))
    throw new NotATimestamp('it is of another digest');
  // What follows the time are an accuracy (SEQUENCE), an ordering (BOOLEAN), the nonce (INTEGER), a name and extensions.
  const nonces = info.slice(5).filter((part) => part instanceof Integer);
  if (nonces.length !== 1 || !same(contentOf(nonces[0]!), contentOf(integerOf(nonce))))
    throw new NotATimestamp('its nonce is another');
  return instantIn(time);
}

/** The TSTInfo inside a token: ContentInfo → SignedData → EncapsulatedContentInfo → OCTET STRING. */
function signedInfoOf(token: AsnType): Uint8Array {
  const [type, content] = partsOf(token);
  if (oidIn(type) !== SIGNED_DATA) throw new NotATimestamp('its token is no signed data');
  const [, , encapsulated] = partsOf(partsOf(content)[0]);
  const [inner, explicit] = partsOf(encapsulated);
  if (oidIn(inner) !== TST_INFO) throw new NotATimestamp('its token holds no time stamp');
  return bytesIn(partsOf(explicit)[0]);
}

function read(bytes: Uint8Array): AsnType {
  if (bytes.length > LARGEST_ANSWER) throw new NotATimestamp('it is too long');
  let parsed: { offset: number; result: AsnType };
  try {
    parsed = fromBER(copied(bytes), LIMITS);
  } catch (error) {
    throw new NotATimestamp(`it cannot be read: ${(error as Error).message}`);
  }
  if (parsed.offset !== bytes.length) throw new NotATimestamp('it cannot be read to its end');
  return parsed.result;
}

function partsOf(block: AsnType | undefined): AsnType[] {
  if (block instanceof Constructed || block instanceof Sequence) return block.valueBlock.value as AsnType[];
  throw new NotATimestamp('a part of it is missing');
}

function numberIn(block: AsnType | undefined): string {
  if (block instanceof Integer) return block.toBigInt().toString();
  throw new NotATimestamp('a number is missing');
}

function oidIn(block: AsnType | undefined): string {
  return block instanceof ObjectIdentifier ? block.getValue() : '';
}

function bytesIn(block: AsnType | undefined): Uint8Array {
  if (block instanceof OctetString) return new Uint8Array(block.getValue());
  throw new NotATimestamp('bytes are missing');
}

/** What the authority says to people of its refusal, for the log. */
function wordsIn([strings]: AsnType[]): string {
  if (!(strings instanceof Sequence)) return '';
  const words = (strings.valueBlock.value as AsnType[]).map((one) =>
    String((one.valueBlock as { value?: unknown }).value),
  );
  return `: ${words.join(' ').slice(0, 200)}`;
}

/** `20260529201433.5Z` → `2026-05-29T20:14:33.500Z`. */
function instantIn(block: AsnType | undefined): string {
  const text = block instanceof GeneralizedTime ? new TextDecoder().decode(contentOf(block)) : '';
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d{1,9}))?Z$/.exec(text);
  if (parts === null) throw new NotATimestamp('its time is none');
  const [, year, month, day, hours, minutes, seconds, fraction = ''] = parts;
  const said = `${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
  const time = new Date(said);
  if (Number.isNaN(time.getTime()) || time.toISOString() !== said) throw new NotATimestamp('its time is none');
  return said;
}

/** A positive INTEGER of these bytes. */
function integerOf(bytes: Uint8Array): Integer {
  return Integer.fromBigInt(BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
}

function contentOf(block: Integer | GeneralizedTime): Uint8Array {
  return new Uint8Array(block.valueBlock.valueHexView ?? []);
}

function same(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.from(one).equals(other);
}

function copied(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}
