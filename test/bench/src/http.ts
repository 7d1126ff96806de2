/** What HTTP itself costs here: the load against a server that does nothing. No mint over HTTP can be faster. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { answer, request } from './load.ts';
import type { Report } from './report.ts';

const CONNECTIONS = 64;

export async function measureHttp(sizes: { rounds: number; requests: number }, report: Report): Promise<void> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('empty-server.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    const requests = Array.from({ length: sizes.requests }, () =>
      request('POST', '/', { authorization: `Bearer rk_${'0'.repeat(76)}` }),
    );
    const ask = () => answer(Number(port), CONNECTIONS, requests);
    await ask();
    const rates: number[] = [];
    let load_us = 0;
    for (let round = 0; round < sizes.rounds; round++) {
      const { seconds, own_cpu_us } = await ask();
      rates.push(requests.length / seconds);
      load_us += own_cpu_us / sizes.rounds;
    }
    report.add({
      name: 'requests to an empty server',
      on: 'node:http',
      unit: '/s',
      rounds: rates,
      also: { 'load µs': load_us },
    });
  } finally {
    child.kill();
  }
}
