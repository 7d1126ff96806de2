/**
 * A policy file (C2SP tlog-policy): whose signature a checkpoint needs, and how many witnesses of which have to have cosigned it. A line each:
 * `log <vkey> [<url>]`, `witness <name> <vkey> [<url>]`, `group <name> <k>|any|all <member>…`, `quorum <name>|none`.
 */
import { ProofError } from '../error.ts';
import { equal } from './bytes.ts';
import { type KeyType, parseVerifierKey, type VerifierKey } from './verifier-key.ts';

/** A log that is accepted. */
export interface PolicyLog {
  key: VerifierKey;
  url: string | null;
}

/** The name is the file's own: it has no meaning outside it. */
export interface PolicyWitness {
  name: string;
  key: VerifierKey;
  url: string | null;
}

/** Has witnessed a checkpoint when at least `threshold` of its members have. */
export interface PolicyGroup {
  name: string;
  threshold: number;
  members: (PolicyWitness | PolicyGroup)[];
}

export interface Policy {
  logs: PolicyLog[];
  witnesses: PolicyWitness[];
  /** Null: no cosignature is asked for. */
  quorum: PolicyWitness | PolicyGroup | null;
}

const MOST_CHARACTERS = 1_000_000;
/** Of logs, witnesses and groups, each. */
const MOST_LINES = 256;

/** Throws `invalid_policy`, with the number of the line. */
export function parsePolicy(text: string): Policy {
  if (text.length > MOST_CHARACTERS) throw invalid('it is too long');
  const reader = new PolicyReader();
  for (const [i, line] of text.split('\n').entries())
    try {
      reader.read(line);
    } catch (error) {
      if (error instanceof ProofError) throw invalid(`line ${i + 1}: ${error.reason}`);
      throw error;
    }
  return reader.policy();
}

class PolicyReader {
  readonly #logs: PolicyLog[] = [];
  readonly #witnesses: PolicyWitness[] = [];
  /** Witnesses and groups share their names. */
  readonly #named = new Map<string, PolicyWitness | PolicyGroup>();
  readonly #members = new Set<string>();
  #quorum: Policy['quorum'] | undefined;

  read(line: string): void {
    // U+FFFD stands where the file was not UTF-8: two names would be one.
    if (/[\u0000-\u0008\u000a-\u001f\u007f\ufffd]/.test(line)) throw wrong('it holds a control character, or no UTF-8');
    const [keyword, ...words] = line.split(/[ \t]+/).filter((word) => word !== '');
    if (keyword === undefined || keyword.startsWith('#')) return;
    if (keyword === 'log') this.#log(words);
    else if (keyword === 'witness') this.#witness(words);
    else if (keyword === 'group') this.#group(words);
    else if (keyword === 'quorum') this.#setQuorum(words);
    else throw wrong(`${JSON.stringify(keyword)} is none of log, witness, group, quorum`);
  }

  policy(): Policy {
    if (this.#quorum === undefined) throw invalid('it has no quorum line');
    return { logs: this.#logs, witnesses: this.#witnesses, quorum: this.#quorum };
  }

  /** An organization signs its receipts and its activity with one key, under two names: a log is a key and its name. */
  #log(words: string[]): void {
    const [vkey, url = null] = exactly(words, 1, 2, 'log <vkey> [<url>]');
    const key = keyOf(vkey!, 1, 'a log');
    if (this.#logs.some((log) => log.key.name === key.name && equal(log.key.key, key.key)))
      throw wrong('this log stands in it twice');
    if (this.#logs.length === MOST_LINES) throw wrong(`more than ${MOST_LINES} logs`);
    this.#logs.push({ key, url });
  }

  #witness(words: string[]): void {
    const [name, vkey, url = null] = exactly(words, 2, 3, 'witness <name> <vkey> [<url>]');
    const key = keyOf(vkey!, 4, 'a witness');
    // Under two names it would count twice.
    if (this.#witnesses.some((witness) => equal(witness.key.key, key.key)))
      throw wrong('the key of this witness stands in it twice');
    const witness = { name: name!, key, url };
    this.#define(witness);
    this.#witnesses.push(witness);
  }

  #group(words: string[]): void {
    const [name, count, ...names] = exactly(words, 3, MOST_LINES, 'group <name> <k>|any|all <member>…');
    const members = names.map((member) => this.#member(member));
    const threshold = thresholdOf(count!, members.length);
    this.#define({ name: name!, threshold, members });
  }

  /** Of at most one group, once: so a witness counts once. */
  #member(name: string): PolicyWitness | PolicyGroup {
    const member = this.#known(name);
    if (this.#members.has(name)) throw wrong(`${name} is a member of a group already`);
    this.#members.add(name);
    return member;
  }

  #setQuorum(words: string[]): void {
    const [name] = exactly(words, 1, 1, 'quorum <name>|none');
    if (this.#quorum !== undefined) throw wrong('there is a quorum line already');
    this.#quorum = name === 'none' ? null : this.#known(name!);
  }

  #known(name: string): PolicyWitness | PolicyGroup {
    const known = this.#named.get(name);
    if (known === undefined) throw wrong(`no line before it names ${name}`);
    return known;
  }

  #define(named: PolicyWitness | PolicyGroup): void {
    if (named.name === 'none' || this.#named.has(named.name)) throw wrong(`the name ${named.name} is taken`);
    if (this.#named.size === 2 * MOST_LINES) throw wrong(`more than ${2 * MOST_LINES} witnesses and groups`);
    this.#named.set(named.name, named);
  }
}

/** Whether these witnesses, by the public key that was verified, are enough. */
export function isQuorum(quorum: Policy['quorum'], cosigned: readonly VerifierKey[]): boolean {
  if (quorum === null) return true;
  if ('key' in quorum) return cosigned.includes(quorum.key);
  return quorum.members.filter((member) => isQuorum(member, cosigned)).length >= quorum.threshold;
}

/** `2 of a, b, (1 of c, d)`, or the name of the one witness. */
export function quorumInWords(quorum: Policy['quorum']): string {
  if (quorum === null) return 'none';
  if ('key' in quorum) return quorum.name;
  const members = quorum.members.map((member) => {
    const words = quorumInWords(member);
    return 'key' in member ? words : `(${words})`;
  });
  return `${quorum.threshold} of ${members.join(', ')}`;
}

function exactly(words: string[], fewest: number, most: number, form: string): string[] {
  if (words.length < fewest || words.length > most) throw wrong(`it is to be ${form}`);
  return words;
}

function keyOf(text: string, type: KeyType, whose: string): VerifierKey {
  const key = parseVerifierKey(text);
  if (key.type !== type) throw wrong(`the key of ${whose} is of type ${type}, this one is of type ${key.type}`);
  return key;
}

function thresholdOf(count: string, members: number): number {
  if (count === 'any') return 1;
  if (count === 'all') return members;
  const threshold = /^[1-9]\d{0,3}$/.test(count) ? Number(count) : 0;
  if (threshold < 1 || threshold > members) throw wrong(`${count} is none of any, all, 1 to ${members}`);
  return threshold;
}

function wrong(reason: string): ProofError {
  return new ProofError('invalid_policy', reason);
}

function invalid(reason: string): ProofError {
  return new ProofError('invalid_policy', `this is no policy: ${reason}`);
}
