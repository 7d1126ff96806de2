/** What was done, a sentence a line, under the day on which it was done. */
import type { ActivityReceipt } from '@rcpt/contract/activity.ts';
import { Link } from 'wouter';
import { Icon, type IconName } from '../../components/icon.tsx';
import { dayInFull, exactToTheMillisecond, timeOfDay } from '../../format/instant.ts';
import { sentenceOf, subjectOf } from './sentences.ts';

export function Lines({ lines }: { lines: readonly ActivityReceipt[] }) {
  return (
    <div className="activity">
      {daysOf(lines).map(([day, those]) => (
        <section key={day} aria-labelledby={`day-${day}`}>
          <h2 id={`day-${day}`}>{dayInFull(those[0]!.created_at)}</h2>
          <ol>
            {those.map((line) => (
              <Line key={line.org_seq} line={line} />
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

function Line({ line: { receipt_id: id, org_seq, created_at, activity } }: { line: ActivityReceipt }) {
  const { words, receipt_id, after } = sentenceOf(activity);
  return (
    <li className="activity-line" id={id}>
      <Icon name={iconOf(activity.by.id)} />
      <p>
        <strong title={activity.by.id}>{subjectOf(activity.by)}</strong> {words}
        {receipt_id !== null && (
          <>
            {' '}
            <Link href={`/receipts/${receipt_id}`}>{receipt_id}</Link>
            {after}
          </>
        )}
      </p>
      <span className="activity-number" title={id}>
        #{org_seq}
      </span>
      <time dateTime={created_at} title={exactToTheMillisecond(created_at)}>
        {timeOfDay(created_at)}
      </time>
    </li>
  );
}

function iconOf(id: string): IconName {
  if (id.startsWith('user_')) return 'person';
  return id.startsWith('key_') ? 'key' : 'settings';
}

/** By the UTC day, in the order in which they come. */
function daysOf(lines: readonly ActivityReceipt[]): [day: string, lines: ActivityReceipt[]][] {
  const days = new Map<string, ActivityReceipt[]>();
  for (const line of lines) {
    const day = line.created_at.slice(0, 10);
    days.set(day, [...(days.get(day) ?? []), line]);
  }
  return [...days];
}
