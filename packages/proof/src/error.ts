/** Why a value or a text was refused. Closed: a new reason is a new code, never a new wording of an old one. */
export type ProofErrorCode =
  | 'not_utf8'
  | 'not_json'
  | 'duplicate_key'
  | 'lone_surrogate'
  | 'not_finite'
  | 'integer_too_large'
  | 'too_deep'
  | 'not_canonicalizable'
  | 'already_sealed'
  | 'invalid_record'
  | 'line_too_long'
  | 'invalid_key'
  | 'not_a_note'
  | 'bad_signature'
  | 'not_a_checkpoint'
  | 'not_a_succession'
  | 'wrong_succession'
  | 'not_a_proof'
  | 'not_a_pdf'
  | 'not_included'
  | 'invalid_policy'
  | 'unknown_log'
  | 'not_a_statement'
  | 'not_an_assertion'
  | 'wrong_challenge'
  | 'wrong_origin'
  | 'wrong_relying_party'
  | 'user_not_verified'
  | 'not_an_approval'
  | 'receipt_altered'
  | 'wrong_approved_sha256'
  | 'wrong_approver'
  | 'activity_broken'
  | 'key_not_enrolled'
  | 'key_replaced'
  | 'key_of_another'
  | 'key_removed';

/**
 * A coded refusal. `path` is the JSON Pointer (RFC 6901) of the offending member, `''` for the whole value; it is put
 * together from the inside out while the error travels up, so that the way down costs nothing.
 */
export class ProofError extends Error {
  override readonly name = 'ProofError';
  readonly code: ProofErrorCode;
  readonly reason: string;
  path = '';

  constructor(code: ProofErrorCode, reason: string) {
    super(reason);
    this.code = code;
    this.reason = reason;
  }

  /** The same error, one level further out. */
  under(step: string | number): this {
    this.path = `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}${this.path}`;
    this.message = `${this.reason} at ${this.path}`;
    return this;
  }
}
