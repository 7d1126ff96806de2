/** The caller of a long poll. */
export interface Caller {
  /** It has hung up: nothing is leased to it. */
  gone(): boolean;
  onGone(listener: () => void): void;
}
