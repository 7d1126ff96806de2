/** What the outbox folder holds for somebody, as a mail program would show it. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The newest sign-in link mailed to `to` after `since`. Throws after a minute without one. */
export async function mailedLink(data: string, to: string, since: number): Promise<string> {
  for (let tries = 0; tries < 600; tries++) {
    for (const { text } of mails(data).filter((mail) => mail.at >= since && mail.text.includes(`To: ${to}`))) {
      const link = /https?:\/\/\S+\/sign-in#token=[\w-]+/.exec(text)?.[0];
      if (link !== undefined) return link;
    }
    await sleep(100);
  }
  throw new Error(`no sign-in link was mailed to ${to}`);
}

/** Newest first, with quoted-printable undone. */
function mails(data: string): { at: number; text: string }[] {
  const folder = join(data, 'outbox');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.eml'))
    .map((name) => ({
      at: statSync(join(folder, name)).mtimeMs,
      text: decoded(readFileSync(join(folder, name), 'utf8')),
    }))
    .sort((a, b) => b.at - a.at);
}

function decoded(text: string): string {
  return text
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
