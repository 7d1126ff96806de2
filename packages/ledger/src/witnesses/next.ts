/** Which of the witnesses that wait is asked next: an organization with many keeps no other one waiting. */
export const MOST_AT_ONCE = 16;
/** An organization's dead witnesses take no more of them. */
export const MOST_OF_ONE = 4;

interface OfOrganization {
  organization_id: string;
}

/**
 * The first one of an organization that has the fewest in hand. Null: there is none, or no room for any.
 * @param waiting what is due at each witness, in the order in which it came
 */
export function nextOf<Due extends OfOrganization>(waiting: Due[][], in_hand: OfOrganization[]): Due[] | null {
  if (in_hand.length >= MOST_AT_ONCE) return null;
  const held = new Map<string, number>();
  for (const { organization_id } of in_hand) held.set(organization_id, (held.get(organization_id) ?? 0) + 1);
  const heldBy = ([first]: Due[]) => held.get(first!.organization_id) ?? 0;
  const [next] = waiting.toSorted((a, b) => heldBy(a) - heldBy(b));
  return next !== undefined && heldBy(next) < MOST_OF_ONE ? next : null;
}
