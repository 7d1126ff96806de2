/**
 * Erasing what stands beside a receipt, for good. In one transaction: the value and its salt leave the Run, answers that were kept
 * for their Idempotency-Key are emptied, the PDF is drawn anew, the erasure is recorded beside the receipt and in the activity chain. What lies
 * outside of the database follows (finish.ts). Receipt, chain and proofs stay as they are: digest and hash are kept.
 */
import { committedDigest } from '@rcpt/contract/lanes/private.ts';
import { LANES } from '@rcpt/contract/lanes/registry.ts';
import type { Beside, NewErasure } from '@rcpt/contract/ledger/disclosures.ts';
import type { Json, JsonObject } from '@rcpt/contract/wire.ts';
import { evidencePath, OUTPUT, valueAt } from '@rcpt/proof/disclosures.ts';
import { tokensOf } from '@rcpt/proof/pointer.ts';
import { sha256Hex } from '@rcpt/proof/sha256.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { actorOf } from '../activity/actor.ts';
import { recordActivity } from '../activity/record.ts';
import { changes } from '../changes/transaction.ts';
import type { Principal } from '../people/principal.ts';
import { forgetAnswers, letGo, placeOfReceipt, redrawPdf, writeErasure } from '../store/disclosures.ts';
import { updateRun } from '../store/runs.ts';
import { countBytes } from '../store/storage.ts';
import { type BesideRun, heldOf, lockBeside, requireHeld } from './held.ts';
import { outputOf } from './output.ts';
import { loadDecided } from './read.ts';

/** What a reason repeats of a shorter value is taken for a coincidence. */
const SHORTEST_REPEATED = 4;

type Change = Partial<
  Pick<BesideRun, 'title' | 'inputs' | 'execution' | 'approval' | 'evidence' | 'checks' | 'commitments'>
>;

/**
 * A repeat answers what was erased then; what was brought back since is erased again. Throws `not_found`, `disclosure_unknown`,
 * `disclosure_not_stored`, `invalid` where the reason holds the value.
 */
export async function erase(
  tx: Queries,
  by: Principal,
  receipt_id: string,
  { path, reason }: NewErasure,
  at: string,
): Promise<Beside> {
  const { organization_id } = by;
  const place = await placeOfReceipt(tx, organization_id, receipt_id);
  const run = await lockBeside(tx, place);
  const { decisions } = await loadDecided(tx, place, { texts: false });
  const erasedBefore = (one: string) => decisions.find((decision) => decision.path === one && decision.erased_at);
  const held = heldOf(run);
  const before = erasedBefore(path);
  if (before && !held.get(path)) return answered(path, before.erased_at!, before.reason ?? '');
  requireHeld(held, path);
  const paths = sameBytes(run, path);
  const change = path.startsWith(EVIDENCE) ? { evidence: withoutBytes(run, path) } : memberErased(run, path, reason);
  await updateRun(tx, run, { ...change, updated_at: run.updated_at });
  await countBytes(tx, organization_id, bytesOf({ ...run, ...change }) - bytesOf(run), 0);
  if (path.startsWith(EVIDENCE)) await letGo(tx, { ...place, sha256: itemAt(run, path).sha256, byte_size: 0 });
  for (const one of paths) {
    const { erased_at, reason: why } = { erased_at: at, reason, ...erasedBefore(one) };
    await writeErasure(tx, place, { path: one, erased_at: erased_at ?? at, erased_by: by.id, reason: why ?? reason });
  }
  await forgetAnswers(tx, place);
  await redrawPdf(tx, place, at);
  changes(tx, organization_id, { runs: [place.run_id], receipts: true });
  for (const one of paths.filter((path) => !erasedBefore(path))) {
    const details = { receipt_id, path: one, reason };
    await recordActivity(tx, organization_id, { by: actorOf(by), kind: 'erased', details }, at);
  }
  return before ? answered(path, before.erased_at!, before.reason ?? '') : answered(path, at, reason);
}

const EVIDENCE = '/evidence/';
const answered = (path: string, erased_at: string, reason: string): Beside => ({
  path,
  state: 'erased',
  erased_at,
  reason,
});

function memberErased(run: BesideRun, path: string, reason: string): Change {
  if (path === OUTPUT) return outputErased(run);
  const { title, inputs, approval, commitments } = run;
  const from = { title, inputs, note: approval!.note };
  const tokens = tokensOf(path)!;
  if (repeats(reason, valueAt({ ...from }, tokens)))
    throw new Refusal(
      'invalid',
      'The reason holds the value that is to be erased, and the reason is public. Say it without.',
    );
  const members = commitments!.members.map((member) =>
    member.path === path ? { path, digest: committedDigest(member, from) } : member,
  );
  const change: Change = { commitments: { ...commitments, members }, checks: withoutDetails(run) };
  if (path === '/title') return { ...change, title: '' };
  if (path === '/note') return { ...change, approval: { ...approval!, note: '' } };
  return { ...change, inputs: withoutMember(inputs, tokens.slice(1)) as JsonObject };
}

function outputErased(run: BesideRun): Change {
  const at = LANES[run.lane].output!;
  const { bytes } = outputOf(run)!;
  const { [at.member]: _, ...rest } = run[at.in] as JsonObject;
  const erased_output = { sha256: sha256Hex(bytes), byte_size: bytes.length };
  const commitments = { members: [], ...run.commitments, erased_output };
  return { [at.in]: rest, commitments, checks: withoutDetails(run) };
}

/** Of lanes that seal no checks, they may quote what is erased; those that are sealed stay as they are. */
function withoutDetails({ lane, checks }: BesideRun): BesideRun['checks'] {
  const { shape } = LANES[lane].blocks;
  if ('checks' in shape || 'findings' in shape) return checks;
  return checks.map((check) => ({ ...check, detail: 'Erased with what it was about.' }));
}

function withoutMember(value: Json, [name, ...rest]: string[]): Json {
  if (Array.isArray(value)) return value.map((item, i) => (String(i) === name ? withoutMember(item, rest) : item));
  const { [name!]: inner, ...others } = value as JsonObject;
  return rest.length === 0 ? others : { ...others, [name!]: withoutMember(inner!, rest) };
}

function repeats(reason: string, value: Json | undefined): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  const said = String(value).trim().toLowerCase();
  return said.length >= SHORTEST_REPEATED && reason.toLowerCase().includes(said);
}

function itemAt({ evidence }: BesideRun, path: string) {
  return evidence[Number(path.slice(EVIDENCE.length))]!;
}

/** The same bytes of one Run are one object. */
function sameBytes(run: BesideRun, path: string): string[] {
  if (!path.startsWith(EVIDENCE)) return [path];
  const { sha256 } = itemAt(run, path);
  return run.evidence.flatMap((item, i) => (item.stored && item.sha256 === sha256 ? [evidencePath(i)] : []));
}

function withoutBytes(run: BesideRun, path: string): BesideRun['evidence'] {
  const { sha256 } = itemAt(run, path);
  return run.evidence.map((item) => (item.sha256 === sha256 ? { ...item, stored: false } : item));
}

/** What was counted of the Run when it was sent. */
function bytesOf({ inputs, execution }: Pick<BesideRun, 'inputs' | 'execution'>): number {
  return Buffer.byteLength(JSON.stringify(inputs)) + (execution ? Buffer.byteLength(JSON.stringify(execution)) : 0);
}
