/** Failures in full as they happen, a line per file, and at the end how many tests ran on which engine. */
import { relative } from 'node:path';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

const ENGINES = ['sqlite', 'postgres'] as const;
type Place = (typeof ENGINES)[number] | 'no database';

interface TestEvent {
  type: string;
  data: {
    name: string;
    nesting: number;
    file?: string;
    entryFile?: string;
    skip?: string | boolean;
    todo?: string | boolean;
    details?: {
      type?: string;
      duration_ms?: number;
      error?: { cause?: unknown; message?: string; failureType?: string };
    };
    message?: string;
  };
}

/** Resolves with the number of failures. */
export async function reportTo(out: NodeJS.WritableStream, stream: AsyncIterable<unknown>): Promise<number> {
  const counts: Record<Place, Counts> = { sqlite: none(), postgres: none(), 'no database': none() };
  const files = new Map<string, Counts & { ms: number }>();
  const path = new Map<string, string[]>();

  for await (const { type, data } of stream as AsyncIterable<TestEvent>) {
    // A suite that a helper describes has the helper's file; what it belongs to is the file that was run.
    const from = data.entryFile ?? data.file;
    const file = from ? relative(process.cwd(), from) : '';
    if (type === 'test:start') {
      const names = path.get(file) ?? [];
      path.set(file, [...names.slice(0, data.nesting), data.name]);
    }
    if (type === 'test:stderr' && process.env.TEST_STDERR) out.write(data.message ?? '');
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const isSuite = data.details?.type === 'suite';
    const failed = type === 'test:fail';
    const failedByItself = failed && data.details?.error?.failureType !== 'subtestsFailed';
    if (isSuite && !failedByItself) continue;
    const names = [...(path.get(file) ?? []).slice(0, data.nesting), data.name];
    const place = ENGINES.find((engine) => names.some((name) => name.endsWith(` on ${engine}`))) ?? 'no database';
    const ofFile = files.get(file) ?? { ...none(), ms: 0 };
    files.set(file, ofFile);
    const outcome = failed ? 'failed' : data.skip ? 'skipped' : 'passed';
    counts[place][outcome]++;
    ofFile[outcome]++;
    ofFile.ms += data.details?.duration_ms ?? 0;
    if (failed) out.write(`\nFAILED ${file}: ${names.join(' › ')}\n${indented(explain(data.details?.error))}\n\n`);
  }

  for (const [file, { passed, failed, skipped, ms }] of files)
    out.write(
      `${failed > 0 ? 'FAIL' : 'ok  '} ${file}: ${passed} passed${rest(failed, skipped)} (${(ms / 1000).toFixed(1)} s)\n`,
    );
  out.write('\n');
  for (const [place, { passed, failed, skipped }] of Object.entries(counts))
    out.write(`${place}: ${passed + failed} tests, ${passed} passed${rest(failed, skipped)}\n`);
  const total = Object.values(counts).reduce((sum, each) => ({
    passed: sum.passed + each.passed,
    failed: sum.failed + each.failed,
    skipped: sum.skipped + each.skipped,
  }));
  out.write(`\n${total.passed} passed, ${total.failed} failed\n`);
  return total.failed;
}

function none(): Counts {
  return { passed: 0, failed: 0, skipped: 0 };
}

function rest(failed: number, skipped: number): string {
  return `${failed > 0 ? `, ${failed} failed` : ''}${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

function explain(error: { cause?: unknown; message?: string } | undefined): string {
  const cause = error?.cause ?? error;
  if (cause instanceof Error) return cause.stack ?? cause.message;
  return typeof cause === 'string' ? cause : (JSON.stringify(cause, null, 2) ?? 'no reason given');
}

function indented(text: string): string {
  return text.replace(/^/gm, '    ');
}
