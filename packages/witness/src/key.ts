/** The witness's own key, bound to its record: a key without the record of what it cosigned could cosign a fork. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { equal } from '@rcpt/proof/log/bytes.ts';
import { type VerifierKey, verifierKey } from '@rcpt/proof/log/verifier-key.ts';
import type { WitnessRecord } from './record.ts';

export interface WitnessKey {
  /** Of type 4. */
  public: VerifierKey;
  sign(message: Uint8Array): Uint8Array;
}

/** It cannot be this witness: the message says what to do. */
export class NotThisWitness extends Error {}

const FILE = 'key.pem';
const ANEW = 'Move the folder away and start anew, with a new key, and tell those who count on this witness.';

/**
 * The key of the first start, or a new one. Made, noted in the record and only then published under its name: after a crash in between the
 * next start takes the same key. Throws `NotThisWitness`.
 */
export function openKey(folder: string, name: string | undefined, record: WitnessRecord): WitnessKey {
  const file = join(folder, FILE);
  const known = record.identity();
  if (known === null) {
    if (existsSync(file)) throw new NotThisWitness(`${file} is there, the record of what it cosigned is not. ${ANEW}`);
    if (name === undefined) throw new NotThisWitness('--name: got nothing, takes the name of the witness');
    const made = generateKeyPairSync('ed25519').privateKey;
    writeSecret(`${file}.new`, made.export({ type: 'pkcs8', format: 'pem' }) as string, folder);
    record.identify({ name, public_key: publicBytes(made) });
  }
  if (!existsSync(file) && existsSync(`${file}.new`)) publish(`${file}.new`, file, folder);
  if (!existsSync(file)) throw new NotThisWitness(`${file} is gone; the record beside it is that key’s. ${ANEW}`);
  const identity = record.identity()!;
  const key = readKey(file);
  if (!equal(publicBytes(key), identity.public_key))
    throw new NotThisWitness(`${file} is another key than the one whose record is beside it. ${ANEW}`);
  if (name !== undefined && name !== identity.name)
    throw new NotThisWitness(
      `--name: got ${JSON.stringify(name)}, this key is ${JSON.stringify(identity.name)}; a key has one name`,
    );
  return {
    public: verifierKey(identity.name, 4, publicBytes(key)),
    sign: (message) => new Uint8Array(sign(null, message, key)),
  };
}

function readKey(file: string): KeyObject {
  const key = createPrivateKey(readFileSync(file));
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new NotThisWitness(`${file} holds no Ed25519 key`);
}

function publicBytes(key: KeyObject): Uint8Array {
  return new Uint8Array(createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-32));
}

function writeSecret(file: string, text: string, folder: string): void {
  const fd = openSync(file, 'w', 0o600);
  writeSync(fd, text);
  fsyncSync(fd);
  closeSync(fd);
  syncFolder(folder);
}

function publish(from: string, to: string, folder: string): void {
  renameSync(from, to);
  syncFolder(folder);
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  fsyncSync(fd);
  closeSync(fd);
}
