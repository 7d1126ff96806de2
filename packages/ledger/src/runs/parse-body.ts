/**
 * What an agent posts of a Run, read to what its stages store. A large body is read in a thread: reading, validating and writing a
 * megabyte would hold the event loop for a tenth of a second. A small one is read by the same rules on the event loop.
 */
import { LANES } from '@rcpt/contract/lanes/registry.ts';
import { NewRun } from '@rcpt/contract/ledger/runs.ts';
import type { LaneName } from '@rcpt/contract/vocabulary.ts';
import { JsonObject } from '@rcpt/contract/wire.ts';
import type { AgentProfile } from '@rcpt/contract/work.ts';
import { readBody, validated } from '@rcpt/service/http/body.ts';

export interface ParsedInputs extends Pick<NewRun, 'lane' | 'title' | 'agent_profile_id'> {
  /** What the lane takes of them, as JSON text. */
  inputs: string;
  notify: string[];
  /** The flight sheet that they name. */
  sheet: { name: string; version: string } | null;
}

export interface ParsedExecution {
  /** What the lane takes of it, as JSON text. */
  execution: string;
  /** As it declares itself. */
  agent: Partial<AgentProfile>;
}

/** Throws `invalid`. */
export function inputsOf({ lane, title, agent_profile_id, ...body }: NewRun): ParsedInputs {
  const inputs = validated(LANES[lane].inputs, body.inputs, 'inputs');
  return {
    lane,
    title,
    agent_profile_id,
    inputs: JSON.stringify(inputs),
    notify: (inputs.notify as string[] | undefined) ?? [],
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
