/**
 * Credentials that were looked up lately. Each is looked up again after two seconds, so that a withdrawn one is refused
 * everywhere within five. A change in this process empties the cache here at once, and the caches of the other processes on the
 * same database as soon as they are told. Else a person who switches organizations would be answered for one organization by this
 * process and for another by the next.
 */
import type { Principal } from './principal.ts';
import type { SignedIn } from './sessions.ts';

const CACHED_MS = 2_000;
const MOST_CREDENTIALS = 10_000;

export interface Credential {
  /** Null: a person who works in no organization. */
  principal: Principal | null;
  /** Null: an API key. */
  person: SignedIn | null;
}

export class CredentialCache {
  readonly #cached = new Map<string, { credential: Credential; until: number }>();
  readonly #tellOthers: () => Promise<void>;
  #invalidations = 0;

  /** @param tellOthers best effort; they call `clear` */
  constructor(tellOthers: () => Promise<void>) {
    this.#tellOthers = tellOthers;
  }

  /** @param sha256 of the presented secret */
  get(sha256: string): Credential | undefined {
    const cached = this.#cached.get(sha256);
    return cached !== undefined && cached.until > performance.now() ? cached.credential : undefined;
  }

  /** A lookup that began before the cache was emptied is answered and not cached. */
  async lookUp(sha256: string, find: () => Promise<Credential>): Promise<Credential> {
    const began = this.#invalidations;
    const credential = await find();
    if (began !== this.#invalidations) return credential;
    if (this.#cached.size >= MOST_CREDENTIALS) this.#cached.clear();
    this.#cached.set(sha256, { credential, until: performance.now() + CACHED_MS });
    return credential;
  }

  /** After a change of rights and before its answer. Resolves when the other processes have been told. */
  async invalidate(): Promise<void> {
    this.clear();
    await this.#tellOthers();
  }

  clear(): void {
    this.#invalidations++;
    this.#cached.clear();
  }
}
