/**
 * What an agent posts of a Run, read to what its stages store. A large body is read in a thread: reading, validating and writing a
 * megabyte would hold the event loop for a tenth of a second. A small one is read by the same rules on the event loop.
 */
import { randomBytes } from 'node:crypto';
import { type Commitments, whyNotPrivate } from '@rcpt/contract/lanes/private.ts';
import { LANES } from '@rcpt/contract/lanes/registry.ts';
import { NewRun } from '@rcpt/contract/ledger/runs.ts';
import type { LaneName } from '@rcpt/contract/vocabulary.ts';
import { JsonObject } from '@rcpt/contract/wire.ts';
import type { AgentProfile } from '@rcpt/contract/work.ts';
import { readBody, validated } from '@rcpt/service/http/body.ts';
import { refuse } from '../problems.ts';

export interface ParsedInputs extends Pick<NewRun, 'lane' | 'title' | 'agent_profile_id'> {
  /** What the lane takes of them, as JSON text. */
  inputs: string;
  notify: string[];
  /** What is private, each with a salt of its own. */
  commitments: Commitments | null;
  /** The flight sheet that they name. */
  sheet: { name: string; version: string } | null;
}

export interface ParsedExecution {
  /** What the lane takes of it, as JSON text. */
  execution: string;
  /** As it declares itself. */
  agent: Partial<AgentProfile>;
}

/** 128 bits: whoever knows a digest and guesses the value cannot tell whether the guess is right. */
const SALT_BYTES = 16;

/** Throws `invalid`, `private_refused`. */
export function inputsOf({ lane, title, agent_profile_id, private: paths = [], ...body }: NewRun): ParsedInputs {
  const inputs = validated(LANES[lane].inputs, body.inputs, 'inputs');
  const refused = whyNotPrivate(LANES[lane], { title, inputs }, paths);
  if (refused !== null)
    throw refuse('private_refused', `${refused.path} cannot be private: ${refused.reason}.`, { path: refused.path });
  const members = paths.map((path) => ({ path, salt: randomBytes(SALT_BYTES).toString('base64url') }));
  return {
    lane,
    title,
    agent_profile_id,
    inputs: JSON.stringify(inputs),
    notify: (inputs.notify as string[] | undefined) ?? [],
    commitments: members.length === 0 ? null : { members },
    sheet: LANES[lane].sheet?.(inputs) ?? null,
  };
}

/** Throws `invalid`. */
export function executionOf(lane: LaneName, body: JsonObject): ParsedExecution {
  const execution = validated(LANES[lane].execution, body, '');
  return { execution: JSON.stringify(execution), agent: LANES[lane].agent(execution) };
}

/** As a small body of `POST /runs` is read. Throws `malformed_json`, `not_representable`, `invalid`. */
export function readInputs(bytes: Uint8Array): ParsedInputs {
  return inputsOf(readBody(bytes, NewRun));
}

export interface UnreadExecution {
  lane: LaneName;
  bytes: Uint8Array;
}

/** As a small body of `POST /runs/{id}/execution` is read. Throws as `readInputs`. */
export function readExecution({ lane, bytes }: UnreadExecution): ParsedExecution {
  return executionOf(lane, readBody(bytes, JsonObject));
}
