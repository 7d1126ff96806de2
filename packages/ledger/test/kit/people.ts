/** A person with a mailbox and a browser, over plain HTTP. */
import { join } from 'node:path';
import { mailsIn } from '../../../../test/kit/mail.ts';
import { until } from '../../../../test/kit/until.ts';
import type { Answer, CallOptions, RunningTest, Tenant } from './running.ts';

type Ledger = Pick<RunningTest, 'call' | 'folder'>;

let people = 0;
/** A mailbox that is used once in this run. */
export function newMailbox(): string {
  return `person-${++people}.${process.hrtime.bigint()}@example.org`;
}

/** The texts of all mails to this mailbox, of one kind. */
export function mailsTo({ folder }: Pick<Ledger, 'folder'>, email: string, kind: 'sign-in' | 'invitation'): string[] {
  return mailsIn(join(folder, 'outbox'), email, `${kind}.`).map(({ text }) => text);
}

/** Waits, for mail goes out behind the answer. */
export function mailTo(ledger: Ledger, email: string, kind: 'sign-in' | 'invitation', count = 1): Promise<string[]> {
  return until(`${count} ${kind} mails to ${email}`, () => {
    const mails = mailsTo(ledger, email, kind);
    return mails.length >= count ? mails : null;
  });
}

export function tokenIn(mail: string): string {
  return /\/sign-in#token=([\w-]+)/.exec(mail)![1]!;
}

/** Asks for a link and reads it in the mailbox. */
export async function linkToken(ledger: Ledger, email: string): Promise<string> {
  const before = new Set(mailsTo(ledger, email, 'sign-in'));
  const asked = await ledger.call('POST', '/sign-in', { body: { email } });
  if (asked.status !== 200) throw new Error(asked.text);
  const mails = await mailTo(ledger, email, 'sign-in', before.size + 1);
  return tokenIn(mails.find((mail) => !before.has(mail))!);
}

/** `name=value` of the session cookie an answer sets. */
export function cookieIn({ headers }: Answer): string {
  return headers.getSetCookie()[0]!.split(';')[0]!;
}

export interface Browser {
  cookie: string;
  /** As the ledger's own pages ask. */
  ask(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

export function browserOf({ call }: Pick<Ledger, 'call'>, cookie: string): Browser {
  return {
    cookie,
    ask: (method, path, options = {}) =>
      call(method, path, { ...options, headers: { cookie, 'sec-fetch-site': 'same-origin', ...options.headers } }),
  };
}

export async function signIn(ledger: Ledger, email: string): Promise<Browser> {
  const answer = await ledger.call('POST', '/session', { body: { token: await linkToken(ledger, email) } });
  if (answer.status !== 200) throw new Error(answer.text);
  return browserOf(ledger, cookieIn(answer));
}

/** Invited by the owner's key. */
export async function addMember(
  tenant: Tenant,
  role: string,
  email: string = newMailbox(),
): Promise<{ id: string; email: string }> {
  return tenant.as('owner')('POST', '/members', { email, role });
}

/** Chooses the name that stands in receipts. */
export async function named(browser: Browser, public_name: string): Promise<void> {
  const { status, text } = await browser.ask('PATCH', '/session', { body: { public_name } });
  if (status !== 200) throw new Error(text);
}
