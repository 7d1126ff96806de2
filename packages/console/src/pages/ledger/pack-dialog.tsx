/** The pack of a period, for an auditor: the days are asked for, and the browser saves the file. */
import { address } from '@rcpt/contract/client/call.ts';
import { useState } from 'react';
import { AwayLink, Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';

export function PackDialog({ onClose }: { onClose: () => void }) {
  const [asked, setAsked] = useState({ from: '', to: '', pdfs: '' });
  const change = (to: Partial<typeof asked>) => setAsked({ ...asked, ...to });
  const { from, to, pdfs } = asked;
  const is_turned = from !== '' && to !== '' && from > to;
  return (
    <Dialog title="Pack for an auditor" onClose={onClose}>
      <form className="form" onSubmit={(event) => event.preventDefault()}>
        <p className="dialog-words">
          One zip of a period: the list of all receipts, each as stored with its proof, the signed checkpoints,
          approvals, what administrators did, the keys, the offline verifier, and a README that says how to check all of
          it without this service.
        </p>
        <TextField
          label="From (UTC)"
          optional
          type="date"
          value={from}
          max={to}
          onChange={(event) => change({ from: event.target.value })}
        />
        <TextField
          label="To (UTC)"
          optional
          type="date"
          value={to}
          min={from}
          onChange={(event) => change({ to: event.target.value })}
        />
        {is_turned && (
          <p className="field-hint" role="status">
            {TURNED}
          </p>
        )}
        <SelectField label="PDFs" value={pdfs} onChange={(event) => change({ pdfs: event.target.value })} hint={PDFS}>
          <option value="">For up to 1,000 receipts</option>
          <option value="true">Always</option>
          <option value="false">None</option>
        </SelectField>
        <p className="field-hint">
          The list holds share links, which open receipts for everybody who has them. That you take a pack is recorded
          under Activity.
        </p>
        <div className="form-end">
          <Button onClick={onClose}>Cancel</Button>
          {is_turned ? (
            <Button kind="primary" icon="download" disabledReason={TURNED}>
              Download
            </Button>
          ) : (
            <AwayLink kind="primary" icon="download" href={address('/ledger/pack', asked)} download="">
              Download
            </AwayLink>
          )}
        </div>
      </form>
    </Dialog>
  );
}

const TURNED = 'From is after To.';
const PDFS = 'Each is drawn, a few in a second. The JSON alone is the receipt.';
