/** Forms that break off after a few hundred bytes, or after the 64 KiB that need no turn, and some that drip. */
import { runAt } from '../../../packages/ledger/test/kit/story.ts';
import { parseAnswer, rawClient, requestText } from '../raw.ts';
import { type Attack, type Prepare, unharmedBy } from './victim.ts';

const CALLERS = 12;
const SENT = [300, 200_000];
const DRIP_MS = 200;

export const prepare: Prepare = ({ tenant }) => runAt(tenant, 'Inputs');

export const attack: Attack = async ({ url, tenant, answered, signal, prepared }) => {
  const head = requestText('POST', `/runs/${prepared}/evidence`, {
    authorization: `Bearer ${tenant.keys.agent}`,
    'content-type': 'multipart/form-data; boundary=b',
    'content-length': '5000000',
  });
  const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\n';
  const stall = async (bytes: number, drips: boolean) => {
    while (!signal.aborted) {
      const client = await rawClient(url);
      const stop = () => client.socket.destroy();
      signal.addEventListener('abort', stop);
      await client.send(`${head}${part}${'x'.repeat(bytes)}`);
      const drip = drips ? setInterval(() => client.socket.write('x'), DRIP_MS) : undefined;
      const { status } = parseAnswer(await client.ended);
      clearInterval(drip);
      signal.removeEventListener('abort', stop);
      if (!signal.aborted) answered(status);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, i) => stall(SENT[i % SENT.length]!, i % 3 === 0)));
};

unharmedBy('uploads that stall or drip', import.meta.url);
