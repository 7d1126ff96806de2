/**
 * The change feed: what changed in an organization, for the streams of `GET /events`. Changes are gathered for a fraction of a
 * second, then delivered once in this process and once to the others of the same database. They are emitted after the commit
 * (transaction.ts): no transaction waits for them, and a crash may lose them.
 */
import type { Changed } from '@rcpt/contract/ledger/live.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { newId } from '@rcpt/service/ids.ts';

const CHANNEL = 'ledger_news';
const GATHER_MS = 150;
/** More Runs than these are not listed: a client then reads all of them again. */
const RUNS_NAMED = 100;
/** PostgreSQL takes payloads below 8,000 bytes. */
const PAYLOAD_BYTES = 7_000;

export interface ChangeFeed {
  emit(organization_id: string, changed: Changed): void;
  /** Calls `heard` for each change of one organization. Returns the function that ends the subscription. */
  subscribe(organization_id: string, heard: (changed: Changed) => void): () => void;
  /** Tells the other processes at once that the rights of a key or a person changed. */
  emitRights(): Promise<void>;
  close(): Promise<void>;
}

const NOTHING: Changed = { runs: [], receipts: false, settings: false };

/** What processes tell each other. */
interface Message {
  from: string;
  rights?: true;
  changed: [organization_id: string, changed: Changed][];
}

/** @param rightsChanged called when another process tells that rights changed */
export async function openChangeFeed(db: Db, rightsChanged: () => void): Promise<ChangeFeed> {
  const from = newId('process');
  const subscribers = new Map<string, Set<(changed: Changed) => void>>();
  let gathered = new Map<string, Changed>();
  let timer: NodeJS.Timeout | undefined;

  const deliver = (changed: Message['changed']) => {
    for (const [organization_id, what] of changed)
      for (const heard of subscribers.get(organization_id) ?? []) heard(what);
  };
  const stop = await db.listen(CHANNEL, (payload) => {
    const message = JSON.parse(payload) as Message;
    if (message.from === from) return;
    if (message.rights) rightsChanged();
    deliver(message.changed);
  });
  // Best effort: a client that misses a message looks again by the clock.
  const notify = (message: Message) => db.notify(CHANNEL, JSON.stringify(message)).catch(() => undefined);

  async function flush(): Promise<void> {
    timer = undefined;
    const changed = [...gathered];
    gathered = new Map();
    deliver(changed);
    for (const part of partsOf(changed)) await notify({ from, changed: part });
  }

  return {
    emit(organization_id, changed) {
      // A mint pays for gathering only where a stream, here or in another process, may want it.
      if (!db.dialect.isShared && !subscribers.has(organization_id)) return;
      gathered.set(organization_id, merged(gathered.get(organization_id), changed));
      timer ??= setTimeout(flush, GATHER_MS);
    },
    subscribe(organization_id, heard) {
      const those = subscribers.get(organization_id) ?? new Set();
      subscribers.set(organization_id, those.add(heard));
      return () => {
        those.delete(heard);
        if (those.size === 0 && subscribers.get(organization_id) === those) subscribers.delete(organization_id);
      };
    },
    emitRights: () => notify({ from, rights: true, changed: [] }),
    async close() {
      clearTimeout(timer);
      await flush();
      await stop();
    },
  };
}

/** Two changes as one. */
export function merged(before: Changed = NOTHING, { runs, receipts, settings }: Changed): Changed {
  const all = before.runs && runs && new Set([...before.runs, ...runs]);
  return {
    runs: all && all.size <= RUNS_NAMED ? [...all] : null,
    receipts: before.receipts || receipts,
    settings: before.settings || settings,
  };
}

/** One part, unless very many organizations have changed at once. */
function* partsOf(all: Message['changed']): Generator<Message['changed']> {
  let part: Message['changed'] = [];
  let bytes = 0;
  for (const entry of all) {
    const size = JSON.stringify(entry).length + 1;
    if (bytes + size > PAYLOAD_BYTES) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(entry);
    bytes += size;
  }
  if (part.length > 0) yield part;
}
