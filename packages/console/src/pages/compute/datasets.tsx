/** Datasets that the router knows, and who may use them. */
import type { ListedDataset } from '@rcpt/contract/router/members.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Hash } from '../../components/copy.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { LoadNextPage } from '../../components/load-more.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { Badge } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { amount, byteSize } from '../../format/numbers.ts';
import { deniedReason } from '../../format/permissions.ts';
import { ComputePage } from './compute-page.tsx';
import { GrantAccess } from './datasets/grant.tsx';
import { RegisterDataset } from './datasets/register.tsx';
import { datasetsQuery } from './queries.ts';
import './datasets/datasets.css';

export function Datasets() {
  const { role } = useSession();
  const datasets = useInfiniteQuery(datasetsQuery);
  const [registering, setRegistering] = useState(false);
  const [granting, setGranting] = useState<ListedDataset | null>(null);
  const register = (
    <Button
      kind="primary"
      icon="plus"
      disabledReason={deniedReason(role, 'administer')}
      onClick={() => setRegistering(true)}
    >
      Register dataset
    </Button>
  );
  return (
    <ComputePage
      title="Datasets"
      lead="What a dataset is, and the hash that tells it from every other. The bytes stay where they are; who is granted access is told where that is."
      query={datasets}
      skeleton={<SkeletonRows rows={5} height="6.5rem" />}
      actions={register}
    >
      {({ pages }) => (
        <>
          {pages[0]?.length === 0 ? (
            <EmptyState icon="file" title="No datasets yet">
              <p>Register the first: jobs name it by its id, and members are given access to it with a receipt.</p>
              {register}
            </EmptyState>
          ) : (
            <ul className="datasets">
              {pages.flat().map((dataset) => (
                <DatasetItem key={dataset.id} dataset={dataset} onGrant={() => setGranting(dataset)} />
              ))}
            </ul>
          )}
          <LoadNextPage query={datasets} />
          {registering && <RegisterDataset onClose={() => setRegistering(false)} />}
          {granting && <GrantAccess dataset={granting} onClose={() => setGranting(null)} />}
        </>
      )}
    </ComputePage>
  );
}

function DatasetItem({ dataset, onGrant }: { dataset: ListedDataset; onGrant: () => void }) {
  const { role } = useSession();
  const { id, title, domain, description, object_uri, license_type, quality_tier, checksum_sha256 } = dataset;
  return (
    <li className="panel dataset">
      <div className="dataset-head">
        <div>
          <h2>{title}</h2>
          <p className="muted">
            <code>{id}</code>, registered <Timestamp at={dataset.created_at} />
          </p>
        </div>
        <Button
          small
          aria-label={`Grant access to ${title}`}
          disabledReason={
            dataset.is_member_access
              ? deniedReason(role, 'administer')
              : 'This dataset was registered without access for members.'
          }
          onClick={onGrant}
        >
          Grant access
        </Button>
      </div>
      {description !== '' && <p>{description}</p>}
      <p className="badges">
        <Badge>{domain}</Badge>
        <Badge>{quality_tier}</Badge>
        <Badge>{license_type}</Badge>
        <span className="muted">
          {amount(dataset.row_count)} rows, {byteSize(dataset.size_bytes)}
        </span>
      </p>
      {object_uri !== undefined && (
        <p className="dataset-line">
          <Hash value={object_uri} what="Address" />
        </p>
      )}
      <p className="dataset-line">
        <span className="muted">SHA-256</span> <Hash value={checksum_sha256} what="SHA-256" />
      </p>
    </li>
  );
}
