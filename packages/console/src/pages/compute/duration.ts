/** How long something took, and how long is left. */
import { grouped } from '@rcpt/contract/shown.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `43 ms`, `0.4 s`, `12 s`, `3 min 05 s`, `2 h 10 min`, `4 days 3 h`. */
export function durationWords(ms: number): string {
  if (ms <= 0) return '0 s';
  // What took some time did not take none.
  if (ms < 95) return `${Math.ceil(ms)} ms`;
  if (ms < 9.95 * SECOND) return `${Math.round(ms / 100) / 10} s`;
  if (ms < MINUTE - 500) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR) return two(Math.round(ms / SECOND), 60, 'min', 's');
  if (ms < DAY) return two(Math.round(ms / MINUTE), 60, 'h', 'min');
  const hours = Math.round(ms / HOUR);
  return `${Math.floor(hours / 24)} ${hours < 48 ? 'day' : 'days'} ${hours % 24} h`;
}

function two(value: number, per: number, large: string, small: string): string {
  return `${Math.floor(value / per)} ${large} ${String(value % per).padStart(2, '0')} ${small}`;
}

/** Counting down: `9:42`, `1:02:09`; null once it is over. */
export function timeLeft(until: string, now: number): string | null {
  const seconds = Math.ceil((Date.parse(until) - now) / SECOND);
  if (!(seconds > 0)) return null;
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const end = String(rest).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${end}` : `${minutes}:${end}`;
}

/** `0.000278` → `0.000278 h`, `2` → `2 h`: as many places as the service gave. */
export function hoursWords(hours: number): string {
  return `${grouped(hours)} h`;
}
