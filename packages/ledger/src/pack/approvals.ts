/** What a passkey signed, where one signed an approval (docs/spec.md §5.3). */
import type { PackRow } from '../store/pack.ts';
import type { Packing } from './packing.ts';
import type { ZipEntry } from './zip.ts';

export function approvalEntries({ included }: Packing, { receipt_id, approval }: PackRow, at: string): ZipEntry[] {
  if (approval === null) return [];
  included.approvals++;
  return [{ path: `approvals/${receipt_id}.json`, at, content: `${JSON.stringify(approval)}\n` }];
}
