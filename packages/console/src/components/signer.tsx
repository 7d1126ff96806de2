/** Who approved or decided, by the name that is sealed. Whether it is a person or a program follows from the id alone. */
import { kindOfSigner, type Signer } from '@rcpt/contract/signer.ts';
import { Shown } from '../shown/shown.ts';
import './signer.css';

export function SignedBy({ signer: { name, id } }: { signer: Signer }) {
  const kind = kindOfSigner(id);
  return (
    <>
      <strong>
        <Shown text={name} />
      </strong>
      {kind && ` (${kind})`}
    </>
  );
}

/** The id behind the name, on a line of its own. Receipts of before approvals had one show none. */
export function SignerId({ id }: { id: string }) {
  return id === '' ? null : <code className="signer-id">{id}</code>;
}
