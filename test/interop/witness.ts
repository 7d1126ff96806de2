/** A log in Go, by `golang.org/x/mod/sumdb`, submits to `./rcpt witness`; `filippo.io/torchwood` verifies what our witness signed. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { concat, toBase64, toHex } from '@rcpt/proof/log/bytes.ts';
import { formatVerifierKey, verifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { startWitness } from '../../packages/witness/test/kit/running.ts';
import { type GoCase, goSuite } from './go.ts';
import type { Suite } from './tool.ts';

/** In this order: each is sent after the one before it. */
const SUBMITTED = [
  { name: 'the first checkpoint', holds: true, older_size: 0, size: 5 },
  { name: 'the same one again', holds: true, older_size: 5, size: 5 },
  { name: 'one that extends it', holds: true, older_size: 5, size: 8 },
  { name: 'one of many more records', holds: true, older_size: 8, size: 700 },
  { name: 'one from a size that it has passed', holds: false, older_size: 8, size: 701 },
  { name: 'one that is shorter', holds: false, older_size: 700, size: 699 },
  { name: 'a rewritten log', holds: false, older_size: 700, size: 900, fork_at: 0 },
  { name: 'a log whose end was cut off and grew again', holds: false, older_size: 700, size: 900, fork_at: 650 },
  { name: 'the log itself, after all that', holds: true, older_size: 700, size: 900 },
];

export function ourWitnessSuite(folder: string): Suite {
  const { vkey, signer } = goSigner('ledger.example/org/org_1');
  const stranger = goSigner('ledger.example/org/org_1').signer;
  const cases = (url: string, key: string): GoCase[] => [
    ...SUBMITTED.map((each) => ({ kind: 'submit' as const, url, key, signer, fork_at: -1, ...each })),
    {
      name: 'a log of another key',
      holds: false,
      kind: 'submit',
      url,
      key,
      signer: stranger,
      fork_at: -1,
      older_size: 900,
      size: 901,
    },
  ];
  const suite = (url: string, key: string) =>
    goSuite('filippo.io/torchwood as a log, ./rcpt witness', 'witness', cases(url, key), folder);
  return {
    ...suite('', ''),
    async judge() {
      const witness = await startWitness(join(folder, 'our-witness'), [vkey], '--name', 'witness.example/w1');
      try {
        return await suite(witness.url, witness.vkey).judge();
      } finally {
        await witness.process.stop();
      }
    },
  };
}

/** As Go's note package writes its keys. */
function goSigner(name: string): { vkey: string; signer: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = verifierKey(name, 1, lastBytes(publicKey, 'spki'));
  const secret = toBase64(concat(Uint8Array.of(1), lastBytes(privateKey, 'pkcs8')));
  return { vkey: formatVerifierKey(key), signer: `PRIVATE+KEY+${name}+${toHex(key.id)}+${secret}` };
}

function lastBytes(key: KeyObject, type: 'spki' | 'pkcs8'): Uint8Array {
  return new Uint8Array(key.export({ type: type as 'spki', format: 'der' }).subarray(-32));
}
