/** `listen` of PostgreSQL. */
import { Client, escapeIdentifier } from 'pg';

const LISTEN_AGAIN_MS = 1_000;

/** A connection of its own, taken up again when it is lost; what was said meanwhile is not heard. */
export async function listenOn(
  url: string,
  channel: string,
  onMessage: (payload: string) => void,
): Promise<() => Promise<void>> {
  let stopped = false;
  let client: Client | null = null;
  let again: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const fresh = new Client({ connectionString: url, keepAlive: true });
    fresh.on('notification', ({ payload }) => onMessage(payload ?? ''));
    fresh.on('error', () => undefined);
    fresh.on('end', listenAgain);
    await fresh.connect();
    await fresh.query(`listen ${escapeIdentifier(channel)}`);
    client = fresh;
  }
  function retry(): void {
    connect().catch(listenAgain);
  }
  function listenAgain(): void {
    clearTimeout(again);
    if (!stopped) again = setTimeout(retry, LISTEN_AGAIN_MS);
  }

  await connect();
  return async () => {
    stopped = true;
    clearTimeout(again);
    await client?.end();
  };
}
