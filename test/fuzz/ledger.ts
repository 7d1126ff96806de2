/** The ledger: two organizations with a key of each role and a person, and an operator. */
import { LaneName } from '@rcpt/contract/vocabulary.ts';
import { OPEN_SHEET } from '../../packages/ledger/test/kit/bad-input.ts';
import { addMember, named, signIn } from '../../packages/ledger/test/kit/people.ts';
import { ADMIN_TOKEN, ROLES, type RunningTest, running, type Tenant } from '../../packages/ledger/test/kit/running.ts';
import { SHEET, WORK } from '../../packages/ledger/test/kit/story.ts';
import type { Random } from './random.ts';
import { newSide, remember, type Side } from './sides.ts';
import type { Caller, Target } from './target.ts';

const JSON_LIMIT = 60_000;
const MANY = '1000000';
const SETTINGS = {
  LEDGER_JSON_BODY_BYTES: String(JSON_LIMIT),
  LEDGER_EVIDENCE_BYTES: String(JSON_LIMIT * 2),
  LEDGER_SHARE_REQUESTS_PER_MINUTE: MANY,
  LEDGER_SIGN_IN_REQUESTS_PER_MINUTE: MANY,
  LEDGER_OPEN_INVITATIONS: MANY,
  LEDGER_ORGANIZATION_INVITATIONS_PER_HOUR: MANY,
};
const OPERATED = ['POST /organizations', 'PUT /organizations/{id}/router'];
const PERSONAL = ['PATCH /session', 'DELETE /session', 'DELETE /sessions'];
/** A path's beginning → what its `{id}` is. */
const ID_OF: [start: string, kind: string][] = [
  ['/runs/', 'run'],
  ['/keys/', 'key'],
  ['/members/', 'user'],
  ['/organizations/', 'org'],
];

interface Organization {
  side: Side;
  tenant: Tenant;
  person: Caller;
}

export async function startLedgerTarget(database: { url: string }, random: Random): Promise<Target> {
  const ledger = await running(database, SETTINGS);
  const organizations = [await organization(ledger, 'a', random), await organization(ledger, 'b', random)];
  const operated = newSide('o', random);
  const sides = [...organizations.map(({ side }) => side), operated];
  const nobody = (side: Side, credential: string | null): Caller => ({
    name: 'nobody',
    side,
    credential,
    sees: 'nothing',
  });

  return {
    url: ledger.url,
    sides,
    json_limit: JSON_LIMIT,
    bodies: BODIES,
    often: [
      'POST /runs/{id}/evidence',
      'POST /runs/{id}/execution',
      'POST /runs/{id}/checks',
      'PATCH /runs/{id}/checks/{key}',
      'POST /runs/{id}/verdict',
      'POST /runs/{id}/approval',
      'POST /runs/{id}/receipt',
    ],
    placeNames(path, parameter, before) {
      if (parameter === 'id') return ID_OF.filter(([start]) => path.startsWith(start)).map(([, kind]) => kind);
      if (parameter === 'evidence_id') return [`evidence of ${before}`, 'ev'];
      return [parameter === 'name' ? 'sheet' : `${parameter} of ${before}`, parameter];
    },
    tamed: (body) => body,
    isShared: ({ path }) => path.startsWith('/share/'),
    callerFor(operation, random) {
      const { side, tenant, person } = random.pick(organizations);
      if (operation.name === 'POST /organizations' && random.chance(0.7))
        return { name: 'the operator', side: operated, credential: ADMIN_TOKEN, sees: 'all' };
      if (OPERATED.includes(operation.name) && random.chance(0.7))
        return { name: 'the operator', side, credential: ADMIN_TOKEN, sees: 'all' };
      if (random.chance(0.08)) return nobody(side, wrongCredential(side, tenant, random));
      if (!operation.secured && random.chance(0.8)) return nobody(side, null);
      if (random.chance(PERSONAL.includes(operation.name) ? 0.7 : 0.15)) return person;
      const others = [...(side.known.get('rk') ?? [])].slice(-4);
      if (others.length > 0 && random.chance(0.1))
        return { name: 'a key', side, credential: random.pick(others), sees: 'own' };
      const role = random.pick([...ROLES, 'owner', 'owner', 'approver'] as const);
      return { name: `${side.mark} ${role}`, side, credential: tenant.keys[role], sees: 'own' };
    },
    pass: () => undefined,
    async renew(caller) {
      const own = organizations.find(({ person }) => person === caller);
      if (own !== undefined) caller.credential = await signedIn(ledger, own.tenant, own.side);
      const keys = caller.side.known.get('rk') ?? [];
      if (keys.includes(caller.credential ?? '')) keys.splice(keys.indexOf(caller.credential ?? ''), 1);
    },
    async verify() {
      for (const { tenant } of organizations) {
        const verified = await tenant.as('auditor')('GET', '/ledger/verify');
        if (!verified.ok) throw new Error(`the chain: ${JSON.stringify(verified)}`);
      }
    },
    close: () => ledger.close(),
  };
}

async function organization(ledger: RunningTest, name: string, random: Random): Promise<Organization> {
  const side = newSide(name, random);
  const tenant = await ledger.tenant(`Workshop ${side.mark}`);
  for (const sheet of [SHEET, OPEN_SHEET])
    await tenant.as('owner')('POST', '/flight-sheets', { ...sheet, title: `${sheet.title} ${side.mark}` });
  const credential = await signedIn(ledger, tenant, side);
  const own = [
    ...(await tenant.as('owner')('GET', '/keys')).keys,
    ...(await tenant.as('owner')('GET', '/members')).members,
  ] as { id: string }[];
  for (const { id } of own) {
    side.kept.add(id);
    side.owned.add(id);
  }
  side.owned.add(tenant.organization_id);
  remember(side, 'org', tenant.organization_id);
  for (const key of Object.values(tenant.keys)) side.owned.add(key);
  return { side, tenant, person: { name: `${side.mark} person`, side, credential, sees: 'own' } };
}

/** The cookie of an owner of this organization and no other. */
async function signedIn(ledger: RunningTest, tenant: Tenant, { mark }: Side): Promise<string> {
  const email = `owner.${process.hrtime.bigint()}.${mark}@example.org`;
  await addMember(tenant, 'owner', email);
  const browser = await signIn(ledger, email);
  await named(browser, `Ada ${mark}`);
  return browser.cookie;
}

function wrongCredential(side: Side, { keys }: Tenant, random: Random): string | null {
  return random.pick([
    null,
    '',
    'x'.repeat(5_000),
    `rk_${random.hex(32)}_${keys.owner.slice(-43)}`,
    keys.owner.slice(0, -1),
    keys.owner.toUpperCase(),
    `rcpt_session=${side.mark}`,
    'rcpt_session=',
  ]);
}

const words = ({ mark }: Side, random: Random) => `${random.letters(5)} ${mark}`;

const BODIES: Record<string, (side: Side, random: Random) => unknown> = {
  'POST /runs'(side, random) {
    const lane = random.pick([...LaneName.options, 'eval'] as const);
    const sheet = random.pick([SHEET, OPEN_SHEET, OPEN_SHEET]);
    const { inputs } = WORK[lane];
    const hash = random.hex(64);
    return {
      lane,
      title: words(side, random),
      inputs: {
        ...inputs,
        ...(lane === 'eval' && { flight_sheet: { name: sheet.name, version: sheet.version } }),
        ...(lane === 'generic' && { task: words(side, random) }),
        ...('sha256' in inputs && { sha256: hash }),
        ...('card_sha256' in inputs && { card_sha256: hash }),
        notify: [`${random.letters(4)}.${side.mark}@example.org`],
        note: words(side, random),
      },
    };
  },
  'POST /runs/{id}/evidence': (side, random) => ({
    kind: random.pick(['note', 'log', 'url', 'observation']),
    label: words(side, random),
    content: words(side, random),
  }),
  // Of what a lane does not take it reads nothing, so one execution does for all.
  'POST /runs/{id}/execution': (side, random) => ({
    ...WORK.cook.execution,
    agent_name: words(side, random),
    model_name: words(side, random),
    provider: words(side, random),
    output: random.pick([{ a: 2, b: 3, sum: random.between(4, 6), said: side.mark }, words(side, random)]),
  }),
  'PATCH /runs/{id}/checks/{key}': (side, random) => ({
    status: random.pick(['pass', 'flag']),
    detail: words(side, random),
  }),
  'POST /runs/{id}/approval': (side, random) => ({
    decision: random.chance(0.85) ? 'approved' : 'rejected',
    note: words(side, random),
  }),
  'POST /flight-sheets': (side, random) => ({
    ...random.pick([SHEET, OPEN_SHEET]),
    name: `${side.mark}-${random.letters(2)}`,
    version: `1.0.${random.between(0, 50)}`,
    title: words(side, random),
  }),
  'POST /flight-sheets/try': (side, random) => ({
    flight_sheet: { ...random.pick([SHEET, OPEN_SHEET]), title: words(side, random) },
    output: { a: 2, b: 3, sum: random.between(4, 6), said: words(side, random) },
  }),
  'PATCH /organization': (side, random) => ({ name: `Workshop ${words(side, random)}`, four_eyes: random.chance(0.3) }),
};
