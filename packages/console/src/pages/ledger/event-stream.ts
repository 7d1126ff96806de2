/** `text/event-stream` read with fetch, which unlike EventSource can be stopped, sees refusals, and never asks twice. */
import { ask, chunksOf, UnreachableError } from '@rcpt/contract/client/call.ts';
import { OWN } from '../../api/clients.ts';

export interface StreamEvent {
  event: string;
  data: string;
}

/** Ends when the answer does. Throws what `ask` throws, and the signal's reason when it was stopped. */
export async function* eventsFrom(path: string, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const { body } = await ask(OWN, path, { accept: 'text/event-stream', cache: 'no-store', signal });
  const lines = new EventLines();
  const decoder = new TextDecoder();
  try {
    for await (const chunk of chunksOf(body)) yield* lines.push(decoder.decode(chunk, { stream: true }));
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof TypeError ? new UnreachableError(error.message) : error;
  }
}

/** Events out of text that arrives in pieces (HTML Living Standard, 9.2.6); ids and retry times are not looked at. */
export class EventLines {
  #rest = '';
  #event = '';
  #data: string[] = [];

  push(text: string): StreamEvent[] {
    const events: StreamEvent[] = [];
    const whole = this.#rest + text;
    // A carriage return at the very end may be half of a line's end.
    const held = whole.endsWith('\r') ? 1 : 0;
    const lines = whole.slice(0, whole.length - held).split(/\r\n|\n|\r/);
    this.#rest = lines.pop()! + whole.slice(whole.length - held);
    for (const line of lines)
      if (line === '') this.#end(events);
      else this.#take(line);
    return events;
  }

  #take(line: string): void {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
    if (name === 'event') this.#event = value;
    if (name === 'data') this.#data.push(value);
  }

  #end(events: StreamEvent[]): void {
    if (this.#data.length > 0) events.push({ event: this.#event || 'message', data: this.#data.join('\n') });
    this.#event = '';
    this.#data = [];
  }
}
