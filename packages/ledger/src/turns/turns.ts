/**
 * Turns between organizations, for what is scarce: a thread, a walk along a chain, memory for an upload. Free turns go round the
 * organizations, one each. The number of an organization's callers does not matter.
 */
import { Refusal } from '@rcpt/service/error.ts';

export interface TurnLimits {
  /** Turns that are held at once, by all. */
  at_once: number;
  /** Turns that one organization holds at once. */
  each: number;
  /** Callers of one organization that may wait. */
  waiting_each: number;
  /** Callers that may wait, of all. */
  waiting: number;
  /** Names what waits, for the text of the refusal: `PDFs of this organization`. */
  what: string;
}

export interface Turns {
  /**
   * Resolves when the organization has a turn, with the function that gives it back. Further calls of it do nothing.
   * Throws `rate_limited` where too many callers of this organization wait, `overloaded` where too many wait in all,
   * `request_timeout` when `signal` aborts first.
   */
  take(organization_id: string, signal?: AbortSignal): Promise<() => void>;
}

interface Caller {
  begin(): void;
}

export function createTurns({ at_once, each, waiting_each, waiting, what }: TurnLimits): Turns {
  const held = new Map<string, number>();
  /** In the order in which the organizations are served. */
  const lines = new Map<string, Caller[]>();
  let held_in_all = 0;
  let waiting_in_all = 0;

  const isFree = (organization_id: string) => held_in_all < at_once && (held.get(organization_id) ?? 0) < each;

  function hold(organization_id: string): () => void {
    held_in_all += 1;
    held.set(organization_id, (held.get(organization_id) ?? 0) + 1);
    let is_held = true;
    return () => {
      if (!is_held) return;
      is_held = false;
      held_in_all -= 1;
      const left = held.get(organization_id)! - 1;
      if (left === 0) held.delete(organization_id);
      else held.set(organization_id, left);
      serve();
    };
  }

  /** Gives free turns out. An organization that was served goes to the end of the order. */
  function serve(): void {
    for (const [organization_id, line] of lines) {
      if (held_in_all >= at_once) return;
      if (!isFree(organization_id)) continue;
      const caller = line[0]!;
      leave(organization_id, caller);
      if (lines.delete(organization_id) && line.length > 0) lines.set(organization_id, line);
      caller.begin();
    }
  }

  function leave(organization_id: string, caller: Caller): void {
    const line = lines.get(organization_id)!;
    line.splice(line.indexOf(caller), 1);
    waiting_in_all -= 1;
    if (line.length === 0) lines.delete(organization_id);
  }

  function wait(organization_id: string, signal: AbortSignal | undefined): Promise<() => void> {
    const line = lines.get(organization_id) ?? [];
    if (line.length >= waiting_each)
      throw new Refusal('rate_limited', `Too many ${what} are waiting already. Wait for them, then try again.`);
    if (waiting_in_all >= waiting)
      throw new Refusal('overloaded', 'More is waiting than can be served just now. Try again shortly.');
    return new Promise((resolve, reject) => {
      const caller: Caller = {
        begin() {
          signal?.removeEventListener('abort', gone);
          resolve(hold(organization_id));
        },
      };
      const gone = () => {
        leave(organization_id, caller);
        reject(callerGone());
      };
      line.push(caller);
      lines.set(organization_id, line);
      waiting_in_all += 1;
      signal?.addEventListener('abort', gone, { once: true });
    });
  }

  return {
    async take(organization_id, signal) {
      if (signal?.aborted) throw callerGone();
      return isFree(organization_id) ? hold(organization_id) : wait(organization_id, signal);
    },
  };
}

export function callerGone(): Refusal {
  return new Refusal('request_timeout', 'The caller has gone.');
}
