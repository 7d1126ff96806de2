/** How instants are worded: near ones relative to now, and each exactly, in UTC. */
const TO_THE_SECOND = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZone: 'UTC',
} as const;
const EXACT = new Intl.DateTimeFormat('en-GB', TO_THE_SECOND);
const { second: _, ...MINUTES } = TO_THE_SECOND;
const TO_THE_MINUTE = new Intl.DateTimeFormat('en-GB', MINUTES);
const SEALED = new Intl.DateTimeFormat('en-GB', { ...TO_THE_SECOND, fractionalSecondDigits: 3 });
const DAY_IN_FULL = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const DAY_AND_YEAR = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY_MS = 24 * HOUR;

/** `29 May 2026, 20:14:33 UTC`. */
export function exact(instant: string): string {
  return `${EXACT.format(new Date(instant))} UTC`;
}

/** `29 May 2026, 20:14 UTC`. */
export function toTheMinute(instant: string): string {
  return `${TO_THE_MINUTE.format(new Date(instant))} UTC`;
}

/** `29 May 2026, 20:14:33.123 UTC`: an instant as it was sealed. */
export function exactToTheMillisecond(instant: string): string {
  return `${SEALED.format(new Date(instant))} UTC`;
}

/** `just now`, `4 min ago`, `3 h ago`, `2 days ago`, then the day. */
export function relative(instant: string, now: number): string {
  const age = now - Date.parse(instant);
  if (age < 0) return age > -MINUTE ? 'just now' : until(-age);
  if (age < MINUTE) return 'just now';
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min ago`;
  if (age < DAY_MS) return `${Math.floor(age / HOUR)} h ago`;
  if (age < 7 * DAY_MS) return `${Math.floor(age / DAY_MS)} ${age < 2 * DAY_MS ? 'day' : 'days'} ago`;
  return day(instant, now);
}

function until(ms: number): string {
  if (ms < HOUR) return `in ${Math.ceil(ms / MINUTE)} min`;
  if (ms < DAY_MS) return `in ${Math.round(ms / HOUR)} h`;
  return `in ${Math.round(ms / DAY_MS)} days`;
}

/** `Friday, 29 May 2026`. */
export function dayInFull(instant: string): string {
  return DAY_IN_FULL.format(new Date(instant));
}

/** `20:14`, in UTC. */
export function timeOfDay(instant: string): string {
  return TIME.format(new Date(instant));
}

/** `29 May`, with its year when that is not this one. */
export function day(instant: string, now: number): string {
  const date = new Date(instant);
  return (date.getUTCFullYear() === new Date(now).getUTCFullYear() ? DAY : DAY_AND_YEAR).format(date);
}
