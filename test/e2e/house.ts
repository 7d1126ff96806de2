/** `./rcpt up` as a newcomer starts it, on free ports and a folder of its own. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../kit/folders.ts';
import { startUp } from '../kit/process.ts';

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
  const folder = temporaryFolder('e2e');
  const data = join(folder, 'data');
  const { standing, stop } = await startUp<Omit<House, 'demo' | 'stop'>>(data);
  return {
    ...standing,
    demo: JSON.parse(readFileSync(join(data, 'demo.json'), 'utf8')) as Keys,
    async stop() {
      const code = await stop();
      rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
}
