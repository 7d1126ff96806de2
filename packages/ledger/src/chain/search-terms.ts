/** What words typed into a search box may mean. */

export interface Sought {
  /** Names one receipt by its number; `receipt_id` is how its id has to begin. */
  org_seq: number | null;
  receipt_id: string;
  /** How the receipt's hash has to begin: 6 to 64 lower-case hexadecimal characters. */
  hash_prefix: string | null;
  run_id: string | null;
  share_token: string | null;
  /** Part of a title, in lower case; null: what was typed is an id and no words. */
  title: string | null;
}

export function soughtBy(typed: string): Sought {
  const words = typed.trim().toLowerCase();
  const nothing = { org_seq: null, receipt_id: '', hash_prefix: null, run_id: null, share_token: null, title: null };
  const share_token = /\/share\/((?:[0-9a-z]{9})?[\w-]{22})(?![\w-])/.exec(typed)?.[1];
  if (share_token !== undefined) return { ...nothing, share_token };
  if (/^run_[0-9a-f]{32}$/.test(words)) return { ...nothing, run_id: words };
  const id = /^rcpt-(\d{1,15})(-[0-9a-f]{0,8})?$/.exec(words);
  if (id) return { ...nothing, org_seq: Number(id[1]), receipt_id: id[2] === undefined ? '' : words };
  const number = /^(#?)(\d{1,15})$/.exec(words);
  if (number?.[1] === '#') return { ...nothing, org_seq: Number(number[2]) };
  const hash_prefix = /^[0-9a-f]{6,64}$/.test(words) ? words : null;
  return { ...nothing, org_seq: number ? Number(number[2]) : null, hash_prefix, title: words };
}

/** Upper and lower case are one, in every script. */
export function isPartOf(title: string, words: string): boolean {
  return title.toLowerCase().includes(words);
}
