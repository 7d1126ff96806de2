/**
 * pino to stderr: JSON lines, or a readable line each when stderr is a terminal. What is logged of a request is its
 * route pattern, never its URL: share links and tokens are secrets.
 */
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

export function createLogger(service: string, level = 'info'): Logger {
  const options = {
    level,
    base: { service },
    timestamp: timeMember,
    formatters: { level: levelName },
  };
  if (process.stderr.isTTY)
    return pino(options, { write: (line: string) => void process.stderr.write(readable(line)) });
  return pino(options, buffered());
}

const FLUSH_MS = 10;
const MOST_CHARACTERS = 16_384;

/**
 * Lines are written some at a time: a write each took longer than making them. A killed process loses the last 10 ms. pino's own
 * buffering took half as long again per line, and 2 % of an idle processor (docs/decisions/0013).
 */
function buffered(): DestinationStream & { flush(done?: () => void): void } {
  let lines = '';
  let later: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(later);
    later = undefined;
    if (lines !== '') stderr.write(lines);
    lines = '';
  };
  // Before pino's own listener, which writes what it was handed.
  process.once('exit', flush);
  const stderr = pino.destination({ fd: 2, sync: false });
  return {
    write(line) {
      lines += line;
      if (lines.length >= MOST_CHARACTERS) flush();
      else later ??= setTimeout(flush, FLUSH_MS).unref();
    },
    flush(done) {
      flush();
      stderr.flush(done);
    },
  };
}

let told_ms = 0;
let told = '';

/** Most lines come many to a millisecond. */
function timeMember(): string {
  const now = Date.now();
  if (now !== told_ms) told = `,"time":"${new Date(now).toISOString()}"`;
  told_ms = now;
  return told;
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
