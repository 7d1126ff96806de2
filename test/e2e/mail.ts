import { join } from 'node:path';
import { mailsIn } from '../kit/mail.ts';
import { until } from '../kit/until.ts';

/** The newest sign-in link mailed to `to` after `since`; waits for it. */
export function mailedLink(data: string, to: string, since: number): Promise<string> {
  return until(`a sign-in link is mailed to ${to}`, () => {
    for (const { text } of mailsIn(join(data, 'outbox'), to).filter(({ at }) => at >= since)) {
      const link = /https?:\/\/\S+\/sign-in#token=[\w-]+/.exec(text)?.[0];
      if (link !== undefined) return link;
    }
    return null;
  });
}
