/**
 * The pack of a period (docs/spec.md §39): one zip with all that an auditor needs who has never heard of us. It is made while it is read, page by
 * page, each page in a turn of its organization; between two pages it holds a page, the zip's directory, and no connection.
 */
import { Readable } from 'node:stream';
import type { PackQuery } from '@rcpt/contract/ledger/pack.ts';
import { PDFS_UP_TO } from '@rcpt/contract/ledger/pack.ts';
import { actorOf } from '../activity/actor.ts';
import { recordActivity } from '../activity/record.ts';
import type { Ledger } from '../ledger.ts';
import type { Principal } from '../people/principal.ts';
import { loadOrganization } from '../store/tenancy.ts';
import { createTurns } from '../turns/turns.ts';
import { activityEntries } from './activity.ts';
import { anchorsOf } from './anchors.ts';
import { checkpointEntries } from './checkpoints.ts';
import { keyEntries } from './keys.ts';
import { receiptList } from './list.ts';
import { NOTHING_YET, type Packing } from './packing.ts';
import { periodOf } from './period.ts';
import { Problems } from './problems.ts';
import { readmeEntries } from './readme.ts';
import { neighbourEntries, receiptEntries } from './receipts.ts';
import { timestampEntries } from './timestamps.ts';
import { PackTree } from './tree.ts';
import { verifierEntries } from './verifier-file.ts';
import { type ZipEntry, zipOf } from './zip.ts';

/** One of each organization; a second is refused until the first has left. */
const PACKS = { at_once: 32, each: 1, waiting_each: 0, waiting: 0, what: 'packs of this organization' };
/** Pages that are made: milliseconds of the event loop each. */
const PAGES = { at_once: 2, each: 1, waiting_each: 2, waiting: 64, what: 'pages of packs' };
/** A caller who has read nothing for so long has gone. */
const UNREAD_MS = 120_000;

export interface Packs {
  /**
   * Records that it is taken, then makes it as it is read. Throws `invalid`, and `rate_limited` while another one of this organization is taken.
   * @param gone aborts when the caller has
   */
  take(by: Principal, query: PackQuery, gone: AbortSignal): Promise<{ name: string; zip: Readable }>;
}

export function createPacks(ledger: Ledger): Packs {
  const packs = createTurns(PACKS);
  const pages = createTurns(PAGES);

  async function inTurn<T>(organization_id: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const giveBack = await pages.take(organization_id, signal);
    try {
      return await work();
    } finally {
      giveBack();
    }
  }

  async function begin(by: Principal, query: PackQuery, signal: AbortSignal): Promise<Packing> {
    const { organization_id } = by;
    const { db } = ledger;
    const { name } = await loadOrganization(db, organization_id);
    const period = await periodOf(db, organization_id, query, ledger.now());
    const details = { from: period.from_at, to: period.to_at };
    const act = { by: actorOf(by), kind: 'pack_taken', details } as const;
    // Before the first byte leaves, and before the end of the administrators' chain is read.
    await db.transaction((tx) => recordActivity(tx, organization_id, act, period.taken_at));
    const problems = new Problems();
    const anchors = await anchorsOf(ledger, organization_id, period, problems);
    return {
      ledger,
      organization: { id: organization_id, name },
      period,
      anchors,
      tree: anchors.signed === null ? null : new PackTree(db, organization_id, anchors.signed),
      with_pdfs: query.pdfs === undefined ? period.before - period.from <= PDFS_UP_TO : query.pdfs === 'true',
      problems,
      included: { ...NOTHING_YET },
      signal,
      inTurn: (work) => inTurn(organization_id, signal, work),
    };
  }

  return {
    async take(by, query, gone) {
      const leave = await packs.take(by.organization_id, gone);
      try {
        const packing = await begin(by, query, gone);
        const zip = Readable.from(
          whileRead(packing, () => zip.destroy(new Error('a pack was not read'))),
          {
            objectMode: false,
          },
        );
        zip.once('close', leave);
        return { name: nameOf(packing), zip };
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}

/** The order of the parts: what tells of all of them comes last. */
async function* entriesOf(packing: Packing): AsyncGenerator<ZipEntry> {
  yield { path: 'receipts.csv', at: packing.period.taken_at, content: receiptList(packing) };
  yield* checkpointEntries(packing);
  yield* timestampEntries(packing);
  yield* keyEntries(packing);
  yield* receiptEntries(packing);
  yield* neighbourEntries(packing);
  yield* activityEntries(packing);
  yield* verifierEntries(packing);
  yield* readmeEntries(packing);
}

async function* whileRead(packing: Packing, unread: () => void): AsyncGenerator<Buffer> {
  for await (const part of zipOf(entriesOf(packing))) {
    const timer = setTimeout(unread, UNREAD_MS);
    try {
      yield part;
    } finally {
      clearTimeout(timer);
    }
    if (packing.signal.aborted) return;
  }
}

function nameOf({ organization, period }: Packing): string {
  const last = new Date(Date.parse(period.to_at) - 1).toISOString();
  return `${organization.id}-${period.from_at.slice(0, 10)}-to-${last.slice(0, 10)}.zip`;
}
