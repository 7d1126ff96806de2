/** What a receipt is called where what names it is private: the title of a Run, or the name of a dataset or a model. */
import type { Print } from '@rcpt/contract/lanes/lane.ts';
import type { JsonObject } from '@rcpt/proof/canonical.ts';
import { committedIn } from '@rcpt/proof/disclosures.ts';

export const TITLE_WITHHELD = 'Title withheld';
/** The path of what is withheld, by the object that holds its digest. */
const NAMED_BY: Record<string, string> = { '/run': '/title', '/package': '/inputs/name', '/model': '/inputs/name' };

/** Null where the title stands in clear, or the receipt has none. */
export function privateTitle({ title }: Pick<Print, 'title'>, receipt: object): string | null {
  if (title !== '') return null;
  const holder = committedIn(receipt as JsonObject).find(({ holder }) => Object.hasOwn(NAMED_BY, holder))?.holder;
  return holder === undefined ? null : NAMED_BY[holder]!;
}
