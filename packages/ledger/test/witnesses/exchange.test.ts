/** What answers in place of a witness, and what is made of it. */
import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { openCheckpoint } from '@rcpt/proof/log/checkpoint.ts';
import { parseVerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { logOf, signerNamed } from '../../../../test/kit/signed-log.ts';
import { submitToWitness } from '../../src/witnesses/exchange.ts';

const log = logOf(['a', 'b', 'c'], 'ledger.example/org/org_1');
const witness = signerNamed('witness.example/w1', 4);
const now = () => Math.floor(Date.now() / 1000);
/** The cosignature line of a checkpoint. */
const lineOf = (size = 3, signer = witness, time = now()) =>
  `${log.checkpoint(size, [{ signer, time }]).trimEnd().split('\n').at(-1)}\n`;

const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const says = (status: number, text: string) => answering((_, response) => void response.writeHead(status).end(text));

const submit = (url: string, signal = new AbortController().signal) =>
  submitToWitness(
    { url, key: witness.key, old_size: 0, proof: [], checkpoint: log.checkpoint() },
    { only_public: false, signal },
  );

describe('a call to a witness', () => {
  test('keeps the one line that its key signed of this checkpoint', async () => {
    const stranger = signerNamed('stranger.example', 4);
    const url = await says(200, lineOf(3, stranger) + lineOf());
    const reply = await submit(`${url}`);
    assert.equal(reply.kind, 'cosigned');
    const note = log.checkpoint() + (reply as { line: string }).line;
    assert.equal((await openCheckpoint(note, log.signer.key, [witness.key])).witnesses.length, 1);
    assert.doesNotMatch(note, /stranger/);
  });

  test('sends what the protocol says, below the prefix that was given', async () => {
    const proof = await log.consistency(2, 3);
    const seen = Promise.withResolvers<{ method?: string | undefined; url?: string | undefined; body: string }>();
    const url = await answering(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      seen.resolve({ method: request.method, url: request.url, body });
      response.end(lineOf());
    });
    const { key } = witness;
    const signal = new AbortController().signal;
    const given = { url: `${url}/a/prefix`, key, old_size: 2, proof, checkpoint: log.checkpoint() };
    await submitToWitness(given, { only_public: false, signal });
    const { body, ...line } = await seen.promise;
    assert.deepEqual(line, { method: 'POST', url: '/a/prefix/add-checkpoint' });
    const [head, ...rest] = body.split('\n\n');
    assert.deepEqual(head!.split('\n')[0], 'old 2');
    assert.equal(head!.split('\n').length, 1 + proof.length);
    assert.equal(rest.join('\n\n'), log.checkpoint());
  });

  const REFUSED = {
    'another checkpoint': () => lineOf(2),
    'another key of the same name': () => lineOf(3, signerNamed(witness.key.name, 4, 'another seed')),
    'the name and id of its key, and another signature': () =>
      lineOf(3, { ...signerNamed('x', 4), key: witness.key, vkey: witness.vkey }),
    'a time of last week': () => lineOf(3, witness, now() - 7 * 86_400),
    'a time beyond all clocks': () => lineOf(3, witness, Number.MAX_SAFE_INTEGER),
    'a page': () => '<!doctype html><p>Welcome',
    nothing: () => '',
    'a line and then another text': () => `${lineOf()}\nother\n`,
  };
  for (const [what, text] of Object.entries(REFUSED))
    test(`takes no cosignature of ${what}`, async () => {
      assert.equal((await submit(await says(200, text()))).kind, 'refused');
    });

  test('tells by the status what a witness means', async () => {
    assert.deepEqual(await submit(await says(409, '7\n')), { kind: 'knows', size: 7 });
    for (const body of ['', '7', '-1\n', '07\n', '9007199254740993\n', '7\n8\n'])
      assert.equal((await submit(await says(409, body))).kind, 'refused', body);
    assert.deepEqual(await submit(await says(422, 'no\u0007 \n  proof')), { kind: 'contradicted', said: 'no proof' });
    for (const status of [400, 403, 404, 301, 204])
      assert.equal((await submit(await says(status, ''))).kind, 'refused');
    for (const status of [429, 500, 503]) assert.equal((await submit(await says(status, ''))).kind, 'unreachable');
    const long = await submit(await says(404, 'é'.repeat(5_000)));
    assert.ok((long as { said: string }).said.length < 250);
  });

  test('follows no redirect', async () => {
    let asked = 0;
    const inside = await answering((_, response) => {
      asked++;
      response.end(lineOf());
    });
    const url = await answering((_, response) =>
      response.writeHead(307, { location: `${inside}/add-checkpoint` }).end(),
    );
    assert.equal((await submit(url)).kind, 'refused');
    assert.equal(asked, 0);
  });

  test('reads no more than a witness says, and does not wait for one that says nothing', async () => {
    const endless = await answering((_, response) => {
      response.writeHead(200);
      const more = () => response.write('a'.repeat(65_536)) || undefined;
      response.on('drain', more);
      more();
      more();
    });
    assert.match(((await submit(endless)) as { said: string }).said, /longer than/i);
    const silent = await answering(() => undefined);
    const giving_up = new AbortController();
    const waiting = submit(silent, giving_up.signal);
    giving_up.abort();
    assert.equal((await waiting).kind, 'unreachable');
    const cut = await answering((request) => request.socket.destroy());
    assert.equal((await submit(cut)).kind, 'unreachable');
    assert.equal((await submit('http://127.0.0.1:1')).kind, 'unreachable');
  });

  test('goes to no address beside the ledger where only public ones are called', async () => {
    const url = await says(200, lineOf());
    const given = { url, key: parseVerifierKey(witness.vkey), old_size: 0, proof: [], checkpoint: log.checkpoint() };
    const signal = new AbortController().signal;
    const reply = await submitToWitness(given, { only_public: true, signal });
    assert.deepEqual(reply, { kind: 'unreachable', said: '127.0.0.1 is no public address' });
  });
});
