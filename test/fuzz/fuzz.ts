/**
 * Requests without end against what a component's own `/openapi.json` describes, one after another from a seed. Every answer
 * is held against the description; none is 5xx but an announced 503; none holds what belongs to another side.
 */
import { type Got, type Judge, judgeOf, plainClient, type Sent } from '../kit/openapi-answers.ts';
import { type Document, type Operation, operationsOf } from '../kit/openapi-cases.ts';
import { seeded } from './random.ts';
import { credentialOf, generatorOf } from './requests.ts';
import { leakIn, learn, newSecrets, recordSent, type Secrets, type Side } from './sides.ts';
import type { Caller, Target } from './target.ts';

export interface Outcome {
  requests: number;
  /** Status → how often. */
  statuses: Record<string, number>;
  /** Operation → how often it was answered 2xx. */
  done: Record<string, number>;
  slowest: { ms: number; what: string };
  /** One of each kind, with its request as a command. */
  failures: string[];
}

export interface FuzzOptions {
  seed: number;
  requests: number;
  /** Hears now and then how far it is. */
  onProgress?(outcome: Outcome): void;
}

interface Step {
  operation: Operation;
  caller: Caller;
  sent: Sent;
}

/** Longer than anything it asks for may take. */
const SLOW_MS = 30_000;
const DIFFERENT_FAILURES = 30;

export async function fuzz(target: Target, { seed, requests, onProgress }: FuzzOptions): Promise<Outcome> {
  const random = seeded(seed);
  const client = plainClient(target.url);
  const document = JSON.parse((await client.send({ method: 'GET', path: '/openapi.json' })).text) as Document;
  const operations = operationsOf(document);
  const weighted = operations.flatMap((operation) =>
    Array<Operation>(target.often.includes(operation.name) ? 6 : 1).fill(operation),
  );
  const generator = generatorOf(target, random);
  const secrets = newSecrets();
  const check = checkOf(target, judgeOf(document), secrets);
  const outcome: Outcome = {
    requests: 0,
    statuses: {},
    done: Object.fromEntries(operations.map(({ name }) => [name, 0])),
    slowest: { ms: 0, what: '' },
    failures: [],
  };
  const seen = new Set<string>();
  let last = null as Step | null;

  while (outcome.requests < requests && outcome.failures.length < DIFFERENT_FAILURES) {
    const { operation, caller, sent }: Step = last !== null && random.chance(0.04) ? again(last) : fresh();
    recordSent(caller.side, sent);
    secrets.recordSent(sent, caller.credential ?? 'nobody');
    const times = random.chance(0.02) ? 2 : 1;
    const answers = await Promise.all(Array.from({ length: times }, () => timed(sent, operation)));
    for (const got of answers) note(got, operation, caller, sent);
    if (answers.some(({ status }) => status === 401) && caller.sees !== 'nothing') await target.renew(caller);
    last = { operation, caller, sent };
    target.pass(random);
    if (outcome.requests % 1_000 < times) onProgress?.(outcome);
  }
  client.close();
  await target.verify();
  return outcome;

  function fresh(): Step {
    const operation = random.pick(weighted);
    const caller = target.callerFor(operation, random);
    return { operation, caller, sent: generator.request(operation, caller) };
  }

  /** By the same caller, as a client does that got no answer, or by another one of the same side. */
  function again({ operation, caller, sent }: Step): Step {
    const other = target.callerFor(operation, random);
    if (other.side !== caller.side || random.chance(0.5)) return { operation, caller, sent };
    const { authorization: _, cookie: __, ...headers } = sent.headers ?? {};
    return { operation, caller: other, sent: { ...sent, headers: { ...credentialOf(other), ...headers } } };
  }

  async function timed(sent: Sent, { name }: Operation): Promise<Got> {
    const start = performance.now();
    const got = await client.send(sent).catch((error: Error): Got => ({ status: 0, headers: {}, text: error.message }));
    const ms = performance.now() - start;
    if (ms > outcome.slowest.ms) outcome.slowest = { ms, what: name };
    if (ms > SLOW_MS) fail(`${name} took ${Math.round(ms)} ms`, sent, got);
    return got;
  }

  function note(got: Got, operation: Operation, caller: Caller, sent: Sent): void {
    outcome.requests++;
    outcome.statuses[got.status] = (outcome.statuses[got.status] ?? 0) + 1;
    if (got.status >= 200 && got.status < 300) outcome.done[operation.name]!++;
    try {
      check(got, operation, caller, sent);
    } catch (error) {
      fail((error as Error).message, sent, got);
    }
  }

  function fail(what: string, sent: Sent, got: Got): void {
    const kind = what.replace(/\b\w*\d\w*\b/g, '…').slice(0, 120);
    if (seen.has(kind)) return;
    seen.add(kind);
    outcome.failures.push(
      `seed ${seed}, request ${outcome.requests}: ${what}\n${curlOf(target.url, sent)}\n→ ${got.status} ${got.text.slice(0, 500)}`,
    );
  }
}

function checkOf({ sides, isShared }: Target, judge: Judge, secrets: Secrets) {
  return ({ status, headers, text }: Got, operation: Operation, caller: Caller, sent: Sent): void => {
    const { name } = operation;
    const content_type = headers['content-type'] ?? '';
    if (status === 0) throw new Error(`${name}: no answer: ${text}`);
    const isAnnounced = status === 503 && Number(headers['retry-after']) > 0;
    if (status >= 500 && !isAnnounced) throw new Error(`${name}: ${status}`);
    // A browser's page where no operation is: the path was none.
    const isLost = status === 404 && content_type.startsWith('text/html');
    if (!isLost) judge.described(operation, { status, text, content_type });
    if (status >= 400 && status < 500 && content_type.startsWith('application/problem+json'))
      judge.problem(name, { status, headers, text });
    const audience = audienceOf(operation, caller, sent);
    if (audience !== 'all') {
      const leak = leakIn(text, audience, sides, sent);
      if (leak !== null) throw new Error(`${name}: the answer to ${caller.name} holds ${leak}, which is another's`);
    }
    const stray = secrets.strayIn(text, caller.credential ?? 'nobody');
    if (stray !== null)
      throw new Error(`${name}: the answer to ${caller.name} holds the secret ${stray}, told to another`);
    const isJson = /\bjson$/.test(content_type.split(';')[0]!) && text.length < 400_000;
    if (status < 300 && isJson && isOwn(operation, caller, sent)) learn(caller.side, JSON.parse(text));
  };

  function audienceOf(operation: Operation, { side, sees }: Caller, { path }: Sent): Side | 'all' | null {
    if (!isShared(operation)) return sees === 'nothing' ? null : sees === 'all' ? 'all' : side;
    const token = path.split('/')[2]?.split('?')[0] ?? '';
    return sides.find(({ owned }) => owned.has(token)) ?? null;
  }

  /** An operator is also shown what belongs to a side that it did not act for. */
  function isOwn(operation: Operation, { side, sees }: Caller, { path, method, body }: Sent): boolean {
    if (isShared(operation) || sees === 'nothing' || (sees === 'all' && method === 'GET')) return false;
    const asked = `${path} ${body ?? ''}`;
    const words = asked.match(/[\w-]{12,}/g) ?? [];
    const others = sides.filter((each) => each !== side);
    return !others.some(({ owned, mark }) => asked.includes(mark) || words.some((word) => owned.has(word)));
  }
}

/** As a shell takes it. */
export function curlOf(url: string, { method, path, headers = {}, body }: Sent): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const parts = [`curl --path-as-is -g -X ${method} ${quoted(url + path)}`];
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined) parts.push(`--data-binary ${quoted(String(body).slice(0, 3_000))}`);
  return parts.join(' ');
}
