/** What a violation found, whichever chain it is of. */
import { Description, DescriptionList } from '../../components/description-list.tsx';
import { StatusIcon } from '../../components/status-badge.tsx';
import { KIND, type Violation } from './wording.ts';

export function ViolationTitle({ violation: { kind, org_seq } }: { violation: Violation }) {
  return (
    <h3>
      <StatusIcon name="cross" tone="bad" />
      {KIND[kind].title}
      {org_seq !== null && <> at #{org_seq}</>}
    </h3>
  );
}

/** @param of what it is pinned to: `Receipt`, `Line` */
export function Finding({ violation, of }: { violation: Violation; of: string }) {
  const { kind, receipt_id, expected, actual, detail } = violation;
  const words = KIND[kind];
  return (
    <DescriptionList>
      <Description label="Finding">{detail}</Description>
      {expected !== null && (
        <Description label={words.expected}>
          <code>{String(expected)}</code>
        </Description>
      )}
      {actual !== null && (
        <Description label={words.actual}>
          <code>{String(actual)}</code>
        </Description>
      )}
      {receipt_id !== null && (
        <Description label={of}>
          <code>{receipt_id}</code>
        </Description>
      )}
    </DescriptionList>
  );
}
