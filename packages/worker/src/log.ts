/** pino to stderr: JSON lines, or a readable line each when stderr is a terminal. Tokens and job contents are never logged. */
import { type Logger, pino } from 'pino';

export type { Logger };

export function createLogger(): Logger {
  const formatters = { level: (level: string) => ({ level }) };
  const options = { base: { service: 'worker' }, timestamp: pino.stdTimeFunctions.isoTime, formatters };
  if (process.stderr.isTTY)
    return pino(options, { write: (line: string) => void process.stderr.write(readable(line)) });
  return pino(options, pino.destination({ fd: 2, sync: true }));
}

function readable(line: string): string {
  const { level, time, service, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const facts = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : value}`,
  );
  return `${String(time).slice(11, 19)} ${String(service)} ${String(level)}: ${String(msg ?? '')} ${facts.join(' ')}\n`;
}
