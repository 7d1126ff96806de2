/** The mails to people: the sign-in link, and the invitation. Pure, but for their ids. */
import { randomBytes } from 'node:crypto';
import { shownLine } from '@rcpt/contract/shown.ts';
import type { Message } from './mail.ts';
import { escapeHtml, isolated, isolatedHtml } from './receipt-mail.ts';

const NAME_LENGTH = 120;

/** Its reader can sign in as the person: it goes to the one address it is for. */
export function signInMail({ to, link, minutes }: { to: string; link: string; minutes: number }): Message {
  const once = `The link signs you in once, within ${minutes} minutes.`;
  const unasked = 'If you did not ask for it, ignore this mail: without the link there is no sign-in.';
  return {
    ...letter(to, 'sign-in', `Sign in to ${new URL(link).host}`),
    text: ['Sign in:', '', link, '', once, unasked, ''].join('\n'),
    html: page(`<p><a href="${escapeHtml(link)}">Sign in</a></p>`, [once, unasked]),
  };
}

export interface Invitation {
  to: string;
  /** Holds no secret: on its page the person asks for a sign-in link of their own. */
  link: string;
  /** Owners choose an organization's name and a key's label. The id is made by the ledger. */
  organization: { id: string; name: string };
  invited_by: string;
  invited_at: string;
}

export function invitationMail(invitation: Invitation): Message {
  const { id } = invitation.organization;
  const [organization, by] = [invitation.organization.name, invitation.invited_by].map((name) =>
    shownLine(name, NAME_LENGTH),
  );
  const whoInvited = (as: (line: string) => string) =>
    invitation.invited_by.includes('@') ? as(by!) : `The API key “${as(by!)}”`;
  const invited = (as: (line: string) => string) => `${whoInvited(as)} invited you to ${as(organization!)}.`;
  const how = 'Enter this e-mail address there, and a link to sign in is sent to you.';
  const which = `Its id is ${id}; you were invited at ${invitation.invited_at}. Another organization may have the same name, but not the same id: compare it where you choose the organization to work in.`;
  return {
    ...letter(invitation.to, 'invitation', `You are invited to ${organization}`),
    text: [invited(isolated), '', invitation.link, '', how, which, ''].join('\n'),
    html: page(`<p>${invited(isolatedHtml)}</p><p><a href="${escapeHtml(invitation.link)}">Sign in</a></p>`, [
      how,
      which,
    ]),
  };
}

function letter(to: string, kind: string, subject: string): Omit<Message, 'text' | 'html'> {
  return { id: `${kind}.${randomBytes(16).toString('hex')}`, to, subject, attachments: [] };
}

function page(body: string, notes: string[]): string {
  return `<!doctype html>
<html lang="en"><body style="font:15px/1.5 system-ui,sans-serif;color:#1c2026;max-width:40rem">
${body}
${notes.map((note) => `<p style="color:#5c6470">${escapeHtml(note)}</p>`).join('\n')}
</body></html>
`;
}
