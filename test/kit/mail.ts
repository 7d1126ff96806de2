/** What a folder of mails holds, as a mail program would show it: `LEDGER_SMTP_URL=file:<folder>` writes a file per mail. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface FoundMail {
  /** Of its file, without the ending: `sign-in.…`, `invitation.…`, `RCPT-…`. */
  name: string;
  /** Milliseconds since 1970. */
  at: number;
  /** With quoted-printable undone. */
  text: string;
}

/** The mails to `to` whose names begin with `kind`, newest first. */
export function mailsIn(folder: string, to: string, kind = ''): FoundMail[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.startsWith(kind) && file.endsWith('.eml'))
    .map((file) => {
      const path = join(folder, file);
      return {
        name: file.slice(0, -'.eml'.length),
        at: statSync(path).mtimeMs,
        text: decoded(readFileSync(path, 'utf8')),
      };
    })
    .filter(({ text }) => text.includes(`To: ${to}`))
    .sort((a, b) => b.at - a.at);
}

function decoded(text: string): string {
  return text
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
