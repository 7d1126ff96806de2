/** `text/event-stream` read with fetch, which unlike EventSource can be stopped, sees refusals, and never asks twice. */
import { ask, chunksOf, UnreachableError } from '@rcpt/contract/client/call.ts';
import { createParser } from 'eventsource-parser';
import { OWN } from '../../api/clients.ts';

export interface StreamEvent {
  event: string;
  data: string;
}

/** Ends when the answer does. Throws what `ask` throws, and the signal's reason when it was stopped. */
export async function* eventsFrom(path: string, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const { body } = await ask(OWN, path, { accept: 'text/event-stream', cache: 'no-store', signal });
  const parser = eventParser();
  const decoder = new TextDecoder();
  try {
    for await (const chunk of chunksOf(body)) yield* parser.push(decoder.decode(chunk, { stream: true }));
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof TypeError ? new UnreachableError(error.message) : error;
  }
}

/** Events out of text that arrives in pieces; ids and retry times are not looked at. */
export function eventParser(): { push(text: string): StreamEvent[] } {
  const events: StreamEvent[] = [];
  const parser = createParser({ onEvent: ({ event = 'message', data }) => events.push({ event, data }) });
  return {
    push(text) {
      parser.feed(text);
      return events.splice(0);
    },
  };
}
