/** The chain's last verification that this browser asked for. The ledger keeps none: it verifies anew whenever asked. */
import type { Verification } from '@rcpt/contract/ledger/receipts.ts';
import type { z } from 'zod';

interface LastVerification {
  ok: boolean;
  receipts_checked: number;
  /** When the report came. */
  at: string;
}

export function keepVerification(
  organization_id: string,
  { ok, receipts_checked }: z.infer<typeof Verification>,
): void {
  const kept: LastVerification = { ok, receipts_checked, at: new Date().toISOString() };
  try {
    localStorage.setItem(nameOf(organization_id), JSON.stringify(kept));
  } catch {
    // Where nothing may be kept, the overview says nothing of it.
  }
}

export function lastVerification(organization_id: string): LastVerification | null {
  try {
    return JSON.parse(localStorage.getItem(nameOf(organization_id)) ?? 'null') as LastVerification | null;
  } catch {
    return null;
  }
}

function nameOf(organization_id: string): string {
  return `verified ${organization_id}`;
}
