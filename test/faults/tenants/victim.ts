/**
 * What one tenant feels while another one attacks. A ledger runs in a process of its own, with two organizations. The
 * victim does what tenants do: reads its organization, uploads evidence, mints, and has the page and the PDF of a receipt
 * shown that nothing has drawn before. Each of the five is asked for at a fixed pace, whether or not the one before it was
 * answered, so that one long wait counts as often as it is met. Rounds alternate: undisturbed, attacked, undisturbed,
 * attacked; the ratio of the two p99 is what the attack did.
 *
 * An attack is one small file `test/faults/tenants/<attack>.full.test.ts`:
 *
 *   import { type Attack, unharmedBy } from './victim.ts';
 *
 *   // Optional: what is made once, before anything is measured. It has to survive JSON.
 *   export const prepare: Prepare = async ({ tenant }) => mintedReceipt(tenant, 'generic', { inputs: MANY_MEMBERS });
 *
 *   // Runs until the signal aborts; once per attacked round. An attack that ends or throws before that fails the test.
 *   export const attack: Attack = async ({ call, signal, prepared }) => {
 *     while (!signal.aborted) await call('GET', prepared.share_path, { headers: { accept: 'text/html' } });
 *   };
 *
 *   unharmedBy('a page that is dear to draw', import.meta.url);
 *
 * `unharmedBy` is the whole test. `underAttack` measures, `assertUnharmed` judges: no kind has a p99 above a second that is
 * more than 5 times the undisturbed one (`TEST_RATIOS=1`: more than 5 times, however short), the victim is served every time,
 * it is served as before soon after each attack, and neither is answered 5xx.
 *
 * The file is read a second time in the attacker's own process, of lower priority (`attacker-process.ts`): there it only
 * attacks. What the attacker is answered through `call` is counted; sockets written by hand tell it by `answered(status)`;
 * `tenant.as` and `tenant.ask` are not counted. Public links have a limit per minute and address: the victim's readers each
 * have an address of their own, the attacker has one unless it sends `x-forwarded-for` itself (`LEDGER_TRUST_PROXY` is set).
 * `{ engines: ['sqlite', 'postgres'] }` is for attacks on the database; SQLite alone is the default.
 *
 * Noise: on two cores that ten others use too, and with no attack at all, the undisturbed p99 of `GET /organization` was between
 * 5 and 14 ms (median 0.6), and the ratio of the two p99 up to 6. So what may be noise (not an answer of 5xx) is measured again, on a new
 * ledger, up to `ATTEMPTS` times, and counts as harm where each of them found it. And what is quicker than `FLOOR_MS` counts as that:
 * on an idle machine an attacked p99 below 5 × FLOOR_MS is no harm.
 */
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '@rcpt/service/db/db.ts';
import type { RunningTest, Tenant } from '../../../packages/ledger/test/kit/running.ts';
import { type Engine, eachEngine } from '../../kit/engines.ts';
import { MIGRATIONS } from '../process.ts';
import { isAttacker, startAttacker } from './attacker.ts';
import { ask, askEach, KINDS, paceFor, type Sample } from './pace.ts';
import { assertUnharmed, isServedAsBefore, lesser, mayBeNoise, type Result, resultOf, tableOf } from './result.ts';
import { openTenants, type Tenants } from './tenants.ts';

export interface Attacker {
  url: string;
  /** The attacker's own organization. */
  tenant: Tenant;
  /** As `callerOf` gives it; its answers are counted. */
  call: RunningTest['call'];
  /** For what does not go through `call`. */
  answered(status: number): void;
  /** The ledger's process id: only the kit's own test uses it. */
  pid: number;
}
// biome-ignore lint/suspicious/noExplicitAny: each attack knows what it has prepared
export type Attack = (attacker: Attacker & { signal: AbortSignal; prepared: any }) => Promise<void>;
export type Prepare = (attacker: Attacker) => Promise<unknown>;

export interface Options {
  engines?: Engine[];
  /** Settings of the ledger beside the usual ones. */
  settings?: Record<string, string>;
  /** What no API can prepare, written into the database. */
  before?: (db: Db, tenants: Tenants) => Promise<void>;
}

const ROUNDS = 2;
/**
 * Per kind and round: 120 in two rounds, whose p99 is the second slowest. What delays two requests in a hundred shows in it,
 * and one hiccup of the machine does not.
 */
const SAMPLES = 60;
const ATTEMPTS = 5;
const RECOVERY_MS = 20_000;
const RECOVERY_PAUSE_MS = 250;

/** The whole of one attack's test. Does nothing where the file is read by the attacker's own process. */
export function unharmedBy(
  title: string,
  file: string,
  { engines = ['sqlite'], settings = {}, before }: Options = {},
): void {
  if (isAttacker) return;
  eachEngine('tenants', MIGRATIONS, (fresh, engine) => {
    if (!engines.includes(engine)) return;
    test(`are not made to wait by ${title}`, async (t) => {
      let least: Result | null = null;
      for (let attempt = 1; attempt <= ATTEMPTS && (least === null || mayBeNoise(least)); attempt++) {
        const database = await fresh();
        const tenants = await openTenants(database, settings);
        await before?.(database.db, tenants);
        const result = await underAttack(tenants, file);
        await tenants.ledger.kill();
        for (const line of tableOf(result).split('\n')) t.diagnostic(line);
        least = least === null ? result : lesser(least, result);
      }
      assertUnharmed(least!);
    });
  });
}

/** @param file the module that exports `attack`, as `import.meta.url` */
export async function underAttack(tenants: Tenants, file: string): Promise<Result> {
  const attacker = await startAttacker(tenants, file);
  const undisturbed: Sample[] = [];
  const attacked: Sample[] = [];
  let recovered = true;
  try {
    const pace_ms = await paceFor(tenants.victim, SAMPLES / 2);
    for (let round = 0; round < ROUNDS && recovered; round++) {
      undisturbed.push(...(await askEach(tenants.victim, SAMPLES, pace_ms)));
      await attacker.begin();
      attacked.push(...(await askEach(tenants.victim, SAMPLES, pace_ms)));
      await attacker.end();
      recovered = await recovers(tenants.victim, undisturbed);
    }
  } finally {
    attacker.kill();
  }
  return resultOf(undisturbed, attacked, { attacker: attacker.statuses(), recovered });
}

/** What an attack leaves behind must not be taken for the undisturbed state: each kind is as quick as it was, twice. */
async function recovers(victim: Tenants['victim'], undisturbed: Sample[]): Promise<boolean> {
  const deadline = performance.now() + RECOVERY_MS;
  let good = 0;
  while (good < 2) {
    if (performance.now() > deadline) return false;
    const samples = [];
    for (const kind of KINDS) samples.push(await ask(victim, kind));
    good = samples.every((sample) => isServedAsBefore(sample, undisturbed)) ? good + 1 : 0;
    await sleep(RECOVERY_PAUSE_MS);
  }
  return true;
}
