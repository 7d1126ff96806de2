/** JSON Pointers (RFC 6901): `/inputs/a~1b` names the member `a/b` of `inputs`. */

/** Null for what is no pointer, and for the pointer to the whole value. */
export function tokensOf(pointer: string): string[] | null {
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer) || !pointer.isWellFormed()) return null;
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function pointerOf(tokens: string[]): string {
  return tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
