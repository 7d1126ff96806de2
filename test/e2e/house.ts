/** `./rcpt up` as a newcomer starts it, on free ports and a folder of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface Keys {
  organization_id: string;
  owner_key: string;
  agent_key: string;
  approver_key: string;
  auditor_key: string;
  share_url: string;
  training: { job_id: string; cook: { share_url: string; receipt_id: string } };
}

export interface House {
  ledger_url: string;
  router_url: string;
  data: string;
  /** Good once. */
  sign_in_url: string;
  demo: Keys;
  stop(): Promise<number | null>;
}

export async function startHouse(): Promise<House> {
  const folder = mkdtempSync(join(tmpdir(), 'e2e-'));
  const data = join(folder, 'data');
  const up = spawn('./rcpt', ['up', '--data', data, '--json'], {
    // A test machine may be busy with others: that is not what is tested here.
    env: {
      ...process.env,
      LEDGER_PORT: '0',
      ROUTER_PORT: '0',
      LEDGER_OVERLOAD_DELAY_MS: '60000',
      ROUTER_OVERLOAD_DELAY_MS: '60000',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  up.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const ended = once(up, 'exit');
  const [line] = await Promise.race([
    once(createInterface(up.stdout), 'line'),
    ended.then(() => Promise.reject(new Error(`./rcpt up ended: ${said}`))),
  ]);
  const standing = JSON.parse(String(line)) as Omit<House, 'demo' | 'stop'>;
  return {
    ...standing,
    demo: JSON.parse(readFileSync(join(data, 'demo.json'), 'utf8')) as Keys,
    async stop() {
      up.kill('SIGTERM');
      const [code] = await ended;
      rmSync(folder, { recursive: true, force: true });
      return code as number | null;
    },
  };
}
