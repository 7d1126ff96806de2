/** What is asked of a ledger, and its answers, which are not trusted: bounded in time and size. */
import { AnswerError, ask, type ClientSettings, call, chunksOf, ProblemError } from '@rcpt/contract/client/call.ts';
import type { Head } from '@rcpt/proof/chain.ts';
import type { VerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { ChainFault, NotVerified } from './found.ts';
import type { Seen } from './seen.ts';

export interface Question {
  ledger: ClientSettings;
  /** Where the chain and its log are served: the receipts', or what administrators did. */
  root: '/ledger' | '/activity';
  seen: Seen | null;
  /** Whose signature a checkpoint has to bear; none: those that were seen first. */
  keys: readonly VerifierKey[];
  /** Whose cosignatures count for the age of a checkpoint. */
  witnesses: readonly VerifierKey[];
  /** Of a log that does not grow; null: as old as it is. */
  stale_hours: number | null;
  /** A receipt that the chain has to hold. */
  holds: Head | undefined;
  /** False: the checkpoint alone. */
  receipts: boolean;
  /** For each answer. */
  timeout_ms: number;
  /** Of this machine, in milliseconds. */
  now(): number;
}

/** A note with its cosignatures has less, and so has a proof of 53 hashes. */
const TEXT_BYTES = 1_000_000;

/** JSON; null where it is cut off. Throws `NotVerified`, and `ChainFault` where the ledger itself says that its log does not hang together. */
export async function answer(question: Question, path: string): Promise<unknown> {
  return within(question, path, async (signal) =>
    call<unknown>(question.ledger, path, { signal }).catch((error: unknown) => {
      if (error instanceof AnswerError && error.status === 200) return null;
      throw error;
    }),
  );
}

/** Text; null: 404. Throws as `answer`. */
export async function textAnswer(question: Question, path: string): Promise<string | null> {
  return within(question, path, async (signal) => {
    try {
      const { body } = await ask(question.ledger, path, { signal, accept: 'text/plain, application/json' });
      return await boundedText(body, path);
    } catch (error) {
      if (error instanceof ProblemError && error.problem.code === 'not_found') return null;
      throw error;
    }
  });
}

async function within<Answer>(
  { timeout_ms }: Question,
  path: string,
  asked: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const signal = AbortSignal.timeout(timeout_ms);
  const late = () => new NotVerified(`GET ${path}: no answer within ${timeout_ms / 1000} s`);
  const answered = await asked(signal).catch((error: Error & { cause?: Error }) => {
    if (error instanceof NotVerified) throw error;
    if (error instanceof ProblemError && error.problem.code === 'log_inconsistent')
      throw new ChainFault(`THE LEDGER CANNOT SHOW WHAT IT SIGNED: ${error.problem.detail}`);
    throw signal.aborted ? late() : new NotVerified(`GET ${path}: ${error.cause?.message || error.message}`);
  });
  // A body that comes too slowly is cut, and reads as none.
  if (signal.aborted) throw late();
  return answered;
}

async function boundedText(body: ReadableStream<Uint8Array> | null, path: string): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let [text, bytes] = ['', 0];
  for await (const chunk of chunksOf(body)) {
    bytes += chunk.byteLength;
    if (bytes > TEXT_BYTES) throw new NotVerified(`GET ${path}: the answer is longer than ${TEXT_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
