/** What was found, by mail: the way the ledger sends its own. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTransport, type SendMailOptions } from 'nodemailer';

/** `file:<folder>` keeps each mail as a file, for machines without a mail server. */
export const MAIL_URL = /^(?:file:.+|smtps?:\/\/\S+)$/;

export interface Mail {
  from: string;
  to: string[];
  subject: string;
  text: string;
}

const TIMEOUT_MS = 30_000;
const BOUNDED = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };

/** Throws what the mail server says. */
export async function sendMail(url: string, mail: Mail): Promise<void> {
  const message: SendMailOptions = { ...mail, headers: { 'Auto-Submitted': 'auto-generated' } };
  const folder = /^file:(.+)/.exec(url)?.[1];
  if (folder === undefined) {
    const transport = createTransport({ url, ...BOUNDED });
    try {
      await transport.sendMail(message);
    } finally {
      transport.close();
    }
    return;
  }
  const { message: bytes } = await createTransport({ streamTransport: true, buffer: true }).sendMail(message);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, `${Date.now()}-${process.pid}.eml`), bytes as Buffer, { mode: 0o600 });
}
