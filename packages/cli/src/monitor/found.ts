/** What a look can end with, other than that all is well. Each says what was found, and what to do. */

/** Something is wrong with the chain, or with what the ledger says of it. */
export class ChainFault extends Error {
  /** The signed checkpoint that shows it; kept for others to see. */
  readonly evidence: string | null;

  constructor(message: string, evidence: string | null = null) {
    super(message);
    this.evidence = evidence;
  }
}

/** Not known: it could not be verified. */
export class NotVerified extends Error {}
