/**
 * pino to stderr: JSON lines, or a readable line each when stderr is a terminal. What is logged of a request is its
 * route pattern, never its URL: share links and tokens are secrets.
 */
import { type Logger, pino } from 'pino';

export type { Logger };

export function createLogger(service: string, level = 'info'): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: levelName },
  };
  if (process.stderr.isTTY)
    return pino(options, { write: (line: string) => void process.stderr.write(readable(line)) });
  return pino(options, pino.destination({ fd: 2, sync: false }));
}

function levelName(label: string) {
  return { level: label };
}

function readable(line: string): string {
  const { level, time, service, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const facts = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : value}`,
  );
  return `${String(time).slice(11, 19)} ${String(service)} ${String(level)}: ${String(msg ?? '')} ${facts.join(' ')}\n`;
}
