/** `./rcpt help`, `./rcpt --version` and the commands of this package; the launcher sends the others to their component. */
import { didYouMean } from '@rcpt/proof/cli-arguments.ts';
import manifest from '../package.json' with { type: 'json' };

const HELP = `rcpt: a receipt ledger and a compute router

  ./rcpt up                  ledger, router and one worker on embedded defaults under ./data; two demonstrations on the first start
  ./rcpt ledger              the ledger alone, in the foreground; SIGTERM drains and exits 0
  ./rcpt router              the compute router alone
  ./rcpt worker              a worker: leases jobs from a router and runs them
  ./rcpt migrate             bring the database schema up to date
  ./rcpt org create          create an organization and its first owner key
  ./rcpt org router          connect an organization with its compute router, or with none
  ./rcpt org storage         let an organization store more or fewer bytes than the others
  ./rcpt key create|revoke|rotate
                             create or revoke an API key; make the next key that signs checkpoints
  ./rcpt member add|remove|link
                             let a person sign in, end that, or print a sign-in link
  ./rcpt verify PATH…        verify offline: a receipt, a ledger export (NDJSON), a router receipts file or folder;
                             with --output FILE whether FILE is what a receipt seals
  ./rcpt monitor URL         look at a ledger's chain and its signed log, and compare with what was seen last: for a schedule
  ./rcpt pack                fetch and check one zip of a period: all that an auditor needs of it
  ./rcpt witness             a witness of transparency logs: cosigns what extends what it saw
  ./rcpt health URL          ask a service whether it is healthy: for a supervisor
  ./rcpt help                this page; --version prints the version

Every command has its own --help. With --json a command prints machine-readable JSON on stdout; progress and logs go to
stderr. Exit codes: 0 done, 1 the check failed or it could not be done, 2 wrong use.
`;

const COMMANDS = [
  'up',
  'ledger',
  'router',
  'worker',
  'witness',
  'migrate',
  'org',
  'key',
  'member',
  'verify',
  'monitor',
  'pack',
  'health',
  'help',
];

const [command = 'help', ...rest] = process.argv.slice(2);
if (command === 'help' || command === '--help' || command === '-h') process.stdout.write(HELP);
else if (command === '--version' || command === '-V') process.stdout.write(`${manifest.version}\n`);
// Each loads what it needs: a health check is asked every 30 seconds.
else if (command === 'up') process.exitCode = await (await import('./up.ts')).up(rest);
else if (command === 'monitor')
  process.exitCode = await (await import('./monitor/monitor.ts')).monitor(rest, process.env);
else if (command === 'pack') process.exitCode = await (await import('./pack/pack.ts')).pack(rest, process.env);
else if (command === 'health') process.exitCode = await (await import('./health.ts')).health(rest);
else {
  process.stderr.write(
    `rcpt: there is no command ${JSON.stringify(command)}${didYouMean(command, COMMANDS)}\n\n${HELP}`,
  );
  process.exitCode = 2;
}
