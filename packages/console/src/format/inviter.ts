/** Who invited, in words: a person stands by their mailbox, and no key's label can hold one. */
export function inviterInWords(invited_by: string): string {
  if (invited_by.includes('@') || invited_by === 'the operator') return invited_by;
  return `the API key “${invited_by}”`;
}
