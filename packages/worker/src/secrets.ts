/**
 * What a process was started with stays readable in /proc/<pid>/environ for every process of its user, its jobs included,
 * whatever it deletes later. So a worker that was given secrets starts itself again in its place, without them, and is handed
 * them over a pipe.
 */
import { readFileSync } from 'node:fs';

type Environment = Record<string, string | undefined>;

/** Set when the secrets come on the standard input. */
const HANDED = 'RCPT_WORKER_HANDED';
/** Writes the text into a pipe, then becomes the worker: the process stays the same. */
const HAND_OVER = `exec <<END
$${HANDED}
END
${HANDED}=stdin exec "$@"`;

/** Whether a job must not get the variable. */
function isSecret(name: string): boolean {
  return /^(ROUTER|LEDGER|AWS)_/.test(name);
}

export function withoutSecrets(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isSecret(name)));
}

/**
 * Returns once this process was started without secrets; `environment` then has all of them: what is
 * added to it lies in memory only.
 */
export function takeSecrets(environment: Environment): void {
  if (environment[HANDED] === 'stdin') {
    delete environment[HANDED];
    Object.assign(environment, JSON.parse(readFileSync(0, 'utf8')));
    return;
  }
  const secrets = Object.entries(environment).filter(([name]) => isSecret(name));
  if (secrets.length === 0 || process.execve === undefined) return;
  const itself = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const handed = { ...withoutSecrets(environment), [HANDED]: JSON.stringify(Object.fromEntries(secrets)) };
  process.execve('/bin/sh', ['sh', '-c', HAND_OVER, 'sh', ...itself], handed);
}
