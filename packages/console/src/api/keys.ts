/** What is kept under which name. An event of the ledger makes everything below a name's first word stale. */
export const KEYS = {
  session: ['session'] as const,
  runs: (filters: object) => ['runs', filters] as const,
  run: (id: string) => ['run', id] as const,
  receipts: (query: object) => ['receipts', query] as const,
  receipt: (id: string) => ['receipt', id] as const,
  share: (receipt_id: string) => ['share', receipt_id] as const,
  disclosures: (receipt_id: string) => ['receipts', 'disclosures', receipt_id] as const,
  ledger: (what: string) => ['ledger', what] as const,
  activity: (query: object) => ['activity', query] as const,
  settings: (what: string) => ['settings', what] as const,
  compute: (...what: readonly unknown[]) => ['compute', ...what] as const,
};
