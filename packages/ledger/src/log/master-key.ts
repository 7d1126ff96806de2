/**
 * The key under which the organizations' private keys are encrypted (AES-256-GCM). It stands outside the database, so that who copies the
 * database cannot sign: in LEDGER_MASTER_KEY, or in a file that the first start makes.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '@rcpt/service/process/config.ts';
import type { Config } from '../config.ts';

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

export interface MasterKey {
  /** @param about what the text belongs to; opening it asks for the same */
  seal(plain: Uint8Array, about: string): string;
  /** Throws where it was sealed under another key, about something else, or was altered. */
  open(sealed: string, about: string): Buffer;
}

export function createMasterKey(key: Uint8Array): MasterKey {
  return {
    seal(plain, about) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(about));
      const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([iv, sealed, cipher.getAuthTag()]).toString('base64');
    },
    open(sealed, about) {
      const bytes = Buffer.from(sealed, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    },
  };
}

/** Throws `ConfigError`, one line. Makes the file where there is none: two starts at once end with the same one. */
export function openMasterKey(config: Pick<Config, 'master_key' | 'master_key_file' | 'database_url'>): MasterKey {
  if (config.master_key !== undefined) return createMasterKey(Buffer.from(config.master_key, 'base64'));
  const path = config.master_key_file ?? besideDatabase(config.database_url);
  const text = readOrMake(path).trim();
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES)
    throw new ConfigError(`LEDGER_MASTER_KEY_FILE: got ${path}, takes a file that holds ${KEY_BYTES} bytes in base64`);
  return createMasterKey(key);
}

/** A backup of the folder holds both; a copy of the database alone signs nothing. */
function besideDatabase(url: string): string {
  const file = /^sqlite:(.+)/.exec(url)?.[1];
  return join(file === undefined ? 'data' : dirname(file), 'master.key');
}

function readOrMake(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unusable(path, error);
  }
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flush: true });
    chmodSync(draft, 0o400);
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(path, error);
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(path, 'utf8');
}

function unusable(path: string, error: unknown): ConfigError {
  return new ConfigError(
    `LEDGER_MASTER_KEY_FILE: got ${path}, takes a file that it can read, or a folder where it can make one: ${(error as Error).message}`,
  );
}
