/** A tool of others, and what it is asked: each case is judged by the tool alone, and counts as passed when it says what we expect. */
import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';

export interface Case {
  name: string;
  /** What the tool has to say: false for what was altered. */
  holds: boolean;
}

export interface Answer {
  holds: boolean;
  /** In the tool's words. */
  why: string;
}

export interface Suite {
  /** As it is printed. */
  tool: string;
  cases: readonly Case[];
  /** What this machine lacks for it, in a line; null: nothing. */
  lacks(): Promise<string | null>;
  /** By the name of the case. */
  judge(): Promise<Map<string, Answer>>;
}

/** The tool's own words about its version; null where the machine has no such command. */
export async function versionOf(command: string, ...words: string[]): Promise<string | null> {
  try {
    return (await promisify(execFile)(command, words)).stdout.trim();
  } catch {
    return null;
  }
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export async function run(
  command: string,
  words: readonly string[],
  { cwd, input = '', env }: { cwd: string; input?: string; env?: Record<string, string> },
): Promise<Ended> {
  const child = spawn(command, words, { cwd, env: { ...process.env, ...env } });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  // A tool that ends without reading says so by its exit code.
  child.stdin.on('error', () => undefined).end(input);
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  return { code, ...said };
}
