/**
 * What changed in an organization, told to those who look at it: gathered for a fraction of a second, then said once in this
 * process and once to the others of the same database. It is said after the commit and outside of it: no transaction waits,
 * and what a crash leaves unsaid is only news.
 */
import type { Changed } from '@rcpt/contract/ledger/live.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { newId } from '@rcpt/service/ids.ts';

const CHANNEL = 'ledger_news';
const GATHER_MS = 150;
/** More are no list of Runs but a reason to look at all of them. */
const RUNS_NAMED = 100;
/** PostgreSQL takes payloads below 8,000 bytes. */
const PAYLOAD_BYTES = 7_000;

export interface ChangeFeed {
  emit(organization_id: string, changed: Changed): void;
  /** Hears of one organization until the answer is called. */
  subscribe(organization_id: string, heard: (changed: Changed) => void): () => void;
  /** Tells the other processes at once that somebody's rights changed. */
  emitRights(): Promise<void>;
  close(): Promise<void>;
}

interface Gathering extends Omit<Changed, 'runs'> {
  runs: Set<string> | null;
}
/** What processes say to each other. */
interface Said {
  from: string;
  rights?: true;
  changed: [organization_id: string, changed: Changed][];
}

/** @param rightsChanged another process says that somebody's did */
export async function openChangeFeed(db: Db, rightsChanged: () => void): Promise<ChangeFeed> {
  const from = newId('desk');
  const listeners = new Map<string, Set<(changed: Changed) => void>>();
  let gathered = new Map<string, Gathering>();
  let timer: NodeJS.Timeout | undefined;

  const deliver = (changed: Iterable<[string, Changed]>) => {
    for (const [organization_id, what] of changed)
      for (const heard of listeners.get(organization_id) ?? []) heard(what);
  };
  const stop = await db.listen(CHANNEL, (payload) => {
    const said = JSON.parse(payload) as Said;
    if (said.from === from) return;
    if (said.rights) rightsChanged();
    deliver(said.changed);
  });
  // Best effort: whoever hears nothing looks again by the clock.
  const tellOthers = (payload: string) => db.notify(CHANNEL, payload).catch(() => undefined);

  async function say(): Promise<void> {
    timer = undefined;
    const changed = Array.from(gathered, ([id, { runs, receipts, settings }]): Said['changed'][number] => [
      id,
      { runs: runs && [...runs], receipts, settings },
    ]);
    gathered = new Map();
    deliver(changed);
    for (const payload of payloadsOf(from, changed)) await tellOthers(payload);
  }

  return {
    emit(organization_id, changed) {
      const known = gathered.get(organization_id);
      if (known === undefined)
        gathered.set(organization_id, { ...changed, runs: changed.runs && new Set(changed.runs) });
      else gather(known, changed);
      timer ??= setTimeout(say, GATHER_MS);
    },
    subscribe(organization_id, heard) {
      const those = listeners.get(organization_id) ?? new Set();
      listeners.set(organization_id, those.add(heard));
      return () => {
        those.delete(heard);
        if (those.size === 0 && listeners.get(organization_id) === those) listeners.delete(organization_id);
      };
    },
    emitRights: () => tellOthers(JSON.stringify({ from, rights: true, changed: [] } satisfies Said)),
    async close() {
      clearTimeout(timer);
      await say();
      await stop();
    },
  };
}

/** In place: every mint passes here. */
function gather(known: Gathering, { runs, receipts, settings }: Changed): void {
  if (runs === null) known.runs = null;
  else for (const id of runs) known.runs?.add(id);
  if (known.runs !== null && known.runs.size > RUNS_NAMED) known.runs = null;
  known.receipts ||= receipts;
  known.settings ||= settings;
}

/** As one event; `before` is not changed. */
export function together(before: Changed | undefined, { runs, receipts, settings }: Changed): Changed {
  if (before === undefined) return { runs, receipts, settings };
  return {
    runs: runsOf(before.runs, runs),
    receipts: before.receipts || receipts,
    settings: before.settings || settings,
  };
}

function runsOf(before: string[] | null, runs: string[] | null): string[] | null {
  if (before === null || runs === null) return null;
  const all = [...new Set([...before, ...runs])];
  return all.length > RUNS_NAMED ? null : all;
}

/** One, unless very many organizations have news at once. */
function* payloadsOf(from: string, all: Said['changed']): Generator<string> {
  let changed: Said['changed'] = [];
  let bytes = 0;
  for (const entry of all) {
    const size = JSON.stringify(entry).length + 1;
    if (bytes + size > PAYLOAD_BYTES) {
      yield JSON.stringify({ from, changed } satisfies Said);
      changed = [];
      bytes = 0;
    }
    changed.push(entry);
    bytes += size;
  }
  if (changed.length > 0) yield JSON.stringify({ from, changed } satisfies Said);
}
