/** The mails that bring a person in: the sign-in link, and the word that somebody invited them. Pure, but for their ids. */
import { randomBytes } from 'node:crypto';
import { shownLine } from '@rcpt/contract/shown.ts';
import type { Message } from './mail.ts';
import { escapeHtml, isolated, isolatedHtml } from './receipt-mail.ts';

const NAME_LENGTH = 120;

/** Whoever reads this mail within the minutes is signed in: it goes to the one address it is for. */
export function signInMail({ to, link, minutes }: { to: string; link: string; minutes: number }): Message {
  const once = `The link signs you in once, within ${minutes} minutes.`;
  const unasked = 'If you did not ask for it, leave it: nobody is signed in without it.';
  return {
    ...letter(to, 'sign-in', `Sign in to ${new URL(link).host}`),
    text: ['Sign in:', '', link, '', once, unasked, ''].join('\n'),
    html: page(`<p><a href="${escapeHtml(link)}">Sign in</a></p>`, [once, unasked]),
  };
}

/** @param invitation.link holds no secret: whoever follows it asks for a sign-in link of their own */
export function invitationMail(invitation: {
  to: string;
  link: string;
  /** Owners choose their organization's name, and a key's label. */
  organization: string;
  invited_by: string;
}): Message {
  const [organization, by] = [invitation.organization, invitation.invited_by].map((name) =>
    shownLine(name, NAME_LENGTH),
  );
  const invited = (as: (line: string) => string) => `${as(by!)} invited you to ${as(organization!)}.`;
  const how = 'Enter this e-mail address there, and a link to sign in is sent to you.';
  return {
    ...letter(invitation.to, 'invitation', `You are invited to ${organization}`),
    text: [invited(isolated), '', invitation.link, '', how, ''].join('\n'),
    html: page(`<p>${invited(isolatedHtml)}</p><p><a href="${escapeHtml(invitation.link)}">Sign in</a></p>`, [how]),
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
