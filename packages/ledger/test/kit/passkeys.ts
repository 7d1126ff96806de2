/** A person with a browser and an authenticator. */
import { type Algorithm, type SoftPasskey, softPasskey } from '../../../../test/kit/passkey.ts';
import { addMember, type Browser, named, signIn } from './people.ts';
import type { Answer, SuiteLedger, Tenant } from './running.ts';

/** What `LEDGER_BASE_URL` is set to; calls go to where the ledger listens. */
export const ORIGIN = 'http://localhost:4123';

export interface Signer {
  id: string;
  browser: Browser;
  passkey: SoftPasskey;
  /** Of the enrolment. */
  enrolled: Answer['json'];
  public_name: string;
}

export async function member(ledger: SuiteLedger, tenant: Tenant, role = 'approver', public_name = 'Ada Examiner') {
  const { id, email } = await addMember(tenant, role);
  const browser = await signIn(ledger, email);
  await named(browser, public_name);
  return { id, email, browser, public_name };
}

/** A member with a passkey in this organization. */
export async function signer(
  ledger: SuiteLedger,
  tenant: Tenant,
  { algorithm, counts, public_name }: { algorithm?: Algorithm; counts?: boolean; public_name?: string } = {},
): Promise<Signer> {
  const person = await member(ledger, tenant, 'approver', public_name);
  const passkey = softPasskey(ORIGIN, algorithm, counts);
  return { ...person, passkey, enrolled: await enrol(person.browser, passkey) };
}

export async function enrol(browser: Browser, passkey: SoftPasskey, name = 'Laptop'): Promise<Answer['json']> {
  const options = await ok(browser.ask('POST', '/passkeys/options'));
  return ok(browser.ask('POST', '/passkeys', { body: { ...passkey.enrol(options), name } }));
}

export const offer = (tenant: Tenant, passkey_approvals = 'offered', more = {}) =>
  tenant.as('owner')('PATCH', '/organization', { passkey_approvals, ...more });

export const askToSign = (browser: Browser, run: string, body: object = { decision: 'approved', note: '' }) =>
  browser.ask('POST', `/runs/${run}/approval/options`, { body });

export const approve = (browser: Browser, run: string, body: object) =>
  browser.ask('POST', `/runs/${run}/approval`, { body: { decision: 'approved', ...body } });

/** Options, signature, approval. */
export async function approveSigned({ browser, passkey }: Signer, run: string, note = ''): Promise<Answer['json']> {
  const { challenge } = await ok(askToSign(browser, run, { decision: 'approved', note }));
  return ok(approve(browser, run, { note, assertion: passkey.assert(challenge) }));
}

export async function ok(answer: Promise<Answer>): Promise<Answer['json']> {
  const { status, json, text } = await answer;
  if (status >= 300) throw new Error(`HTTP ${status}: ${text}`);
  return json;
}

export const tokenOf = ({ share_url }: { share_url: string }): string => share_url.split('/').at(-1)!;
