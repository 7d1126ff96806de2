/** The token of a mailed link. It comes in the address's fragment, which no server sees, and leaves the address bar at once. */
const listeners = new Set<() => void>();
let arrived = taken();

/** Null when one came without a link, or when it was used up. */
export function arrivedToken(): string | null {
  return arrived;
}

/** Not sent twice: a link counts once. */
export function forgetToken(): void {
  arrived = null;
  for (const listener of listeners) listener();
}

/** A second link opened in the same window changes the fragment alone: no page is loaded. */
export function onToken(listener: () => void): () => void {
  const look = () => {
    const token = taken();
    if (token === null) return;
    arrived = token;
    listener();
  };
  listeners.add(listener);
  addEventListener('hashchange', look);
  return () => {
    listeners.delete(listener);
    removeEventListener('hashchange', look);
  };
}

function taken(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  return token;
}
