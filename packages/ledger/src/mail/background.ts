/** Mails that are sent behind the answer, best effort: one that is lost is asked for again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@rcpt/service/process/log.ts';
import type { Mailer, Message } from './mail.ts';

const MAIL_MS = 30_000;
const ANSWER_MS = 20;

export interface BackgroundMail {
  /** @param is_sent false: the mail is written and thrown away */
  send(write: () => Message, options?: { is_sent: boolean }): void;
  /** Waits for the mails in hand. */
  close(): Promise<void>;
}

export function openBackgroundMail(mailer: Mailer, logger: Logger): BackgroundMail {
  const in_hand = new Set<Promise<void>>();

  async function deliver(write: () => Message, is_sent: boolean): Promise<void> {
    // The answer leaves first: its time does not tell whether there is a mail to send.
    await sleep(ANSWER_MS);
    try {
      const message = write();
      if (is_sent) await mailer.send(message, AbortSignal.timeout(MAIL_MS));
    } catch (error) {
      // A mail server's own words may repeat an address.
      const { name, code } = error as Error & { code?: unknown };
      logger.warn({ error: name, code }, 'a mail to a person was not sent');
    }
  }

  return {
    send(write, { is_sent } = { is_sent: true }) {
      const delivered = deliver(write, is_sent).finally(() => in_hand.delete(delivered));
      in_hand.add(delivered);
    },
    async close() {
      await Promise.all(in_hand);
    },
  };
}
