/** `--disclosures FILE`: is what the link of this receipt discloses what was sealed? `--activity FILE`: was some of it erased meanwhile? */
import type { Json, JsonObject } from './canonical.ts';
import { WrongUse } from './cli-arguments.ts';
import { type Source, sourceAt } from './cli-sources.ts';
import { type BesideState, besideInWords, type Checked } from './disclosure-words.ts';
import { checkDisclosure } from './disclosures.ts';
import { type Erasure, ErasureSearch, erasureOf } from './erasures.ts';
import { ProofError } from './error.ts';
import { LineSplitter } from './lines.ts';
import { oneLine } from './one-line.ts';
import { parseStrict } from './parse.ts';
import { isObject, organizationOf } from './receipt.ts';

export interface DisclosedItem {
  path: string;
  state: BesideState['state'];
  /** False: what is disclosed is not what was sealed. Null: there was nothing to be compared. */
  ok: boolean | null;
  detail: string;
  /** Of what matches. */
  value?: Json;
}

export interface DisclosuresAnswer {
  file: string;
  ok: boolean;
  detail: string | null;
  items: DisclosedItem[];
}

export interface AskedDisclosures {
  list: Source;
  /** An export of the organization's activity. */
  activity: Source | null;
}

const LARGEST_BYTES = 64 * 1024 * 1024;
const STATES: readonly unknown[] = ['disclosed', 'withheld', 'erased'];

/** Null: it was not asked. Throws `WrongUse`. */
export async function askedDisclosures(
  paths: string[],
  { disclosures, activity }: { disclosures?: string; activity?: string },
): Promise<AskedDisclosures | null> {
  if (disclosures === undefined) return null;
  if (paths.length !== 1) throw new WrongUse('--disclosures goes with one receipt: give one PATH');
  return { list: await sourceAt(disclosures), activity: activity === undefined ? null : await sourceAt(activity) };
}

/** @param receipt the payload; null: it was not verified, so nothing is compared with it */
export async function answerDisclosures(
  { list: source, activity }: AskedDisclosures,
  receipt: JsonObject | null,
): Promise<DisclosuresAnswer> {
  const file = source.name;
  const failed = (detail: string): DisclosuresAnswer => ({ file, ok: false, detail, items: [] });
  if (receipt === null) return failed('Not compared: the receipt does not verify.');
  try {
    const list = await listIn(source);
    if (list === null) return failed('It is not the list that GET /share/<token>/disclosures answers.');
    const erasures = activity === null ? [] : await erasuresIn(activity, receipt);
    const items = list.map((item) => judged(item, receipt, erasures));
    return { file, ok: items.every(({ ok }) => ok !== false), detail: null, items };
  } catch (error) {
    if (error instanceof ProofError && error.code === 'activity_broken')
      return failed(`Not compared: ${error.message}.`);
    if (error instanceof ProofError) return failed(`It cannot be read: ${error.message}.`);
    throw error;
  }
}

type Listed = BesideState & { disclosure?: string };

function judged(item: Listed, receipt: JsonObject, erasures: readonly Erasure[]): DisclosedItem {
  const { path, state, disclosure } = item;
  const erased = state === 'erased' ? null : erasureOf(erasures, path);
  if (erased !== null && (state === 'disclosed' || disclosure !== undefined)) {
    const detail = `It must not be shown any more: it was erased on ${erased.erased_at} (${erased.activity_receipt_id}), because: ${erased.reason}`;
    return { path, state, ok: false, detail };
  }
  if (state === 'disclosed' && disclosure === undefined)
    return { path, state, ok: null, detail: 'Disclosed, as a file: compare it with --output or --evidence' };
  const found = disclosure === undefined ? null : checkDisclosure(receipt, path, disclosure);
  const checked: Checked = found;
  const { said } = besideInWords(item, checked, (at) => at);
  return { path, state, ok: found?.ok ?? null, detail: said, ...(found?.ok && { value: found.value }) };
}

async function erasuresIn(activity: Source, receipt: JsonObject): Promise<Erasure[]> {
  const search = new ErasureSearch(organizationOf(receipt) ?? '', String(receipt.receipt_id));
  const splitter = new LineSplitter((line) => {
    if (line.length > 0) search.push(line);
  });
  for await (const chunk of activity.open()) splitter.write(chunk);
  splitter.end();
  return search.finish();
}

async function listIn(source: Source): Promise<Listed[] | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of source.open()) {
    size += part.length;
    if (size > LARGEST_BYTES) return null;
    parts.push(part);
  }
  const list = parseStrict(Buffer.concat(parts));
  const items = isObject(list) ? list.disclosures : null;
  return Array.isArray(items) && items.every(isListed) ? (items as unknown as Listed[]) : null;
}

function isListed(item: Json): boolean {
  if (!isObject(item)) return false;
  const { path, state, disclosure, erased_at = '', reason = '' } = item;
  const texts = [path, erased_at, reason, disclosure ?? ''];
  return texts.every((text) => typeof text === 'string') && STATES.includes(state);
}

export function disclosuresInWords({ file, ok, detail, items }: DisclosuresAnswer): string {
  const lines = items.map(({ path, detail, value }) => {
    const said =
      value === undefined ? '' : `: ${oneLine(typeof value === 'string' ? value : JSON.stringify(value), 400)}`;
    return `  ${oneLine(path, 200)}  ${oneLine(detail, 600)}${said}\n`;
  });
  return `${oneLine(file)}: ${ok ? 'OK' : 'FAILED'}.${detail === null ? '' : ` ${detail}`}\n${lines.join('')}`;
}
