/** A line per file as it ends, failures in full as they happen and again at the end, and how many tests ran on which engine. */
import { FILE_ENDED, TOGETHER } from './jobs.ts';

/** Of what a process says, for one that ends before its tests do. */
const STDERR_KEPT = 4_000;

const ENGINES = ['sqlite', 'postgres'] as const;
type Place = (typeof ENGINES)[number] | 'no database';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export interface TestEvent {
  type: string;
  data: {
    name?: string;
    nesting?: number;
    skip?: string | boolean;
    details?: { type?: string; error?: { cause?: unknown; message?: string; failureType?: string } };
    message?: string;
  };
}

export interface Reporter {
  /** The files that one process runs, in order. */
  job(files: string[]): JobReporter;
  /** Says what came of it all; the number of failures. */
  end(): number;
}

export interface JobReporter {
  take(event: unknown): void;
  /** The process has ended; files of which nothing was heard have failed. */
  end(): void;
}

export function createReporter(out: NodeJS.WritableStream, files: number): Reporter {
  const began = performance.now();
  const counts: Record<Place, Counts> = { sqlite: none(), postgres: none(), 'no database': none() };
  const failures: { file: string; text: string }[] = [];
  let ended = 0;
  out.write(`${files} test files\n`);

  function fileEnded(
    file: string,
    { passed, failed, skipped }: Counts,
    [wall_ms = 0, processor_ms = 0]: number[],
  ): void {
    const place = `[${String(++ended).padStart(String(files).length)}/${files}]`;
    const word = failed > 0 ? 'FAIL' : 'ok  ';
    out.write(
      `${place} ${word} ${file}: ${passed} passed${rest(failed, skipped)} (${seconds(wall_ms)}, processor ${seconds(processor_ms)})\n`,
    );
  }

  return {
    job: (of_job) => reportJob(of_job, { out, counts, failures, fileEnded }),
    end() {
      const total = Object.values(counts).reduce((sum, each) => ({
        passed: sum.passed + each.passed,
        failed: sum.failed + each.failed,
        skipped: sum.skipped + each.skipped,
      }));
      for (const { text } of failures) out.write(`\n${text}`);
      const failed_files = [...new Set(failures.map(({ file }) => file))];
      if (failed_files.length > 0) out.write(`\nRun what failed again: npm test -- ${failed_files.join(' ')}\n`);
      out.write('\n');
      for (const [place, { passed, failed, skipped }] of Object.entries(counts))
        out.write(`${place}: ${passed + failed} tests, ${passed} passed${rest(failed, skipped)}\n`);
      out.write(`\n${total.passed} passed, ${total.failed} failed in ${seconds(performance.now() - began)}\n`);
      return total.failed;
    },
  };
}

interface Heard {
  out: NodeJS.WritableStream;
  counts: Record<Place, Counts>;
  failures: { file: string; text: string }[];
  fileEnded(file: string, counts: Counts, took_ms: number[]): void;
}

function reportJob(files: string[], { out, counts, failures, fileEnded }: Heard): JobReporter {
  const left = [...files];
  let path: string[] = [];
  let of_file = none();
  let stderr = '';

  function count(outcome: keyof Counts, names: string[]): void {
    const place = ENGINES.find((engine) => names.some((name) => name.endsWith(` on ${engine}`))) ?? 'no database';
    counts[place][outcome]++;
    of_file[outcome]++;
  }

  function failed(names: string[], error: { cause?: unknown; message?: string } | undefined): void {
    const file = left[0] ?? files.at(-1)!;
    count('failed', names);
    const text = `FAILED ${file}: ${names.join(' › ')}\n${indented(explain(error))}\n`;
    failures.push({ file, text });
    out.write(`\n${text}\n`);
  }

  function end(took_ms: number[]): void {
    fileEnded(left.shift()!, of_file, took_ms);
    of_file = none();
  }

  return {
    take(event) {
      const { type, data } = event as TestEvent;
      const { name = '', nesting = 0 } = data;
      if (type === 'test:start') path = [...path.slice(0, nesting), name];
      if (type === 'test:stderr') {
        if (process.env.TEST_STDERR) out.write(data.message ?? '');
        stderr = `${stderr}${data.message}`.slice(-STDERR_KEPT);
      }
      if (type === 'test:diagnostic' && data.message?.startsWith(FILE_ENDED))
        end(data.message.slice(FILE_ENDED.length).split(' ').map(Number));
      if ((type !== 'test:pass' && type !== 'test:fail') || name.startsWith(FILE_ENDED)) return;
      const error = type === 'test:fail' ? data.details?.error : undefined;
      // A suite fails by itself when a hook of it does.
      if (data.details?.type === 'suite' && (type === 'test:pass' || error?.failureType === 'subtestsFailed')) return;
      const names = [...path.slice(0, nesting), name];
      if (type === 'test:fail' && name === TOGETHER)
        failed(['the process'], { message: `it failed as a whole; it said last:\n${stderr}` });
      else if (type === 'test:fail') failed(names, error);
      else count(data.skip ? 'skipped' : 'passed', names);
    },
    end() {
      while (left.length > 0) {
        if (of_file.failed === 0) failed(['the file'], { message: 'the process ended before the file did' });
        end([]);
      }
    },
  };
}

function none(): Counts {
  return { passed: 0, failed: 0, skipped: 0 };
}

function rest(failed: number, skipped: number): string {
  return `${failed > 0 ? `, ${failed} failed` : ''}${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function explain(error: { cause?: unknown; message?: string } | undefined): string {
  const cause = error?.cause ?? error;
  if (cause instanceof Error) return cause.stack ?? cause.message;
  if (typeof cause === 'string') return cause;
  return error?.message ?? JSON.stringify(cause, null, 2) ?? 'no reason given';
}

function indented(text: string): string {
  return text.replace(/^/gm, '    ');
}
