/** Instants of the router: ISO 8601 with offset, which sort as text. */

/** `2026-05-29T20:00:00.000+00:00`. */
export function instant(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}+00:00`;
}

export function millisOf(at: string): number {
  return Date.parse(at);
}
