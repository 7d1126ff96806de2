/** What a job made: where it is kept, how large it is, and the hash that says it is still the same. */
import type { Artifact } from '@rcpt/contract/router/compute.ts';
import { Hash } from '../../../components/copy.tsx';
import { Icon } from '../../../components/icon.tsx';
import { Badge } from '../../../components/status-badge.tsx';
import { byteSize } from '../../../format/numbers.ts';

export function Artifacts({ artifacts }: { artifacts: readonly Artifact[] }) {
  return (
    <ul className="artifacts">
      {artifacts.map(({ id, name, artifact_type, uri, size_bytes, checksum_sha256 }) => (
        <li key={id} className="artifact">
          <Icon name="file" />
          <div>
            <p className="artifact-name">
              {isFetchable(uri) ? (
                <a href={uri} target="_blank" rel="noreferrer">
                  {name}
                </a>
              ) : (
                <strong>{name}</strong>
              )}{' '}
              <Badge>{artifact_type}</Badge>
              {size_bytes !== null && <span className="muted">{byteSize(size_bytes)}</span>}
            </p>
            {!isFetchable(uri) && (
              <p className="artifact-line">
                <Hash value={uri} what="Address" />
              </p>
            )}
            {checksum_sha256 === null ? (
              <p className="muted">The worker reported no hash.</p>
            ) : (
              <p className="artifact-line">
                <span className="muted">SHA-256</span> <Hash value={checksum_sha256} what="SHA-256" />
              </p>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

/** An address a worker gave: only these two schemes become links. */
function isFetchable(uri: string): boolean {
  return URL.canParse(uri) && /^https?:$/.test(new URL(uri).protocol);
}
