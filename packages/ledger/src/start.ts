/** A running ledger from its configuration: everything that has a lifetime is opened here and closed in the opposite order. */

import { forgetOldKeys } from '@rcpt/service/http/idempotency.ts';
import { newSortedSecret, now } from '@rcpt/service/ids.ts';
import { openPrices } from '@rcpt/service/prices.ts';
import { createProbe } from '@rcpt/service/process/health.ts';
import type { Logger } from '@rcpt/service/process/log.ts';
import { listen, openOwnDatabase } from '@rcpt/service/process/start.ts';
import { createApp } from './app.ts';
import { createMinter } from './chain/mint.ts';
import { openVerifier } from './chain/verifier.ts';
import { openChangeFeed } from './changes/feed.ts';
import { emittingChanges } from './changes/transaction.ts';
import { type Config, mayCallPrivate } from './config.ts';
import { finishErasures } from './disclosures/finish.ts';
import { loadDecided } from './disclosures/read.ts';
import type { Ledger } from './ledger.ts';
import { checkMasterKey, openLogKeys } from './log/keys.ts';
import { openLogs } from './log/logs.ts';
import { openMasterKey } from './log/master-key.ts';
import { openBackgroundMail } from './mail/background.ts';
import { openMailer } from './mail/mail.ts';
import { hourOf } from './mail/mail-hours.ts';
import { MIGRATIONS } from './migrations.ts';
import { openStorage } from './outbox/storage.ts';
import { type Copier, startCopier } from './outbox/worker.ts';
import { CredentialCache } from './people/credential-cache.ts';
import { sessionCookie } from './people/session-cookie.ts';
import { openDeciders } from './runs/deciders.ts';
import { sweepEvidence } from './runs/evidence.ts';
import { besideOf } from './share/beside.ts';
import { type Asked, createPrinter } from './share/printer.ts';
import { forgetHours } from './store/mail-hours.ts';
import { forgetRequests } from './store/mailbox-requests.ts';
import { findSignature, forgetChallenges } from './store/passkeys.ts';
import { forgetEndedSessions } from './store/sessions.ts';
import { startStamper } from './timestamps/stamper.ts';
import { startSubmitter } from './witnesses/submitter.ts';

const FORGET_EVERY_MS = 600_000;
/** Without a mint for so long, the copier has the machine to itself. */
const LULL_MS = 50;

const NO_COPIER: Copier = { wake: () => undefined, close: async () => undefined };

/** Longer than any upload takes. */
const anHourAgo = () => new Date(Date.now() - 3_600_000).toISOString();

export interface RunningLedger {
  /** What it listens on, e.g. `http://127.0.0.1:8080`. */
  url: string;
  port: number;
  /** Stops taking requests, answers those in hand, releases everything. */
  close(): Promise<void>;
}

export interface StartOptions {
  /** False: receipts are neither copied nor mailed by this process; what is due stays in the outbox. */
  copies?: boolean;
}

/** Throws `schema_behind`, the error of a port that is taken, or `ConfigError` for a setting that cannot be used. */
export async function startLedger(
  config: Config,
  logger: Logger,
  { copies = true }: StartOptions = {},
): Promise<RunningLedger> {
  const prices = openPrices(config.prices_file);
  const master_key = openMasterKey(config);
  const database = await openOwnDatabase('LEDGER_DATABASE_URL', config.database_url, MIGRATIONS, logger);
  const credentials = new CredentialCache(() => feed.emitRights());
  const feed = await openChangeFeed(database, () => credentials.clear());
  const db = emittingChanges(database, feed, (organization_ids) => logs.grown(organization_ids, 'activity'));

  await checkMasterKey(database, master_key);
  const host = () => new URL(config.base_url ?? address.url).host;
  const logs = openLogs({ db, keys: openLogKeys(db, master_key, host, now), now }, logger);

  const only_public_witnesses = !mayCallPrivate(config);
  const submitter = startSubmitter({ db, logs, logger, only_public: only_public_witnesses });
  logs.onSigned((organization_id) => submitter.wake(organization_id));

  const storage = openStorage(config.storage_url);
  const mailer = openMailer(config.smtp_url, config.email_from);
  const printer = createPrinter({
    besideOf: (organization_id, org_seq) => besideOf(db, logs, organization_id, org_seq, logger),
    approvalOf: async (organization_id, org_seq) => {
      const signed = await findSignature(db, organization_id, org_seq);
      return signed && JSON.stringify(signed);
    },
    onFault: (error) => logger.error({ err: error }, 'a receipt could not be drawn'),
  });
  const deciders = openDeciders(logger);
  const verifier = openVerifier(config.database_url, logger);
  const failed = (dependency: string) => (error: unknown) => logger.warn({ dependency, err: error }, 'probe failed');
  const address = { url: '' };
  let minted_at = Number.NEGATIVE_INFINITY;
  const minter = createMinter({
    db,
    get base_url() {
      return config.base_url ?? address.url;
    },
    now,
    newShareToken: newSortedSecret,
    queue_limit: config.mint_queue,
    onMinted: (organization_ids) => {
      logs.grown(organization_ids, 'receipts');
      minted_at = performance.now();
      copier.wake();
    },
  });
  // Between two commits there may be an instant without a waiting mint: that is not the end of the mints.
  const busy = () => minter.pending() > 0 || performance.now() - minted_at < LULL_MS;
  // A copy that has left cannot be called back: it says what is shown, and holds no value.
  const renderPdf = async (of: Asked & { org_seq: number }) => {
    const decided = await loadDecided(db, of, { texts: false });
    return (await printer.pdf({ ...of, decided })).file;
  };
  const copier = copies
    ? startCopier({ db, storage, mailer, renderPdf, logger, busy, mail_limits: config })
    : NO_COPIER;
  const mails = openBackgroundMail(mailer, logger);
  const ledger: Ledger = {
    config,
    get base_url() {
      return config.base_url ?? address.url;
    },
    db,
    prices,
    deciders,
    minter,
    mails,
    session_cookie: sessionCookie(config.base_url?.startsWith('https:') ?? false),
    credentials,
    verifier,
    logs,
    submitter,
    only_public_witnesses,
    feed,
    storage,
    printer,
    probes: {
      db: createProbe(async () => void (await db.get('select 1 as one')), { onFailure: failed('db') }),
      storage: createProbe((signal) => storage.probe(signal), { onFailure: failed('storage') }),
      email: createProbe((signal) => mailer.probe(signal), { onFailure: failed('email') }),
    },
    now,
  };
  const stamper = startStamper({
    db,
    logs,
    logger,
    url: config.tsa_url,
    interval_seconds: config.tsa_interval_seconds,
  });
  const app = await createApp(ledger, logger);
  const forgetting = setInterval(() => {
    Promise.all([
      forgetOldKeys(db),
      forgetEndedSessions(db, now()),
      forgetChallenges(db, now()),
      forgetRequests(db, anHourAgo()),
      forgetHours(db, hourOf(Date.now())),
      sweepEvidence(ledger, anHourAgo()),
      finishErasures(ledger),
    ]).catch((error: unknown) => logger.warn({ err: error }, 'what is over stays stored for now'));
  }, FORGET_EVERY_MS);

  const { url, port } = await listen(app, 'LEDGER_HOST, LEDGER_PORT', config);
  address.url = url;
  deciders.warm();
  // What a crash left of an erasure.
  finishErasures(ledger).catch((error: unknown) => logger.warn({ err: error }, 'an erasure is not finished yet'));
  return {
    url,
    port,
    async close() {
      await app.close();
      clearInterval(forgetting);
      await submitter.close();
      await stamper.close();
      await Promise.all([copier.close(), mails.close(), feed.close(), logs.close()]);
      await Promise.all([deciders.close(), verifier.close(), printer.close(), storage.close(), mailer.close()]);
      await db.close();
    },
  };
}
