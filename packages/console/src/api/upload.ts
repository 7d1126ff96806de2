/** Files to `POST /runs/{id}/evidence`, with their progress: `fetch` cannot tell how far an upload is. */
import { answerOf, UnreachableError } from '@rcpt/contract/client/call.ts';
import type { Evidence } from '@rcpt/contract/ledger/runs.ts';
import type { EvidenceKind } from '@rcpt/contract/vocabulary.ts';
import { sha256Hex } from '@rcpt/proof/sha256.ts';

/** SHA-256 of the bytes, in lower-case hex. Plain HTTP from another machine has no WebCrypto. */
export async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  if (globalThis.crypto.subtle === undefined) return sha256Hex(bytes);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

interface EvidenceUpload {
  run_id: string;
  file: File;
  kind: EvidenceKind;
  label: string;
  /** Of the bytes as they are here; the ledger refuses others. */
  sha256: string;
  idempotency_key: string;
}

/** Rejects with an `AbortError` when the signal fires, else with what `call` throws. */
export function upload(
  evidence: EvidenceUpload,
  onProgress: (sent: number) => void,
  signal: AbortSignal,
): Promise<Evidence> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const path = `/runs/${encodeURIComponent(evidence.run_id)}/evidence`;
    request.open('POST', path);
    request.setRequestHeader('accept', 'application/json');
    request.setRequestHeader('idempotency-key', evidence.idempotency_key);
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onerror = () => reject(new UnreachableError('the upload broke off'));
    request.onabort = () => reject(new DOMException('The upload was cancelled.', 'AbortError'));
    request.onload = () => {
      try {
        const request_id = request.getResponseHeader('x-request-id') ?? '';
        resolve(answerOf<Evidence>(`POST ${path}`, request.status, request.responseText, request_id));
      } catch (error) {
        reject(error);
      }
    };
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(formOf(evidence));
  });
}

/** The fields before the file: the ledger reads the form as it arrives. */
function formOf({ file, kind, label, sha256 }: EvidenceUpload): FormData {
  const form = new FormData();
  form.append('kind', kind);
  form.append('label', label);
  form.append('sha256', sha256);
  form.append('file', file, file.name);
  return form;
}
