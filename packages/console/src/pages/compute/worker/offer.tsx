/** What a worker declared, which is what the router leases it. What it did not declare does not limit it. */
import type { Worker } from '@rcpt/contract/router/workers.ts';
import { Hash } from '../../../components/copy.tsx';
import { Description, DescriptionList } from '../../../components/description-list.tsx';
import { Badge } from '../../../components/status-badge.tsx';
import { Timestamp } from '../../../components/timestamp.tsx';
import { useGpuName } from '../badges.tsx';
import { typeWord } from '../format.ts';
import { declared } from '../machine.ts';

export function Offer({ worker }: { worker: Worker }) {
  const { capabilities, tags, node_id, version, id, created_at, revoked_at } = worker;
  const gpuName = useGpuName();
  const skus = declared(capabilities, 'gpu_skus');
  const types = declared(capabilities, 'supports');
  const most = capabilities.max_concurrent_jobs;
  return (
    <DescriptionList>
      <Description label="Hardware">{skus === null ? 'Any' : skus.map(gpuName).join(', ') || 'None'}</Description>
      <Description label="Job types">
        {types === null ? (
          'All'
        ) : (
          <span className="badges">
            {types.map((type) => (
              <Badge key={type}>{typeWord(type)}</Badge>
            ))}
          </span>
        )}
      </Description>
      {typeof most === 'number' && <Description label="At a time">{most}</Description>}
      {tags.length > 0 && (
        <Description label="Tags">
          <span className="badges">
            {tags.map((tag) => (
              <Badge key={tag}>{tag}</Badge>
            ))}
          </span>
        </Description>
      )}
      <Description label="Node">{node_id}</Description>
      {version !== null && <Description label="Version">{version}</Description>}
      <Description label="Since">
        <Timestamp at={created_at} />
      </Description>
      {revoked_at !== null && (
        <Description label="Revoked">
          <Timestamp at={revoked_at} />
        </Description>
      )}
      <Description label="Worker id">
        <Hash value={id} what="Worker id" />
      </Description>
    </DescriptionList>
  );
}
