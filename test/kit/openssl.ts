/** What anybody can check of an approval with `openssl` alone: the lines of docs/spec.md §5.3, run as they stand there. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SPECIFICATION = new URL('../../docs/spec.md', import.meta.url);

/** Whether the lines end with status 0 in this folder, beside the approval as it was served, and what they said. */
export function opensslHolds(folder: string, approval: string, isEdDSA = false): { holds: boolean; said: string } {
  writeFileSync(join(folder, 'approval.json'), approval);
  const { status, stdout, stderr } = spawnSync('sh', ['-ec', linesOf(isEdDSA)], { cwd: folder, encoding: 'utf8' });
  return { holds: status === 0, said: `${stdout}${stderr}` };
}

function linesOf(isEdDSA: boolean): string {
  const [, section] = /<a id="s5-3">(.*?)<a id="s6">/s.exec(readFileSync(SPECIFICATION, 'utf8'))!;
  const [lines, ofEdDSA] = [...section!.matchAll(/```sh\n(.*?)```/gs)].map(([, code]) => code!);
  return isEdDSA ? lines!.replace(/^openssl dgst -sha256 -verify.*$/m, ofEdDSA!.trim()) : lines!;
}
