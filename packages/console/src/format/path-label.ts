/** A JSON Pointer to what stands beside a receipt, as a person calls it. */

/** @param evidence the labels of its evidence, where they are known */
export function labelOfPath(path: string, evidence: readonly string[] = []): string {
  const [first = '', ...rest] = path
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (first === 'evidence' && rest.length === 1) {
    const place = Number(rest[0]);
    const label = evidence[place];
    return `Evidence ${place + 1}${label ? `: ${label}` : ''}`;
  }
  const names = first === 'inputs' && rest.length > 0 ? rest : [first, ...rest];
  const words = names.join(', ').replaceAll('_', ' ');
  return words === '' ? path : words.charAt(0).toUpperCase() + words.slice(1);
}
