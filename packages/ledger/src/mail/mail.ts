/** E-mail: over SMTP, or as `.eml` files in a folder for a machine without a mail server. */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { closeToOthers, PRIVATE, sweepUnfinished, writeWhole } from '@rcpt/storage/write-whole.ts';
import { createTransport, type SendMailOptions } from 'nodemailer';

export interface Message {
  /** The local part of the Message-ID, letters, digits, dots and hyphens: the same mail has the same one every time. */
  id: string;
  /** One address. */
  to: string;
  subject: string;
  text: string;
  html: string;
  attachments: { filename: string; content_type: string; bytes: Uint8Array }[];
}

export interface Mailer {
  /**
   * Resolves once the mail server has taken the message over, or the file is on disk. A crash, or an answer that gets
   * lost, may let it be sent again: the receiver recognises the repeat by its Message-ID.
   */
  send(message: Message, signal?: AbortSignal): Promise<void>;
  /** SMTP: greeting, TLS where offered, authentication. Folder: a file can be written. */
  probe(signal: AbortSignal): Promise<void>;
  close(): void;
}

export const MAIL_URL = /^(file:.+|smtps?:\/\/[^\s/]+(\/[^\s]*)?)$/;
/** `receipts@example.org` or `Receipts <receipts@example.org>`. */
export const MAIL_FROM = /^([^<>"\r\n]*<[^<>\s"@,;]+@[\w.-]+>|[^<>\s"@,;]+@[\w.-]+)$/;

const TIMEOUTS = { dnsTimeout: 3_000, connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 15_000 };

export function openMailer(url: string, from: string): Mailer {
  if (!MAIL_URL.test(url)) throw new Error('e-mail goes to file:<folder>, smtp://host:port or smtps://host:port');
  const domain = /@([\w.-]+)>?$/.exec(from.trim())?.[1];
  if (domain === undefined) throw new Error('the sender of e-mail is an address, or a name and an <address>');
  const compose = (message: Message) => composed(message, from, domain);
  return url.startsWith('file:') ? openMailFolder(url.slice('file:'.length), compose) : openSmtp(url, compose);
}

type Compose = (message: Message) => SendMailOptions;

function openSmtp(url: string, compose: Compose): Mailer {
  // STARTTLS is used whenever the server offers it; parameters of the URL (requireTLS, tls.…) go before these.
  const transport = createTransport({ pool: true, maxConnections: 4, maxRequeues: 1, ...TIMEOUTS, url });
  // Each `send` rejects with its own error. Without a listener an error of an idle connection would end the process.
  transport.on('error', () => undefined);
  return {
    async send(message, signal) {
      await transport.sendMail({ ...compose(message), signal });
    },
    async probe() {
      await transport.verify();
    },
    close: () => transport.close(),
  };
}

function openMailFolder(path: string, compose: Compose): Mailer {
  const folder = resolve(path);
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  void sweepUnfinished(folder);
  // It holds links that sign people in.
  const closed = closeToOthers(folder);
  closed.catch(() => undefined);
  const write = async (name: string, bytes: Buffer) => {
    await closed;
    await writeWhole(folder, join(folder, name), bytes, PRIVATE);
  };
  return {
    async send(message) {
      const { message: bytes } = await transport.sendMail(compose(message));
      await write(`${message.id}.eml`, bytes as Buffer);
    },
    async probe() {
      const name = `probe-${randomBytes(6).toString('hex')}`;
      await write(name, Buffer.from('probe\n'));
      await rm(join(folder, name));
    },
    close() {},
  };
}

function composed(message: Message, from: string, domain: string): SendMailOptions {
  if (!/^\w[\w.-]{0,119}$/.test(message.id)) throw new Error('not the id of a message');
  return {
    from,
    // As an object it is taken as one address, not parsed as a list.
    to: { name: '', address: message.to },
    subject: message.subject,
    messageId: `<${message.id}@${domain}>`,
    text: message.text,
    html: message.html,
    attachments: message.attachments.map(({ filename, content_type, bytes }) => ({
      filename,
      contentType: content_type,
      content: Buffer.from(bytes),
    })),
    // RFC 3834: out-of-office notes do not answer such a mail.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
