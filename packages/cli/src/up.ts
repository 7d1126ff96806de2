/** `./rcpt up`: the ledger on embedded defaults, a demonstration on the first start, and it stays up. */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ledgerClient } from '@rcpt/contract/client.ts';
import { type Component, startComponent } from './component.ts';
import { type Demo, demonstrate } from './demo.ts';

const HELP = `Usage: ./rcpt up [--data DIR] [--no-demo] [--json]

Starts the ledger on its embedded defaults under ./data. The first start creates a demo organization and takes a
benchmark of this machine from Inputs to a verified receipt; later starts find everything as it was.

  --data DIR  where everything is kept (default: data)
  --no-demo   only start
  --json      print the addresses and the demo as one JSON line on stdout
The settings of ./rcpt ledger (LEDGER_PORT and the others) apply.
`;

/** Resolves with the exit code once everything has drained. */
export async function up(args: string[]): Promise<number> {
  const options = parse(args);
  if (typeof options === 'number') return options;
  const data = resolve(options.data);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const admin_token = process.env.LEDGER_ADMIN_TOKEN || randomBytes(32).toString('base64url');
  const say = (line: string) => void process.stderr.write(`${line}\n`);

  let ledger: Component;
  try {
    ledger = await startComponent('ledger', { ...ledgerDefaults(data), LEDGER_ADMIN_TOKEN: admin_token }, say);
  } catch (error) {
    say((error as Error).message);
    return 1;
  }
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      stopping = true;
      void ledger.stop();
    });
  try {
    const demo = options['no-demo'] ? null : await demonstrate(data, ledger.url, admin_token, say);
    if (options.json) process.stdout.write(`${JSON.stringify({ ledger_url: ledger.url, data, demo })}\n`);
    else process.stdout.write(welcome(ledger.url, data, demo, await verified(ledger.url, demo)));
  } catch (error) {
    if (!stopping) say(`The demonstration stopped: ${(error as Error).message}\nThe ledger stays up; the next start tries again.`);
  }
  const code = await ledger.ended;
  return stopping ? code : 1;
}

function parse(args: string[]) {
  const options = {
    data: { type: 'string', default: 'data' },
    'no-demo': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  try {
    const { values } = parseArgs({ args, options });
    if (!values.help) return values;
    process.stdout.write(HELP);
    return 0;
  } catch (error) {
    process.stderr.write(`rcpt up: ${(error as Error).message}\n\n${HELP}`);
    return 2;
  }
}

/** The embedded defaults, moved under `data`; what the environment says goes first. */
function ledgerDefaults(data: string): Record<string, string> {
  const defaults = {
    LEDGER_DATABASE_URL: `sqlite:${data}/ledger.db`,
    LEDGER_STORAGE_URL: `file:${data}/objects`,
    LEDGER_SMTP_URL: `file:${data}/outbox`,
  };
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => !process.env[name]));
}

async function verified(base_url: string, demo: Demo | null): Promise<string> {
  if (demo === null) return '';
  const report = await ledgerClient({ base_url, token: demo.auditor_key }).verify();
  const { ok, receipts_checked, head } = report;
  if (ok) return `Chain verified: ${receipts_checked} receipt${receipts_checked === 1 ? '' : 's'}, head ${head?.receipt_sha256.slice(0, 16)}…`;
  return `THE CHAIN DOES NOT VERIFY: ${report.violation?.kind} at ${report.violation?.receipt_id}`;
}

function welcome(url: string, data: string, demo: Demo | null, chain: string): string {
  const addresses = `
Receipt ledger   ${url}
  API            ${url}/docs
  Health         ${url}/healthz
  Data           ${data}
`;
  if (demo === null) return `${addresses}\nCtrl-C stops it.\n`;
  return `${addresses}
Demo receipt ${demo.receipt_id}: ${demo.outcome}, ${demo.score_100} of 100
  Page           ${demo.share_url}
  PDF            ${demo.share_url}/pdf
  ${chain}

Verify it without trusting this server:
  curl -s ${demo.share_url}/download -o receipt.json && ./rcpt verify receipt.json
  KEY=$(node -p "require('${data}/demo.json').auditor_key")
  curl -s -H "authorization: Bearer $KEY" -H "accept: application/x-ndjson" ${url}/ledger -o chain.ndjson && ./rcpt verify chain.ndjson

The keys of the demo organization are in ${data}/demo.json. Ctrl-C stops everything.
`;
}
