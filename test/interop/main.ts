/**
 * `npm run interop`: tools that nobody here wrote verify what this project makes. What the machine lacks is named and is not counted as passed.
 * Exit codes: 0 nothing failed, 1 something did.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goSuite } from './go.ts';
import { sumdbCases, torchwoodCases } from './go-cases.ts';
import { litewitnessSuite } from './litewitness.ts';
import { makeLog, writeTiles } from './made.ts';
import { madeCases, opensslSuite } from './openssl.ts';
import { type Served, serve } from './served.ts';
import { sigstoreSuite } from './sigstore.ts';
import type { Suite } from './tool.ts';
import { ourWitnessSuite } from './witness.ts';

const ENTRIES = 70_000;

const counted = { passed: 0, failed: 0, lacking: 0 };
const folder = mkdtempSync(join(tmpdir(), 'interop-'));
const served = await serve(folder);
try {
  for (const suite of await suites(folder, served)) await count(suite);
} finally {
  await served.close();
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`${counted.passed} passed, ${counted.failed} failed, ${counted.lacking} lacking\n`);
// The kit that starts the ledger would have Node report on tests, of which there are none here.
process.exit(counted.failed === 0 ? 0 : 1);

async function suites(place: string, { sumdb, torchwood, openssl, sigstore }: Served): Promise<Suite[]> {
  const made = makeLog(ENTRIES);
  const tiles = join(place, 'tiles');
  await writeTiles(made, tiles);
  return [
    goSuite('golang.org/x/mod/sumdb', 'sumdb', [...(await sumdbCases(made, tiles)), ...sumdb], place),
    goSuite('filippo.io/torchwood', 'torchwood', [...(await torchwoodCases(made, tiles)), ...torchwood], place),
    ourWitnessSuite(place),
    litewitnessSuite(place),
    opensslSuite([...(await madeCases(made)), ...openssl], place),
    sigstoreSuite(sigstore),
  ];
}

async function count({ tool, cases, lacks, judge }: Suite): Promise<void> {
  const lacking = await lacks();
  if (lacking !== null) {
    counted.lacking += cases.length;
    process.stdout.write(`lacking  ${tool}: ${lacking}; ${cases.length} not asked\n`);
    return;
  }
  const answers = await judge();
  const wrong = cases.filter(({ name, holds }) => answers.get(name)?.holds !== holds);
  for (const { name, holds } of wrong) {
    const said = answers.get(name);
    const expected = holds ? 'should hold' : 'should be refused';
    process.stdout.write(`failed   ${tool}: ${name}: ${expected}; ${said?.why.trim() || 'it says nothing of it'}\n`);
  }
  counted.failed += wrong.length;
  counted.passed += cases.length - wrong.length;
  process.stdout.write(`passed   ${tool}: ${cases.length - wrong.length} of ${cases.length}\n`);
}
