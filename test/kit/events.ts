/** A reader of server-sent events for tests: what came, in order and when. */
export interface SeenEvent {
  event: string;
  id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what it reads
  data: any;
  /** `performance.now()` */
  at: number;
}

export interface EventReader {
  status: number;
  headers: Headers;
  events: SeenEvent[];
  /** Resolves when the service has ended the stream; false when it was broken off. */
  ended: Promise<boolean>;
  stop(): void;
}

export async function readEvents(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
  const stop = new AbortController();
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    redirect: 'manual',
    signal: stop.signal,
  });
  const events: SeenEvent[] = [];
  const ended = read(response, events).then(
    () => true,
    () => false,
  );
  return { status: response.status, headers: response.headers, events, ended, stop: () => stop.abort() };
}

async function read({ body }: Response, events: SeenEvent[]): Promise<void> {
  let text = '';
  for await (const part of body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + part).split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => /^(\w*): ?(.*)$/s.exec(line)?.slice(1) as [string, string]),
      );
      const data = fields.get('data');
      if (data === undefined) continue;
      events.push({
        event: fields.get('event') ?? 'message',
        id: fields.get('id'),
        data: JSON.parse(data),
        at: performance.now(),
      });
    }
  }
}
