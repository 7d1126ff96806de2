/** `npm run interop` as a person calls it. */
import { strict as assert } from 'node:assert';
import { describe, test } from 'node:test';
import { run } from './tool.ts';

const MAIN = 'test/interop/main.ts';

describe('npm run interop', () => {
  test('nothing that the tools of this machine say is other than expected', async () => {
    const { code, stdout } = await run(process.execPath, [MAIN], { cwd: process.cwd() });
    assert.match(stdout, /\n\d+ passed, 0 failed, \d+ lacking\n$/);
    assert.equal(code, 0, stdout);
  });

  test('what a machine lacks is named, and is not counted as passed', async () => {
    const { code, stdout } = await run(process.execPath, [MAIN], { cwd: process.cwd(), env: { PATH: '/nowhere' } });
    assert.match(stdout, /^lacking {2}golang\.org\/x\/mod\/sumdb: there is no go; \d+ not asked$/m);
    assert.match(stdout, /^lacking {2}openssl: there is no openssl; \d+ not asked$/m);
    const [, passed, failed, lacking] = /\n(\d+) passed, (\d+) failed, (\d+) lacking\n$/.exec(stdout)!.map(Number);
    assert.deepEqual(stdout.match(/^passed .*$/gm), [`passed   @sigstore/verify: ${passed} of ${passed}`]);
    assert.deepEqual([failed, code], [0, 0]);
    assert.ok(lacking! > 50, stdout);
  });
});
