/**
 * Credentials that were looked up lately: a lookup is asked for at most every two seconds, so what is withdrawn is refused
 * everywhere within five. What is changed in this process is forgotten here at once, and, as soon as they hear of it, by the
 * others on the same database: who switches organizations would else be asked as whom by one, and answered by another.
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
  readonly #known = new Map<string, { credential: Credential; until: number }>();
  readonly #tellOthers: () => Promise<void>;
  #forgotten = 0;

  /** @param tellOthers best effort; they call `drop` */
  constructor(tellOthers: () => Promise<void>) {
    this.#tellOthers = tellOthers;
  }

  /** @param sha256 of the presented secret */
  get(sha256: string): Credential | undefined {
    const known = this.#known.get(sha256);
    return known !== undefined && known.until > performance.now() ? known.credential : undefined;
  }

  /** What a lookup found that began before something was forgotten is not kept. */
  async lookUp(sha256: string, find: () => Promise<Credential>): Promise<Credential> {
    const began = this.#forgotten;
    const credential = await find();
    if (began !== this.#forgotten) return credential;
    if (this.#known.size >= MOST_CREDENTIALS) this.#known.clear();
    this.#known.set(sha256, { credential, until: performance.now() + CACHED_MS });
    return credential;
  }

  /** After a change of who may what, and before its answer: resolves when the others have been told. */
  async forget(): Promise<void> {
    this.drop();
    await this.#tellOthers();
  }

  drop(): void {
    this.#forgotten++;
    this.#known.clear();
  }
}
