/** A stored receipt as page, PDF and card show it. The bytes may have been tampered with: nothing here trusts their shape. */
import type { Print } from '@rcpt/contract/lanes/lane.ts';
import { asClaimed, printReceipt, textOf } from '@rcpt/contract/lanes/print-receipt.ts';
import type { JsonObject } from '@rcpt/proof/canonical.ts';
import { type SealedFiles, sealedFilesOf } from '@rcpt/proof/sealed-files.ts';

/** What page and PDF say about one receipt. */
export interface Reading {
  receipt_id: string;
  org_seq: string;
  parent_hash: string;
  created_at: string;
  organization: { id: string; name: string };
  schema: string;
  receipt_sha256: string;
  print: Print;
  /** The files that it knows by their hash. */
  sealed: SealedFiles;
}

/** What both renderings are given. `bytes` are the stored canonical JSON, `receipt` is what they parse to. */
export interface Rendered {
  receipt: object;
  bytes: string;
  /** Whether the bytes still hash to what the receipt states; the caller has just recomputed it. */
  verified: boolean;
  share_url: string;
}

export function read(receipt: object): Reading {
  const members = receipt as Record<string, unknown>;
  const organization = (members.organization ?? {}) as Record<string, unknown>;
  return {
    receipt_id: textOf(members.receipt_id),
    org_seq: textOf(members.org_seq),
    parent_hash: textOf(members.parent_hash),
    created_at: textOf(members.created_at),
    organization: { id: textOf(organization.id), name: textOf(organization.name) },
    schema: textOf(members.schema),
    receipt_sha256: textOf(members.receipt_sha256),
    print: printReceipt(members),
    sealed: sealedFilesOf(members as JsonObject),
  };
}

/** What a receipt that was altered says is repeated as its claim. */
export function doubted(reading: Reading): Reading {
  return { ...reading, print: asClaimed(reading.print) };
}
