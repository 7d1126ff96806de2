/** Who approved or decided, by the name that is sealed. Whether it is a person or a program follows from the id alone. */
import { kindOfSigner, type Signer } from '@rcpt/contract/signer.ts';
import type { ReactNode } from 'react';
import './signer.css';

/** @param children the name, where it is shown with what cannot be seen in it */
export function SignedBy({ signer: { name, id }, children }: { signer: Signer; children?: ReactNode }) {
  const kind = kindOfSigner(id);
  return (
    <>
      <strong dir="auto">{children ?? name}</strong>
      {kind && ` (${kind})`}
    </>
  );
}

/** The id behind the name, on a line of its own. Receipts of before approvals had one show none. */
export function SignerId({ id }: { id: string }) {
  return id === '' ? null : <code className="signer-id">{id}</code>;
}
