/** `./rcpt witness` as a process. */
import { type Ended, type Rcpt, startRcpt } from '../../../../test/kit/process.ts';

export interface RunningWitness {
  url: string;
  vkey: string;
  process: Rcpt;
}

/** Rejects with what it said on stderr where it does not start. */
export async function startWitness(data: string, logs: string[], ...more: string[]): Promise<RunningWitness> {
  const process = startRcpt([...wordsOf(data, logs), ...more]);
  const { url } = JSON.parse(await process.line('"listening"'));
  return { url, vkey: await process.printed(), process };
}

/** Resolves with how it ended, and what it said. */
export function refusedStart(data: string, logs: string[], ...more: string[]): Promise<Ended> {
  return startRcpt([...wordsOf(data, logs), ...more]).ended;
}

function wordsOf(data: string, logs: string[]): string[] {
  return ['witness', '--data', data, '--listen', '127.0.0.1:0', ...logs.flatMap((vkey) => ['--log', vkey])];
}

export async function submit(
  url: string,
  body: string | Uint8Array,
): Promise<{ status: number; text: string; type: string | null }> {
  const answer = await fetch(`${url}/add-checkpoint`, { method: 'POST', body: new Uint8Array(Buffer.from(body)) });
  return { status: answer.status, text: await answer.text(), type: answer.headers.get('content-type') };
}
