/** Where a person wanted to go, kept while they look into their mailbox: the link opens another window. */
const KEPT_AS = 'way-back';
const KEPT_MS = 30 * 60_000;

export function keepWayBack(path: string): void {
  try {
    if (path === '/') localStorage.removeItem(KEPT_AS);
    else localStorage.setItem(KEPT_AS, JSON.stringify({ path, at: Date.now() }));
  } catch {
    // Where nothing may be kept, the link leads to the front page.
  }
}

export function takeWayBack(): string {
  try {
    const { path, at } = JSON.parse(localStorage.getItem(KEPT_AS) ?? '{}') as { path?: unknown; at?: unknown };
    localStorage.removeItem(KEPT_AS);
    return typeof path === 'string' && typeof at === 'number' && Date.now() - at < KEPT_MS ? path : '/';
  } catch {
    return '/';
  }
}
