/** The offline verifier: files in, four answers out. Nothing leaves the page, and nothing is loaded. */
import { shownLine } from '@rcpt/contract/shown.ts';
import { ANSWER_TITLES, type Answer, type Answers } from '@rcpt/proof/answers/answer.ts';
import type { ConsentAnswer } from '@rcpt/proof/approval/answer.ts';
import { ProofError } from '@rcpt/proof/error.ts';
import { type Checked, check, type GivenFile } from '@rcpt/proof/given/check.ts';
import type { FileReport } from '@rcpt/proof/judge.ts';
import { toHex } from '@rcpt/proof/log/bytes.ts';
import { formatVerifierKey, parseVerifierKeys, type VerifierKey } from '@rcpt/proof/log/verifier-key.ts';

const STATE_WORDS = { holds: 'Holds', fails: 'Fails', not_shown: 'Not shown' };
const KIND_WORDS = {
  pdf: 'PDF',
  proof: 'Proof',
  approval: 'Approval',
  checkpoint: 'Checkpoint',
  keys: 'Keys',
  policy: 'Policy',
  consistency: 'Consistency proof',
  receipts: 'Receipts',
  unused: 'Not used',
};
const ABOUT_WORDS = { receipt: 'One receipt', export: 'A ledger export', nothing: 'Nothing to verify' };
const LONGEST = 300;

let given: GivenFile[] = [];
/** Keys that came along, and that the reader has said to know. */
const known = new Set<string>();
/** Each check ends the one before. */
let current = 0;

const spot = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind;
const key = spot<HTMLTextAreaElement>('key');

for (const name of ['dragover', 'drop'] as const)
  document.addEventListener(name, (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    spot('drop').classList.toggle('over', name === 'dragover');
    if (name === 'drop') lay([...event.dataTransfer.files]);
  });
document.addEventListener('dragleave', (event) => {
  if (event.relatedTarget === null) spot('drop').classList.remove('over');
});
const input = spot<HTMLInputElement>('files');
input.addEventListener('change', () => {
  const files = [...(input.files ?? [])];
  // So that the same file, changed meanwhile, can be chosen again.
  input.value = '';
  lay(files);
});
spot('anew').addEventListener('click', () => {
  given = [];
  known.clear();
  lay([]);
});
key.addEventListener('input', () => void verify());

function lay(files: GivenFile[]): void {
  // A file of the same name takes the place of the one before.
  given = [...given.filter(({ name }) => !files.some((file) => file.name === name)), ...files];
  void verify();
}

async function verify(): Promise<void> {
  const mine = ++current;
  const trusted = trustedKeys();
  spot('anew').hidden = given.length === 0;
  if (given.length === 0) return show(null);
  const reading = spot('reading');
  const bar = spot<HTMLProgressElement>('progress');
  const checked = await check(given, trusted, async (read, of) => {
    if (mine !== current) throw new Stopped();
    reading.hidden = read === of;
    spot('reading-name').textContent = 'Reading receipts';
    bar.value = read / of;
    // The page stays alive between two slices.
    await new Promise((resolve) => setTimeout(resolve));
  }).catch((error: unknown) => {
    if (error instanceof Stopped) return null;
    throw error;
  });
  if (mine !== current || checked === null) return;
  reading.hidden = true;
  show(checked);
}

class Stopped extends Error {}

/** What was typed, and what was said to be known. */
function trustedKeys(): VerifierKey[] {
  const problem = spot('key-problem');
  problem.textContent = '';
  const text = [key.value, ...known].join('\n');
  try {
    return parseVerifierKeys(text);
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    problem.textContent = `This is no key: ${error.reason}.`;
    return [];
  }
}

function show(checked: Checked | null): void {
  spot('result').hidden = checked === null;
  spot('given').replaceChildren(...(checked?.files ?? []).map(laid));
  const typed = new Set(key.value.split('\n').map((line) => line.trim()));
  const others = unique(checked?.keys ?? []).filter((one) => !typed.has(formatVerifierKey(one)));
  spot('keys').replaceChildren(...others.map(offered));
  if (checked === null) return;
  const { answers, consent, report } = checked;
  spot('result-title').textContent = ABOUT_WORDS[answers.about];
  spot('about').textContent = aboutOf(answers, report);
  const entries = answers.about === 'nothing' ? [] : ANSWER_TITLES;
  spot('answers').replaceChildren(
    ...entries.map(([name, title]) => answered(name, title, answers[name])),
    ...(consent === null ? [] : [answered('consent', 'Consent', consent)]),
  );
  spot('facts').replaceChildren(...(report === null ? [] : factsOf(report)));
}

function aboutOf({ about }: Answers, report: FileReport | null): string {
  if (about !== 'nothing') return shownLine(report?.file ?? '', LONGEST);
  if (report?.kind === 'router') return 'Router receipts stand in no tree. Verify them with rcpt verify.';
  return 'Lay down a receipt, its PDF, or an export of a ledger.';
}

function laid({ name, kind, detail }: Checked['files'][number]): HTMLElement {
  const parts = [made('strong', '', KIND_WORDS[kind]), made('bdi', '', shownLine(name, LONGEST))];
  if (detail !== '') parts.push(made('span', 'detail', detail));
  return made('li', kind, ...parts);
}

/** A key that came along is trusted when the reader says so, and not before. */
function offered(one: VerifierKey): HTMLElement {
  const text = formatVerifierKey(one);
  const box = document.createElement('input');
  box.type = 'checkbox';
  box.checked = known.has(text);
  box.addEventListener('change', () => {
    if (box.checked) known.add(text);
    else known.delete(text);
    void verify();
  });
  const said = made('span', '', `I have key ${toHex(one.id)} of ${shownLine(one.name, LONGEST)} by another way, too`);
  return made('li', '', made('label', '', box, said), made('code', 'mono', text));
}

function answered(name: string, title: string, { state, text, advice }: Answer | ConsentAnswer): HTMLElement {
  const parts = [made('p', 'text', text)];
  if (advice !== '') parts.push(made('p', 'advice', advice));
  const item = made('li', `answer ${state}`, made('h3', '', title), made('p', 'state', STATE_WORDS[state]), ...parts);
  item.id = name;
  return item;
}

function factsOf({ kind, receipts_checked, head, work }: FileReport): HTMLElement[] {
  const facts: [label: string, value: string][] = [];
  if (kind === 'ledger') facts.push(['Receipts', receipts_checked.toLocaleString('en')]);
  if (head !== null)
    facts.push([kind === 'ledger' ? 'Head' : 'Place', String(head.org_seq)], ['SHA-256', head.receipt_sha256]);
  if (work?.agent_name) facts.push(['Work by', work.agent_name]);
  if (work?.output) facts.push([work.output.name, work.output.sha256]);
  if (work?.approved_by) facts.push(['Approved by', `${work.approved_by} (${work.approver_id ?? 'no id'})`]);
  return facts.map(([label, value]) =>
    made(
      'div',
      '',
      made('dt', '', label),
      made('dd', /^[0-9a-f]{64}$/.test(value) ? 'mono' : '', shownLine(value, LONGEST)),
    ),
  );
}

function unique(keys: VerifierKey[]): VerifierKey[] {
  return [...new Map(keys.map((one) => [formatVerifierKey(one), one])).values()];
}

/** Text never becomes markup. */
function made(name: string, className: string, ...parts: (Node | string)[]): HTMLElement {
  const element = document.createElement(name);
  element.className = className;
  element.append(...parts);
  return element;
}
