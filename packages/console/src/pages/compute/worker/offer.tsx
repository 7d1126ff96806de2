/** What a worker declared, which is what the router leases it. What it did not declare does not limit it. */
import type { Worker } from '@rcpt/contract/router/workers.ts';
import { Hash } from '../../../components/copy.tsx';
import { Fact, Facts } from '../../../components/facts.tsx';
import { Badge } from '../../../components/mark.tsx';
import { Moment } from '../../../components/moment.tsx';
import { typeWord } from '../format.ts';
import { declared } from '../machine.ts';
import { useGpuName } from '../small.tsx';

export function Offer({ worker }: { worker: Worker }) {
  const { capabilities, tags, node_id, version, id, created_at, revoked_at } = worker;
  const gpuName = useGpuName();
  const skus = declared(capabilities, 'gpu_skus');
  const types = declared(capabilities, 'supports');
  const most = capabilities.max_concurrent_jobs;
  return (
    <Facts>
      <Fact label="Hardware">{skus === null ? 'Any' : skus.map(gpuName).join(', ') || 'None'}</Fact>
      <Fact label="Job types">
        {types === null ? (
          'All'
        ) : (
          <span className="badges">
            {types.map((type) => (
              <Badge key={type}>{typeWord(type)}</Badge>
            ))}
          </span>
        )}
      </Fact>
      {typeof most === 'number' && <Fact label="At a time">{most}</Fact>}
      {tags.length > 0 && (
        <Fact label="Tags">
          <span className="badges">
            {tags.map((tag) => (
              <Badge key={tag}>{tag}</Badge>
            ))}
          </span>
        </Fact>
      )}
      <Fact label="Node">{node_id}</Fact>
      {version !== null && <Fact label="Version">{version}</Fact>}
      <Fact label="Since">
        <Moment at={created_at} />
      </Fact>
      {revoked_at !== null && (
        <Fact label="Revoked">
          <Moment at={revoked_at} />
        </Fact>
      )}
      <Fact label="Worker id">
        <Hash value={id} what="Worker id" />
      </Fact>
    </Facts>
  );
}
