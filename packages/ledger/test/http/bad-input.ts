/**
 * Whatever a client sends, the ledger answers as the contract says and a refused request changes nothing. The requests
 * are generated from the description that the running ledger serves.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { LaneName, type Stage } from '@rcpt/contract/vocabulary.ts';
import { STAGES } from '@rcpt/contract/words.ts';
import { formatVerifierKey, verifierKey } from '@rcpt/proof/log/verifier-key.ts';
import type { Engine } from '../../../../test/kit/engines.ts';
import { type Judge, judgeOf, plainClient, sentOf } from '../../../../test/kit/openapi-answers.ts';
import {
  type Case,
  type Document,
  filled,
  invalidBodies,
  invalidIdempotencyKeys,
  invalidQueries,
  type Operation,
  operationsOf,
  sample,
  strangePlaces,
  unreadableBodies,
} from '../../../../test/kit/openapi-cases.ts';
import { softPasskey } from '../../../../test/kit/passkey.ts';
import { bodyCase, isObject, matchesPath, OPEN_SHEET, placesOf, storedIn, takesForms } from '../kit/bad-input.ts';
import { approve, askToSign, enrol, member, ORIGIN, offer, ok, tokenOf } from '../kit/passkeys.ts';
import { addMember, browserOf, cookieIn, linkToken, newMailbox, signIn } from '../kit/people.ts';
import { ADMIN_TOKEN, eachLedger, ROLES, type SuiteLedger, type Tenant, tenantOf } from '../kit/running.ts';
import { stamp } from '../kit/stamped.ts';
import { mintedReceipt, runAt, SHEET } from '../kit/story.ts';

const JSON_LIMIT = 100_000;
/** What takes no credential (docs/spec.md §12); everything else asks for a credential. */
const PUBLIC = [
  'GET /share/{token}',
  'GET /share/{token}/pdf',
  'GET /share/{token}/card.png',
  'GET /share/{token}/download',
  'GET /share/{token}/proof',
  'GET /share/{token}/key',
  'GET /share/{token}/statement',
  'GET /share/{token}/timestamp',
  'GET /share/{token}/timestamp/proof',
  'GET /share/{token}/approval',
  'GET /share/{token}/disclosures',
  'GET /share/{token}/disclosures/{*}',
  'GET /share/{token}/witnesses',
  'GET /healthz',
  'POST /sign-in',
  'POST /session',
];
/** Takes the service's own admin token. */
const OPERATED = ['POST /organizations', 'PUT /organizations/{id}/router'];
/** Takes a person's session; an API key has none. */
const PERSONAL = [
  'PATCH /session',
  'DELETE /session',
  'DELETE /sessions',
  'POST /passkeys/options',
  'POST /passkeys',
  'GET /passkeys',
  'PATCH /passkeys/{id}',
  'DELETE /passkeys/{id}',
];
/** Not 200: an auditor's key may not, or no passkey signed. */
const READ_AS: Record<string, number> = {
  'GET /keys': 403,
  'GET /members': 403,
  'GET /passkeys': 403,
  'GET /share/{token}/approval': 404,
  'GET /share/{token}/disclosures/{*}': 404,
};

/** What a call takes in its query, always. */
const NEEDED: Record<string, string> = {
  'GET /ledger/consistency': '?from=1&to=1',
  'GET /activity/consistency': '?from=1&to=1',
};

/** Never ends by itself; a story of its own reads it. */
const isStream = ({ name }: Operation) => name === 'GET /events';

const SETTINGS = {
  LEDGER_BASE_URL: ORIGIN,
  LEDGER_JSON_BODY_BYTES: String(JSON_LIMIT),
  LEDGER_EVIDENCE_BYTES: String(JSON_LIMIT * 2),
  LEDGER_SHARE_REQUESTS_PER_MINUTE: '1000000',
  LEDGER_SIGN_IN_REQUESTS_PER_MINUTE: '1000000',
};

export interface Thoroughness {
  engines: readonly Engine[];
  /** At which a Run is that is asked for what it refuses. */
  stages: readonly Stage[];
  /** 1 sends every case, 4 each fourth. */
  each: number;
}

export function badInput({ engines, stages, each }: Thoroughness): void {
  eachLedger('bad input', (ledger) => suite(ledger, stages, each), SETTINGS, { engines });
}

function suite(ledger: SuiteLedger, stages: readonly Stage[], each_nth: number): void {
  let document: Document;
  let operations: Operation[];
  let judge: Judge;
  let client: ReturnType<typeof plainClient>;
  let tenant: Tenant;
  /** Of a person who is a member of the tenant. */
  let cookie: string;
  /** Where each path parameter can point, by the stage of the Run it belongs to. */
  let places: Record<string, Record<string, string>>;
  let requests = 0;
  let offered = 0;

  before(async () => {
    client = plainClient(ledger.url);
    document = JSON.parse((await client.send({ method: 'GET', path: '/openapi.json' })).text) as Document;
    operations = operationsOf(document);
    judge = judgeOf(document);
    tenant = await tenantOf(ledger.call, 'Bad Input');
    places = await placesOf(tenant);
    await stamp(ledger.db, tenant);
    await stamp(ledger.db, tenant, 'activity');
    cookie = (await signIn(ledger, (await addMember(tenant, 'owner')).email)).cookie;
  });
  after(() => client.close());

  const credentialFor = ({ name, secured }: Operation) =>
    OPERATED.includes(name) ? ADMIN_TOKEN : PERSONAL.includes(name) ? cookie : secured ? tenant.keys.owner : null;
  const baseOf = ({ body }: Operation) => (body === null ? undefined : sample(body));

  /** Every case is refused as it should be, and afterwards all is as it was. */
  async function refuseAll(
    operation: Operation,
    at: string,
    path: string,
    cases: Case[],
    credential = credentialFor(operation),
  ) {
    const sent = cases.filter(() => offered++ % each_nth === 0);
    if (sent.length === 0) return;
    const before = await storedIn(ledger);
    for (const each of sent) {
      const got = await client.send(sentOf(each, operation.method, path + (each.query ?? ''), credential));
      requests++;
      judge.problem(`${operation.name} at ${at}: ${each.what}`, got, each.statuses);
    }
    assert.deepEqual(await storedIn(ledger), before, `${operation.name} at ${at}: a refused request changed something`);
  }

  function atEachStage({ path }: Operation): [string, Record<string, string>][] {
    const at = path.startsWith('/runs/{') ? stages : (['Receipt'] as const);
    return at.map((stage) => [stage, places[stage]!]);
  }

  test('every operation says what it does, who may call it and what it answers', () => {
    assert.ok(operations.length >= 28);
    for (const operation of operations) {
      assert.ok(operation.summary, `${operation.name} has no summary`);
      assert.equal(operation.secured, !PUBLIC.includes(operation.name), `${operation.name}: who may call it`);
      const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
      assert.ok(successes.length > 0, `${operation.name} describes no success`);
      for (const [status, { description, content }] of Object.entries(operation.responses)) {
        assert.ok(description, `${operation.name} ${status} has no description`);
        for (const { schema } of Object.values(content ?? assert.fail(`${operation.name} ${status} has no schema`)))
          assert.ok(Object.keys(schema).length > 0, `${operation.name} ${status} has an empty schema`);
      }
      const problem = operation.responses.default?.content?.['application/problem+json'];
      assert.ok(problem, `${operation.name} does not describe its problem`);
      if (operation.form !== null) {
        assert.deepEqual(operation.form.required, ['file'], `${operation.name}: its form`);
        assert.deepEqual(operation.form.properties?.file, { type: 'string', format: 'binary' });
      }
      for (const name of operation.path.matchAll(/\{(\w+)\}/g))
        assert.ok(
          operation.parameters.some((parameter) => parameter.in === 'path' && parameter.name === name[1]),
          operation.name,
        );
    }
  });

  test('a body that cannot be read is refused at every stage', async () => {
    for (const operation of operations.filter(({ method }) => method !== 'GET'))
      for (const [stage, place] of atEachStage(operation)) {
        const few =
          stage === 'Receipt' ? unreadableBodies(JSON_LIMIT) : unreadableBodies(100).filter((_, i) => i % 6 === 0);
        const statuses = (each: Case): Case =>
          takesForms(operation, each) ? { ...each, statuses: [400, 415, 422] } : each;
        const readable = few.filter(({ statuses }) => !statuses.includes(413) || stage === 'Receipt');
        await refuseAll(operation, stage, filled(operation.path, place), readable.map(statuses));
      }
  });

  test('a body that the schema rules out is refused at every stage', async () => {
    for (const operation of operations.filter(({ body }) => body !== null))
      for (const [stage, place] of atEachStage(operation)) {
        const cases = invalidBodies(operation.body!, baseOf(operation));
        assert.ok(cases.length >= 7, operation.name);
        await refuseAll(operation, stage, filled(operation.path, place), cases);
      }
  });

  test('a query or an Idempotency-Key that is none is refused', async () => {
    for (const operation of operations)
      for (const [stage, place] of atEachStage(operation)) {
        const body = bodyCase(baseOf(operation));
        const keys = invalidIdempotencyKeys(operation.parameters).map((each) => ({
          ...body,
          ...each,
          headers: { ...body.headers, ...each.headers },
        }));
        // A schema that only says `object` lets the sample through to the stage, which may refuse it first.
        const statuses = (each: Case): Case => ({ ...each, statuses: [...each.statuses, 409] });
        await refuseAll(operation, stage, filled(operation.path, place), [
          ...invalidQueries(operation.parameters),
          ...keys.map(statuses),
        ]);
      }
  });

  test('a place that is not there, of another kind or of another organization is not found', async () => {
    const stranger = await tenantOf(ledger.call, 'Stranger');
    const theirs = await placesOf(stranger);
    const ids = [
      ...new Set([
        ...Object.values(theirs.Receipt!),
        ...Object.values(theirs.Checks!),
        ...Object.values(places.Receipt!),
      ]),
    ];
    for (const operation of operations)
      for (const { name } of operation.parameters.filter((parameter) => parameter.in === 'path')) {
        const own = Object.values(places).map((place) => place[name]);
        // Sheets may bear the same name everywhere, and a link is public: whoever has it may follow it.
        const foreign = ids.filter(
          (id) => !own.includes(id) && id !== theirs.Receipt![name === 'id' || name.endsWith('_id') ? '' : name],
        );
        for (const { what, part, statuses } of strangePlaces(foreign)) {
          const path = filled(operation.path, { ...places.Receipt, ...places.Checks, [name]: part });
          // A sheet's words may do for a body; a Run's may not, and then the body is refused first.
          const body = operation.body === null ? {} : bodyCase(baseOf(operation));
          const resolved = ['..', '%2e'].includes(part) ? [400, 404, 405, 415] : statuses;
          await refuseAll(operation, what, path, [{ ...body, what: name, statuses: resolved }]);
        }
      }
  });

  test('without a credential that counts it is 401, with a role that may not it is 403', async () => {
    const revoked = await tenant.as('owner')('POST', '/keys', { role: 'owner', label: 'gone' });
    await tenant.as('owner')('DELETE', `/keys/${revoked.id}`);
    const stranger = await tenantOf(ledger.call, 'Other');
    const secret = tenant.keys.owner.slice(-43);
    const none = [
      {},
      { authorization: '' },
      { authorization: 'Bearer' },
      { authorization: 'Bearer ' },
      { authorization: tenant.keys.owner },
      { authorization: `Basic ${Buffer.from(`x:${tenant.keys.owner}`).toString('base64')}` },
      { authorization: 'Bearer rk_' },
      { authorization: `Bearer ${'x'.repeat(8000)}` },
      { authorization: `Bearer rk_${'0'.repeat(32)}_${secret}` },
      { authorization: `Bearer ${stranger.keys.owner.slice(0, -43)}${secret}` },
      { authorization: `Bearer ${tenant.keys.owner.slice(0, -1)}` },
      { authorization: `Bearer ${tenant.keys.owner}x` },
      { authorization: `Bearer ${tenant.keys.owner} ${tenant.keys.owner}` },
      { authorization: `Bearer ${tenant.keys.owner.toUpperCase()}` },
      { authorization: `Bearer ${revoked.api_key}` },
      { authorization: "Bearer ' or 1=1 --" },
      { cookie: `authorization=Bearer ${tenant.keys.owner}` },
      { 'x-api-key': tenant.keys.owner },
    ] as Record<string, string>[];
    for (const operation of operations.filter(({ secured }) => secured))
      for (const [stage, place] of atEachStage(operation)) {
        const path = filled(operation.path, place);
        const body = bodyCase(baseOf(operation));
        const others = OPERATED.includes(operation.name) ? ROLES.map((role) => tenant.keys[role]) : [ADMIN_TOKEN];
        const headers = [...none, ...others.map((key) => ({ authorization: `Bearer ${key}` }))];
        const what = (given: Record<string, string>) => `the credential ${JSON.stringify(given).slice(0, 60)}`;
        await refuseAll(
          operation,
          stage,
          path,
          headers.map((given) => ({
            ...body,
            what: what(given),
            headers: { ...body.headers, ...given },
            statuses: [401],
          })),
          null,
        );
        if (operation.method === 'GET' || OPERATED.includes(operation.name)) continue;
        // Whoever only reads changes nothing, and nobody learns from a refusal what the body lacked.
        await refuseAll(
          operation,
          stage,
          path,
          [{ ...body, what: 'an auditor', statuses: [403] }],
          tenant.keys.auditor,
        );
        await refuseAll(
          operation,
          stage,
          path,
          [
            {
              what: 'an auditor, malformed',
              body: '{',
              headers: { 'content-type': 'application/json' },
              statuses: [403],
            },
          ],
          tenant.keys.auditor,
        );
      }
  });

  test('nobody reads with a role what that role may not change', async () => {
    const refused = {
      agent: ['/keys', '/flight-sheets', '/agent-profiles', '/runs/{id}/approval', '/runs/{id}/receipt'],
      approver: ['/keys', '/flight-sheets', '/agent-profiles'],
    };
    for (const role of ['agent', 'approver'] as const)
      for (const operation of operations.filter(
        ({ method, path }) => method === 'POST' && refused[role].includes(path),
      ))
        await refuseAll(
          operation,
          role,
          filled(operation.path, places.Verdict!),
          [{ ...bodyCase(baseOf(operation)), what: 'the role', statuses: [403] }],
          tenant.keys[role],
        );
  });

  test('what is read is read whatever stands in the other headers', async () => {
    const odd: Record<string, string>[] = [
      { accept: 'x'.repeat(4000) },
      { accept: ';;;q=,' },
      { accept: '*/*;q=0' },
      { accept: 'image/png' },
      { 'content-type': 'nonsense' },
      { 'content-type': 'application/json', 'content-length': '0' },
      { 'x-request-id': '\u0080'.repeat(10) },
      { 'x-request-id': '<script>'.repeat(10) },
      { 'x-request-id': 'x'.repeat(5000) },
      { 'x-forwarded-for': "' or 1=1 --" },
      { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'javascript' },
      { host: 'evil.example' },
      { origin: 'https://evil.example' },
      { range: 'bytes=0-' },
      { 'if-none-match': '*' },
      { upgrade: 'websocket', connection: 'upgrade' },
      { 'transfer-encoding': 'chunked' },
      { 'accept-encoding': 'gzip, br' },
      { 'x-http-method-override': 'DELETE' },
      { 'content-length': '5', 'content-type': 'application/json' },
    ];
    for (const operation of operations.filter((each) => each.method === 'GET' && !isStream(each)))
      for (const headers of odd) {
        const path = filled(operation.path, places.Receipt!) + (NEEDED[operation.name] ?? '');
        const body = headers['content-length'] === '5' ? '{"a":' : undefined;
        const got = await client.send({
          method: 'GET',
          path,
          headers: { ...(operation.secured ? { authorization: `Bearer ${tenant.keys.auditor}` } : {}), ...headers },
          body,
        });
        requests++;
        const allowed = READ_AS[operation.name] ?? 200;
        assert.equal(
          got.status,
          allowed,
          `${operation.name} ${JSON.stringify(headers).slice(0, 60)}: ${got.text.slice(0, 200)}`,
        );
        assert.match(String(got.headers['x-request-id']), /^[\w.:-]{1,128}$/);
        assert.equal(got.headers['access-control-allow-origin'], undefined, operation.name);
        assert.ok(!got.text.includes('evil.example'), operation.name);
        const kept = operation.path.endsWith('/tile/{*}') ? 'private, max-age=31536000, immutable' : 'no-store';
        if (operation.secured) assert.equal(got.headers['cache-control'], kept, operation.name);
      }
  });

  test('the story of every lane is answered as described, unknown members and all', async () => {
    const reached = new Set<string>();
    const call: typeof ledger.call = async (method, path, options = {}) => {
      const { body } = options;
      const extended = isObject(body) ? { ...body, unknown_member: { a: 1 }, rate_usd: 0, constructor: 'x' } : body;
      const answer = await ledger.call(method, path, {
        ...options,
        ...(body === undefined ? {} : { body: extended }),
      });
      const operation = operations.find((each) => each.method === method && matchesPath(each.path, path));
      assert.ok(operation, `${method} ${path} is not described`);
      const content_type = answer.headers.get('content-type') ?? '';
      judge.described(operation, { status: answer.status, text: answer.text, content_type });
      if (answer.status < 300) reached.add(operation.name);
      return answer;
    };
    const told = await tenantOf(call, 'Story');
    const [owner, auditor] = [told.as('owner'), told.as('auditor')];
    await owner('POST', '/agent-profiles', { name: 'scribe' });
    const url = 'http://router.example:8088/';
    await call('PUT', `/organizations/${told.organization_id}/router`, { token: ADMIN_TOKEN, body: { url } });
    await owner('PATCH', '/organization', { name: 'Story, renamed' });
    await owner('POST', '/flight-sheets', OPEN_SHEET);
    await told.as('agent')('POST', '/flight-sheets/try', {
      flight_sheet: OPEN_SHEET,
      output: { a: 2, b: 3, sum: 5 },
    });
    const by_hand = await runAt(told, 'Verdict', 'eval', {
      inputs: { flight_sheet: { name: OPEN_SHEET.name, version: OPEN_SHEET.version } },
    });
    const rejected = await call('POST', `/runs/${by_hand}/approval`, {
      token: told.keys.approver,
      body: { decision: 'rejected', note: 'no' },
    });
    assert.equal(rejected.status, 200);
    assert.equal((await call('POST', `/runs/${by_hand}/receipt`, { token: told.keys.approver })).status, 409);
    for (const lane of LaneName.options) {
      const receipt = await mintedReceipt(told, lane);
      const { runs } = await auditor('GET', `/runs?lane=${lane}&limit=1`);
      const [run] = runs;
      await auditor('GET', `/runs/${run.id}`);
      assert.equal((await call('POST', `/runs/${run.id}/receipt`, { token: told.keys.approver })).status, 200);
      const token = receipt.share_url.split('/').at(-1);
      await stamp(ledger.db, told);
      await stamp(ledger.db, told, 'activity');
      const beside = ['/proof', '/key', '/statement', '/timestamp', '/timestamp/proof', '/witnesses', '/disclosures'];
      for (const part of ['', '/pdf', '/card.png', '/download', ...beside])
        assert.equal((await call('GET', `/share/${token}${part}`)).status, 200);
      assert.equal((await call('GET', `/share/${token}`, { headers: { accept: 'text/html' } })).status, 200);
      await auditor('GET', `/receipts/${receipt.receipt_id}`);
      await auditor('GET', `/receipts/${receipt.receipt_id}/share`);
      await owner('PUT', `/receipts/${receipt.receipt_id}/share`, { enabled: false });
      const item = run.evidence[0];
      assert.equal(
        (await call('GET', `/runs/${run.id}/evidence/${item.id}`, { token: told.keys.auditor })).status,
        200,
      );
    }
    await disclosedStory({ ...ledger, call }, told);
    const key = formatVerifierKey(verifierKey('w.example', 4, new Uint8Array(32).fill(9)));
    const witness = await owner('POST', '/witnesses', { url: 'http://127.0.0.1:9', key });
    for (const path of [
      '/witnesses',
      '/ledger/policy',
      '/organization',
      '/agent-profiles',
      '/flight-sheets',
      `/flight-sheets/${SHEET.name}/${SHEET.version}`,
      '/runs',
      '/receipts',
      '/receipts/recent',
      '/ledger',
      '/ledger/export',
      '/ledger/pack',
      '/ledger/verify',
      '/ledger/checkpoint',
      '/ledger/checkpoint/timestamp',
      '/ledger/checkpoint/timestamped',
      '/activity/checkpoint/timestamp',
      '/activity/checkpoint/timestamped',
      '/ledger/consistency?from=1&to=2',
      '/ledger/tile/0/000.p/1',
      '/ledger/key',
      '/activity',
      '/activity/export',
      '/activity/verify',
      '/activity/checkpoint',
      '/activity/consistency?from=1&to=2',
      '/activity/tile/0/000.p/1',
      '/activity/key',
      '/healthz',
    ])
      await auditor('GET', path);
    assert.equal(
      (await call('GET', '/ledger', { token: told.keys.auditor, headers: { accept: 'application/x-ndjson' } })).status,
      200,
    );
    await owner('DELETE', `/witnesses/${witness.id}`);
    await signedStory({ ...ledger, call }, told);
    const { id, email } = await owner('POST', '/members', { email: newMailbox(), role: 'agent' });
    await owner('GET', '/members');
    await owner('PATCH', `/members/${id}`, { role: 'auditor' });
    await owner('POST', `/members/${id}/invitation`);
    await auditor('GET', '/session');
    for (const path of ['/session', '/sessions']) {
      const token = await linkToken({ ...ledger, call }, email);
      const browser = browserOf({ call }, cookieIn(await call('POST', '/session', { body: { token } })));
      const { organization } = (await browser.ask('GET', '/session')).json;
      await browser.ask('PATCH', '/session', { body: { organization_id: organization.id } });
      await browser.ask('DELETE', path);
    }
    await owner('DELETE', `/members/${id}`);
    const { keys } = await owner('GET', '/keys');
    await owner('DELETE', `/keys/${keys.find((key: { role: string }) => key.role === 'auditor').id}`);
    const missing = operations.filter((each) => !isStream(each) && !reached.has(each.name)).map(({ name }) => name);
    assert.deepEqual(missing, [], 'operations that the story does not reach');
  });

  test('thousands of requests later the chain is whole and every Run where it was', async (t) => {
    t.diagnostic(`${operations.length} operations, ${requests} requests`);
    assert.equal((await tenant.as('auditor')('GET', '/ledger/verify')).ok, true);
    for (const stage of STAGES) {
      const run = await tenant.as('auditor')('GET', `/runs/${places[stage]!.id}`);
      assert.equal(run.stage, stage);
    }
  });
}

/** Evidence is disclosed, and then erased. */
async function disclosedStory(ledger: SuiteLedger, told: Tenant): Promise<void> {
  const [owner, receipt] = [told.as('owner'), await mintedReceipt(told)];
  const of_receipt = `/receipts/${receipt.receipt_id}`;
  await owner('PUT', `${of_receipt}/disclosures`, { disclosed: ['/evidence/0'] });
  await owner('GET', `${of_receipt}/disclosures`);
  await ok(ledger.call('GET', `/share/${tokenOf(receipt)}/disclosures/evidence/0`));
  await owner('POST', `${of_receipt}/erasures`, { path: '/evidence/0', reason: 'Asked for' });
}

/** A person enrols a passkey, and approves with it. */
async function signedStory(ledger: SuiteLedger, told: Tenant): Promise<void> {
  await offer(told);
  const { browser } = await member(ledger, told);
  const passkey = softPasskey(ORIGIN);
  const { id } = await enrol(browser, passkey);
  await ok(browser.ask('PATCH', `/passkeys/${id}`, { body: { name: 'Old laptop' } }));
  await ok(browser.ask('GET', '/passkeys'));
  const run = await runAt(told, 'Verdict');
  const { challenge } = await ok(askToSign(browser, run));
  await ok(approve(browser, run, { assertion: passkey.assert(challenge) }));
  const receipt = await told.as('owner')('POST', `/runs/${run}/receipt`);
  await ok(ledger.call('GET', `/share/${tokenOf(receipt)}/approval`));
  await ok(browser.ask('DELETE', `/passkeys/${id}`));
}
