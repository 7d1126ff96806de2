/** All that a verifier needs, in Node or in a browser. */
export { type ConsentAnswer, consentTo } from './approval/answer.ts';
export {
  type ApprovalFile,
  type ApprovalOptions,
  parseApproval,
  type VerifiedApproval,
  verifyApproval,
  verifyApprovalOf,
} from './approval/approval.ts';
export { type Enrolment, EnrolmentSearch } from './approval/enrolment.ts';
export { canonicalize, type Json, type JsonObject, MAX_DEPTH } from './canonical.ts';
export {
  type ChainReport,
  ChainVerifier,
  GENESIS_HASH,
  type Head,
  MAX_VIOLATIONS,
  type Violation,
  type ViolationKind,
} from './chain.ts';
export { ProofError, type ProofErrorCode } from './error.ts';
export { parseStrict } from './parse.ts';
export {
  type Fault,
  isHash,
  type ReceiptVerdict,
  receiptIdSuffix,
  type SealedReceipt,
  seal,
  verifyReceipt,
} from './receipt.ts';
export type { ReceiptRecord } from './record.ts';
export {
  ROUTER_RECEIPT_TYPES,
  RouterLedgerVerifier,
  type RouterLineVerdict,
  type RouterReceiptType,
  type RouterRecord,
  type RouterReport,
  type RouterViolation,
  type RouterViolationKind,
  sealRouterReceipt,
  verifyRouterLine,
} from './router-ledger.ts';
export { sha256Hex, sha256HexPortable } from './sha256.ts';
