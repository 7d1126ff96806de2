/** Queued, leased, running, over: when, and how long between. */
import type { Job, JobEvent } from '@rcpt/contract/router/compute.ts';
import { useNow } from '../../../components/clock.ts';
import { StatusIcon } from '../../../components/status-badge.tsx';
import { day, exact } from '../../../format/instant.ts';
import { TimeSince } from '../badges.tsx';
import { durationWords } from '../duration.ts';
import { isOver, JOB_LOOK } from '../format.ts';
import { earlierAttempts, type Step, stepsOf } from './steps.ts';

const CLOCK = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZone: 'UTC',
});

export function Timeline({ job, events }: { job: Job; events: readonly JobEvent[] }) {
  const steps = stepsOf(job, events);
  const earlier = earlierAttempts(events).filter(() => job.attempt > 1 || job.status === 'queued');
  return (
    <div className="timeline">
      <ol className="steps" aria-label="How far the job is">
        {steps.map((step, place) => (
          <StepItem key={step.word} step={step} next={nextOf(steps, place)} />
        ))}
      </ol>
      {earlier.length > 0 && (
        <ul className="attempts">
          {earlier.map(({ id, message, created_at }) => (
            <li key={id}>
              <time dateTime={created_at}>{exact(created_at)}</time> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function StepItem({ step, next }: { step: Step; next: Step | null }) {
  const now = useNow();
  const { status, word, at, state } = step;
  const { mark, tone } = JOB_LOOK[status];
  const current = state === 'now';
  return (
    <li className="step" data-state={state} aria-current={current ? 'step' : undefined}>
      {state === 'done' ? (
        <StatusIcon name="tick" tone="neutral" />
      ) : current ? (
        <StatusIcon name={mark} tone={tone} />
      ) : (
        <StatusIcon name={state === 'ahead' ? 'ring' : 'dash'} tone="neutral" />
      )}
      <span className="step-word">{word}</span>
      <span className="step-at">
        {at === null ? (
          state === 'left out' ? (
            'not leased'
          ) : (
            ' '
          )
        ) : (
          <time dateTime={at} title={exact(at)}>
            {clockWords(at, now)}
          </time>
        )}
      </span>
      <span className="step-took">
        {at !== null && next?.at ? (
          durationWords(Date.parse(next.at) - Date.parse(at))
        ) : at !== null && current && !isOver(status) ? (
          <TimeSince from={at} />
        ) : null}
      </span>
    </li>
  );
}

/** `20:14:33 UTC`; with its day when that is not today. */
function clockWords(at: string, now: number): string {
  const clock = `${CLOCK.format(new Date(at))} UTC`;
  const today = day(new Date(now).toISOString(), now);
  return day(at, now) === today ? clock : `${day(at, now)}, ${clock}`;
}

/** The next step that was taken. */
function nextOf(steps: readonly Step[], place: number): Step | null {
  return steps.slice(place + 1).find(({ at }) => at !== null) ?? null;
}
