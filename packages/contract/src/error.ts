/** What the shared rules refuse. Codes are stable; `detail` may be shown to the caller. */
export type ContractCode = 'decimal_invalid' | 'checks_open' | 'flight_sheet_missing';

export class ContractError extends Error {
  readonly code: ContractCode;
  readonly detail: string;

  constructor(code: ContractCode, detail: string) {
    super(`${code}: ${detail}`);
    this.name = 'ContractError';
    this.code = code;
    this.detail = detail;
  }
}
