/** A sign-in link for the demo's owner: asked for as every client does, and read in the outbox folder, where mail arrives here. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ledgerClient } from '@rcpt/contract/client/ledger.ts';

const TIMEOUT_MS = 30_000;

/** Null when mail goes elsewhere, or none came: later links are asked for on the page. */
export async function signInLink(ledger_url: string, outbox: string | null, email: string): Promise<string | null> {
  if (outbox === null) return null;
  const before = new Set(mailsIn(outbox));
  // Asked for too often, or mail is away: everything else stands.
  const asked = await ledgerClient({ base_url: ledger_url })
    .requestSignIn(email)
    .catch(() => null);
  const deadline = performance.now() + TIMEOUT_MS;
  while (asked !== null && performance.now() < deadline) {
    // Only what arrived since: an older link may be used up.
    for (const file of mailsIn(outbox).filter((name) => !before.has(name))) {
      const link = linkIn(readFileSync(join(outbox, file), 'utf8'), email);
      if (link !== null) return link;
    }
    await sleep(50);
  }
  return null;
}

/** The folder that mail goes to; null for a mail server. */
export function outboxOf(smtp_url: string): string | null {
  return smtp_url.startsWith('file:') ? smtp_url.slice('file:'.length) : null;
}

function mailsIn(outbox: string): string[] {
  if (!existsSync(outbox)) return [];
  return readdirSync(outbox).filter((file) => file.startsWith('sign-in.') && file.endsWith('.eml'));
}

function linkIn(mail: string, email: string): string | null {
  if (!mail.split(/\r?\n/).includes(`To: ${email}`)) return null;
  // Quoted-printable: soft line breaks, and every = as =3D.
  const text = mail.replace(/=\r?\n/g, '').replaceAll('=3D', '=');
  return /https?:\/\/\S+\/sign-in#token=[\w-]+/.exec(text)?.[0] ?? null;
}
