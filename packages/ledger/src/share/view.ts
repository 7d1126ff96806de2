/** A stored receipt as page, PDF and card show it. The bytes may have been tampered with: nothing here trusts their shape. */
import type { Print } from '@rcpt/contract/lanes/lane.ts';
import { asClaimed, printReceipt, textOf } from '@rcpt/contract/lanes/print-receipt.ts';
import type { Beside as Listed } from '@rcpt/contract/ledger/disclosures.ts';
import type { JsonObject } from '@rcpt/proof/canonical.ts';
import { verifyReceipt } from '@rcpt/proof/receipt.ts';
import { type SealedFiles, sealedFilesOf } from '@rcpt/proof/sealed-files.ts';
import { besideOf, type Decided } from '../disclosures/list.ts';
import { privateTitle, TITLE_WITHHELD } from './title.ts';

/** What page and PDF say about one receipt. */
export interface ReceiptView {
  receipt_id: string;
  org_seq: string;
  parent_hash: string;
  created_at: string;
  organization: { id: string; name: string };
  schema: string;
  receipt_sha256: string;
  print: Print;
  /** The path of the title where it is private; `print` says that it is withheld. */
  private_title: string | null;
  /** The files that it knows by their hash. */
  sealed: SealedFiles;
  /** What its link lists beside it; none where that was not read. */
  disclosures: Listed[];
}

/** A receipt as it is stored, and the link it is asked for by. */
export interface Stored {
  /** Canonical JSON, unless it was altered. */
  bytes: string;
  share_url: string;
  /** What was decided on what stands beside it. */
  decided?: Decided;
}

/** What the PDF takes along, so that it can be checked without this ledger. */
export interface Beside {
  /** The proof file. */
  proof: string;
  /** The verifier keys, a line each. */
  keys: string;
}

/** What comes along with a receipt. */
export interface Along {
  /** Absent: the log does not hold it yet, or does not prove it. */
  beside?: Beside | null;
  /** The JSON that is served as its approval. Absent: no passkey signed. */
  approval?: string | null;
}

/** What the renderings are given: what the bytes parse to, too. */
export interface Rendered extends Stored, Along {
  receipt: object;
  /** Whether the bytes still hash to what the receipt states, and the receipt states this link. */
  verified: boolean;
}

/** Never throws. An intact receipt behind another's link is not the one that was shared. */
export function opened({ bytes, share_url, decided, beside = null, approval = null }: Stored & Along): Rendered {
  const { ok, payload } = verifyReceipt(bytes);
  const receipt = payload ?? readable(bytes);
  return {
    receipt,
    bytes,
    share_url,
    beside,
    ...(decided && { decided }),
    approval,
    verified: ok && linkPart(textOf(receipt.share_url)) === linkPart(share_url),
  };
}

/** What an answer says of a receipt beside showing it. */
export interface Seen {
  verified: boolean;
  /** Safe as the name of a file. */
  name: string;
}

export function seen({ receipt, verified }: Rendered): Seen {
  const { receipt_id } = receipt as Record<string, unknown>;
  const name = typeof receipt_id === 'string' && /^RCPT-\d{6,}-[0-9a-f]{8}$/.test(receipt_id) ? receipt_id : 'receipt';
  return { verified, name };
}

/** `/share/…`: the address before it may have changed since. */
function linkPart(url: string): string {
  return url.slice(Math.max(0, url.lastIndexOf('/share/')));
}

/** What can still be read of a payload that may have been tampered with. */
function readable(bytes: string): JsonObject {
  try {
    const value: unknown = JSON.parse(bytes);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}

/** What a receipt that was altered says is repeated as its claim. */
export function viewOf({
  receipt,
  verified,
  decided,
}: Pick<Rendered, 'receipt' | 'verified' | 'decided'>): ReceiptView {
  const members = receipt as Record<string, unknown>;
  const organization = (members.organization ?? {}) as Record<string, unknown>;
  const printed = printReceipt(members);
  const private_title = privateTitle(printed, members);
  const print = private_title === null ? printed : { ...printed, title: TITLE_WITHHELD };
  return {
    receipt_id: textOf(members.receipt_id),
    org_seq: textOf(members.org_seq),
    parent_hash: textOf(members.parent_hash),
    created_at: textOf(members.created_at),
    organization: { id: textOf(organization.id), name: textOf(organization.name) },
    schema: textOf(members.schema),
    receipt_sha256: textOf(members.receipt_sha256),
    print: verified ? print : asClaimed(print),
    private_title,
    sealed: sealedFilesOf(members as JsonObject),
    disclosures: decided ? besideOf(receipt, decided) : [],
  };
}
