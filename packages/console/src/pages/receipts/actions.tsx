/** Where a receipt can go from here: its Run, and its files. */
import type { ReceiptSummary } from '@rcpt/contract/ledger/search.ts';
import { useQuery } from '@tanstack/react-query';
import { shareQuery } from '../../api/queries.ts';
import { AwayLink, Button, ButtonLink } from '../../components/button.tsx';
import { saveAs } from './save.ts';

interface ReceiptActionsProps {
  id: string;
  bytes: Uint8Array<ArrayBuffer>;
  record: ReceiptSummary | null;
}

export function ReceiptActions({ id, bytes, record }: ReceiptActionsProps) {
  const share = useQuery(shareQuery(id));
  const off = share.data?.enabled === false;
  return (
    <>
      {record && (
        <ButtonLink icon="runs" href={`/runs/${record.run_id}`}>
          Run
        </ButtonLink>
      )}
      {off ? (
        <Button icon="file" disabledReason="The PDF goes with the share link, which is switched off.">
          PDF
        </Button>
      ) : (
        share.data && (
          <AwayLink icon="file" href={`${share.data.share_url}/pdf`}>
            PDF
          </AwayLink>
        )
      )}
      <Button icon="download" onClick={() => saveAs(`${id}.json`, bytes)}>
        JSON
      </Button>
    </>
  );
}
