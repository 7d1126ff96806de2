/** `./rcpt monitor`: what a schedule calls. It is silent when all is well, because cron mails what is printed. */
import { WrongUse } from '@rcpt/proof/cli-arguments.ts';
import { safeForTerminal } from '@rcpt/proof/one-line.ts';
import { ChainFault, NotVerified } from './found.ts';
import { look, lookAtShared } from './look.ts';
import { sendMail } from './mail.ts';
import { type Environment, type Options, readOptions } from './options.ts';
import { keepEvidence, readSeen, writeSeen } from './seen.ts';

const HELP = `Usage: ./rcpt monitor URL [--key KEY]… [--seen FILE | --no-seen] [--stale HOURS] [--mail TO]… [--json]

Looks at an organization's chain and its signed log from outside. Has the ledger verify the chain, fetches the signed checkpoint, demands
that it is signed by the expected key and continues the one that was seen last, then fetches and hashes here every receipt since then,
the first time all of them, and compares with the signed root. Prints nothing when all is well, and one paragraph when not: when the chain
was altered, rewritten or cut, an older backup was restored, another key signed, and when it could not be verified at all.

  URL                 the ledger, e.g. https://receipts.example.org (default: RCPT_URL); or a share link, which needs no API key:
                      then that receipt, its proof and the checkpoint are looked at, and that the log never gets shorter
  --key KEY           verifier key of the log, name+id+base64, as the organization told it; may be given again. Without it the first look
                      takes the one that the ledger names, and every later look demands that one
  --seen FILE         where what was seen last is kept (default: a file of this log in $XDG_STATE_HOME/rcpt or ~/.local/state/rcpt. Without --key
                      it goes by the API key, so that another API key begins anew)
  --no-seen           keeps nothing, and compares with no earlier look
  --witness KEY       verifier key of a witness, whose cosignature says when it saw the checkpoint; may be given again
  --stale HOURS       something is wrong when the log has not grown for so long (default: 48, with --activity 0; 0: never). A checkpoint holds
                      no time. What counts is the last cosignature of a --witness, else when this command first saw a log of this size: an
                      organization that mints nothing looks the same as a ledger that keeps its receipts from you
  --activity          looks at what administrators did, the organization's second chain, with a file and a --key of its own
  --checkpoint-only   verifies the checkpoint, and reads no receipts
  --holds SEQ:SHA256  the chain must hold this receipt, e.g. the head that was noted with a backup
  --mail TO           mails what is wrong, by RCPT_SMTP_URL (smtp://…, smtps://… or file:<folder>), from RCPT_EMAIL_FROM; may be given again
  --api-key-file FILE holds the API key; without it, RCPT_KEY does. The role auditor is enough
  --timeout SECONDS   how long each answer may take, 1 to 300 (default: 300)
  --json              the result as one JSON line on stdout, also when all is well
Exit codes: 0 all is well, 1 something is wrong or it could not be verified, 2 wrong use.
`;

const WHAT_NEXT = 'docs/operations.md says what to do next, under "When verification fails".';

/** Resolves with the exit code. */
export async function monitor(args: string[], environment: Environment): Promise<0 | 1 | 2> {
  let options: Options | null;
  try {
    options = readOptions(args, environment);
  } catch (error) {
    if (!(error instanceof WrongUse)) throw error;
    process.stderr.write(`rcpt monitor: ${error.message}\nSee ./rcpt monitor --help\n`);
    return 2;
  }
  if (options !== null) return watch(options);
  process.stdout.write(HELP);
  return 0;
}

async function watch(options: Options): Promise<0 | 1> {
  const { file, folder, json, shared, ...question } = options;
  try {
    const asked = { ...question, seen: file === undefined ? null : readSeen(file) };
    const seen = shared ? await lookAtShared(asked) : await look(asked);
    if (file !== undefined) writeSeen(file, seen, new Date(question.now()).toISOString(), folder);
    if (json) process.stdout.write(`${JSON.stringify({ ok: true, ...seen, reason: null })}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof ChainFault) && !(error instanceof NotVerified)) throw error;
    await tell(options, error);
    return 1;
  }
}

async function tell({ ledger, file, mail, json }: Options, error: ChainFault | NotVerified): Promise<void> {
  const said = safeForTerminal(error.message.replace(/\s+/g, ' '));
  const verified = error instanceof ChainFault;
  const verdict = verified ? said : `the chain could not be verified: ${said}`;
  const evidence =
    verified && error.evidence !== null && file !== undefined ? keepEvidence(file, error.evidence) : null;
  const kept = evidence === null ? '' : ` What was served now is kept in ${evidence}, what was seen before in ${file}.`;
  const paragraph = `rcpt monitor: ${ledger.base_url}: ${verdict}.${kept} ${WHAT_NEXT}\n`;
  process.stderr.write(paragraph);
  if (json) process.stdout.write(`${JSON.stringify({ ok: false, verified, reason: said })}\n`);
  if (mail === null) return;
  const { url, ...envelope } = mail;
  const host = new URL(ledger.base_url).host;
  const subject = `${host}: ${verified ? said.split(':', 1)[0] : 'the receipts could not be verified'}`.slice(0, 200);
  await sendMail(url, { ...envelope, subject, text: paragraph }).catch((failure: Error) =>
    process.stderr.write(`rcpt monitor: no mail was sent: ${safeForTerminal(failure.message)}\n`),
  );
}
