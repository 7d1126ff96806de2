/** What `./rcpt up` prints once everything stands. */
import { ledgerClient } from '@rcpt/contract/client/ledger.ts';
import type { Demo } from './demo.ts';

export interface Started {
  ledger_url: string;
  router_url: string;
  data: string;
  demo: Demo | null;
  /** The folder mail goes to; null: a mail server. */
  outbox: string | null;
  /** Good once, for fifteen minutes. */
  sign_in_url: string | null;
}

export async function welcome(started: Started): Promise<string> {
  const { ledger_url, router_url, data, demo } = started;
  const addresses = `
Console          ${ledger_url}/
${signIn(started)}Receipt ledger   ${ledger_url}
  API            ${ledger_url}/docs
  Health         ${ledger_url}/healthz
Compute router   ${router_url}, with one worker on this machine
  API            ${router_url}/docs
  Receipts       ${data}/receipts
Data             ${data}
`;
  if (demo === null) return `${addresses}\nCtrl-C stops everything.\n`;
  return `${addresses}${benchmark(demo)}${training(demo, data)}
${await verified(ledger_url, demo)}

Verify it without trusting these servers:
  curl -s ${demo.training?.cook?.share_url ?? demo.share_url}/download -o receipt.json && ./rcpt verify receipt.json
  KEY=$(node -p 'require(process.argv[1]).auditor_key' ${quoted(`${data}/demo.json`)})
  curl -s -H "authorization: Bearer $KEY" -H "accept: application/x-ndjson" ${ledger_url}/ledger -o chain.ndjson && ./rcpt verify chain.ndjson
  ./rcpt verify ${quoted(`${data}/receipts`)}

The keys of the demo organization are in ${data}/demo.json. Ctrl-C stops everything.
`;
}

/** For a shell, where the path asks for it. */
function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

function signIn({ demo, outbox, ledger_url, sign_in_url }: Started): string {
  if (demo?.owner_email === undefined) return '';
  if (sign_in_url === null) return `  Sign in        ${ledger_url}/sign-in as ${demo.owner_email}\n`;
  return `  Sign in        ${sign_in_url}
                 once, within 15 minutes, as ${demo.owner_email}; later links arrive in ${outbox}
`;
}

function benchmark({ receipt_id, outcome, score_100, share_url }: Demo): string {
  if (receipt_id === undefined) return '';
  return `
Benchmark of this machine    ${receipt_id}: ${outcome}, ${score_100} of 100
  Page           ${share_url}
  PDF            ${share_url}/pdf
`;
}

function training({ training }: Demo, data: string): string {
  if (training?.cook === undefined) return '';
  const { cook, pin, model, job, eval_before, eval_after } = training;
  return `
Training on this machine     ${cook.receipt_id}: accuracy ${eval_before} before, ${eval_after} after
  Page           ${cook.share_url}
  PDF            ${cook.share_url}/pdf
  Pinned model   ${pin?.receipt_id}
  Model file     ${model?.uri}
                 SHA-256 ${model?.sha256}
  Cost           ${job?.actual_cost_usd.toFixed(2)} USD: ${job?.duration_seconds} s on this machine's CPU, charged by whole seconds, at least one,
                 at the demo rate in ${data}/prices.json
`;
}

async function verified(base_url: string, demo: Demo): Promise<string> {
  const report = await ledgerClient({ base_url, token: demo.auditor_key }).verify();
  const { ok, receipts_checked, head } = report;
  if (ok)
    return `Chain verified: ${receipts_checked} receipt${receipts_checked === 1 ? '' : 's'}, head ${head?.receipt_sha256.slice(0, 16)}…`;
  return `THE CHAIN DOES NOT VERIFY: ${report.violation?.kind} at ${report.violation?.receipt_id}`;
}
