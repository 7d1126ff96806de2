/** Credentials in plain sight. A receipt is public and cannot be unsaid, so what looks like a secret is flagged first. */

/** Linear patterns only: what they search is written by others. */
const SECRETS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['a private key', /-----BEGIN (?:[A-Z]{2,12} ){0,2}PRIVATE KEY-----/],
  ['an AWS access key id', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['a GitHub token', /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22,})/],
  ['an API key', /\bsk-[A-Za-z0-9_-]{20,}/],
  ['a Google API key', /\bAIza[0-9A-Za-z_-]{35}/],
  ['a Slack token', /\bxox[abprs]-[0-9A-Za-z-]{10,}/],
  ['a Stripe key', /\b[rs]k_(?:live|test)_[0-9A-Za-z]{16,}/],
  ['a key of this ledger', /\b(?:rk|dwrk|dlease)_[0-9A-Za-z_-]{20,}/],
  ['a signed web token', /(?<![\w-])eyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}/],
  ['a password in an address', /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{1,64}:[^\s/@]{3,128}@/],
];

/** The kinds of secret seen; never the secret itself. */
export function secretsIn(text: string): string[] {
  return SECRETS.filter(([, pattern]) => pattern.test(text)).map(([kind]) => kind);
}
