/**
 * One call to a witness (C2SP tlog-witness, add-checkpoint). The address is an owner's word: no redirect is followed, no more is read than a
 * witness sends, and where only public addresses may be called, that is checked of the address that is connected to.
 */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { ProofError } from '@rcpt/proof/error.ts';
import { toBase64 } from '@rcpt/proof/log/bytes.ts';
import { verifyCosignatures } from '@rcpt/proof/log/checkpoint.ts';
import { formatSignature, parseNote } from '@rcpt/proof/log/signed-note.ts';
import { isOfKey, type VerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { isLiteralNotPublic, lookUpPublic, NotPublic } from '@rcpt/service/http/public-address.ts';

export interface Submission {
  url: string;
  key: VerifierKey;
  /** The size up to which we believe that the witness has cosigned, and the proof from there. */
  old_size: number;
  proof: readonly Uint8Array[];
  checkpoint: string;
}

export type Reply =
  /** `line` is the cosignature, verified; `time` is when the witness says it signed, in whole seconds since 1970. */
  | { kind: 'cosigned'; line: string; time: number }
  /** 409: it has cosigned up to this size. */
  | { kind: 'knows'; size: number }
  /** 422: what we showed does not continue what it has cosigned. */
  | { kind: 'contradicted'; said: string }
  /** It answers, but will not cosign this log, or is no witness. */
  | { kind: 'refused'; said: string; status?: number }
  | { kind: 'unreachable'; said: string; status?: number };

const CALL_MS = 10_000;
const MOST_CLOCKS_DIFFER_S = 86_400;
const MOST_BYTES = 65_536;

/** Never throws. */
export async function submitToWitness(
  submission: Submission,
  { only_public, signal }: { only_public: boolean; signal: AbortSignal },
): Promise<Reply> {
  let answer: Answer;
  try {
    const late = AbortSignal.timeout(CALL_MS);
    answer = await post(submission, only_public, AbortSignal.any([signal, late]));
  } catch (error) {
    return { kind: 'unreachable', said: whyUnreachable(error as Error) };
  }
  const { status, text } = answer;
  if (status === 200) return cosignatureIn(submission, text);
  if (status === 409) return sizeIn(text);
  if (status === 422) return { kind: 'contradicted', said: excerpt(text) };
  const said = `it answered ${status}${text.trim() === '' ? '' : `: ${excerpt(text)}`}`;
  return { kind: status >= 500 || status === 429 ? 'unreachable' : 'refused', said, status };
}

async function cosignatureIn({ key, checkpoint }: Submission, text: string): Promise<Reply> {
  try {
    const note = parseNote(checkpoint + text);
    const [cosigned] = await verifyCosignatures(note, [key]);
    const line = note.signatures.find((signature) => isOfKey(signature, key));
    if (cosigned === undefined || line === undefined)
      return { kind: 'refused', said: 'its answer holds no cosignature of the key that was given for it' };
    if (Math.abs(cosigned.time - Date.now() / 1000) > MOST_CLOCKS_DIFFER_S)
      return { kind: 'refused', said: 'its clock and ours differ by more than a day' };
    return { kind: 'cosigned', line: formatSignature(line), time: cosigned.time };
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    return { kind: 'refused', said: `its cosignature does not hold: ${error.reason}` };
  }
}

function sizeIn(text: string): Reply {
  const digits = /^(0|[1-9]\d{0,15})\n$/.exec(text)?.[1];
  if (digits === undefined || !Number.isSafeInteger(Number(digits)))
    return { kind: 'refused', said: 'it answered 409 without the size it knows' };
  return { kind: 'knows', size: Number(digits) };
}

interface Answer {
  status: number;
  text: string;
}

async function post(
  { url, old_size, proof, checkpoint }: Submission,
  only_public: boolean,
  signal: AbortSignal,
): Promise<Answer> {
  const body = `${[`old ${old_size}`, ...proof.map(toBase64)].join('\n')}\n\n${checkpoint}`;
  const address = new URL(`${url}/add-checkpoint`);
  if (only_public && isLiteralNotPublic(address)) throw new NotPublic(`${address.hostname} is no public address`);
  const request = address.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      signal,
      agent: false as const,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(body) },
      ...(only_public ? { lookup: lookUpPublic } : {}),
    };
    const call = request(address, options, async (response) => {
      try {
        const chunks: Buffer[] = [];
        let bytes = 0;
        for await (const chunk of response as AsyncIterable<Buffer>) {
          bytes += chunk.length;
          if (bytes > MOST_BYTES) throw new Error(`its answer is longer than ${MOST_BYTES} bytes`);
          chunks.push(chunk);
        }
        resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString('utf8') });
      } catch (error) {
        reject(error);
      } finally {
        call.destroy();
      }
    });
    call.on('error', reject);
    call.end(body);
  });
}

function whyUnreachable(error: Error & { code?: string }): string {
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return `no answer within ${CALL_MS / 1000} seconds`;
  // Several addresses were tried, none of which was there.
  if (error instanceof AggregateError && error.errors.length > 0) return excerpt((error.errors[0] as Error).message);
  return excerpt(error.message || error.code || 'the connection failed');
}

/** What a stranger wrote, on one line, for a person. */
function excerpt(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
