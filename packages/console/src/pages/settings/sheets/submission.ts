/** A submission that a sheet is tried on, as it is typed: the output, the inputs, the evidence. */
import type { FlightSheetTrial } from '@rcpt/contract/ledger/flight-sheet.ts';
import type { Run } from '@rcpt/contract/ledger/runs.ts';
import type { Json, JsonObject } from '@rcpt/contract/wire.ts';
import { readJson, type TextFault } from './json-places.ts';

export type Fact = NonNullable<FlightSheetTrial['evidence']>[number];

export interface Submission {
  /** `json`: the text is JSON. `text`: the text itself is the output. */
  kind: 'json' | 'text';
  output: string;
  /** A JSON object, or nothing. */
  inputs: string;
  evidence: (Fact & { key: string })[];
}

export interface SubmissionFaults {
  output: TextFault | null;
  inputs: TextFault | null;
}

/** SHA-256 of no bytes: what a piece of evidence has until its hash is known. */
export const NO_BYTES = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const HASH = /^[0-9a-f]{64}$/;

export const EMPTY_SUBMISSION: Submission = { kind: 'json', output: '', inputs: '', evidence: [] };

/** There is something to try a sheet on. */
export function isGiven({ kind, output }: Submission): boolean {
  return kind === 'text' ? output !== '' : output.trim() !== '';
}

/** What is sent, without the parts that are faulty. */
export function trialFacts(
  submission: Submission,
): Omit<FlightSheetTrial, 'flight_sheet'> & { faults: SubmissionFaults } {
  const { kind, output, inputs, evidence } = submission;
  const read = kind === 'json' && isGiven(submission) ? readJson(output) : null;
  const given = inputs.trim() === '' ? null : readJson(inputs);
  const isObject =
    given === null || (typeof given.value === 'object' && given.value !== null && !Array.isArray(given.value));
  const notObject = { message: 'the inputs are a JSON object', offset: 0 };
  return {
    output: kind === 'text' ? output : (read?.value ?? null),
    ...(given?.value !== undefined && isObject ? { inputs: given.value as JsonObject } : {}),
    evidence: evidence.map(({ key: _, ...fact }) => ({
      ...fact,
      label: fact.label.trim() || 'Unnamed',
      sha256: HASH.test(fact.sha256) ? fact.sha256 : NO_BYTES,
    })),
    faults: {
      output: read?.fault ?? null,
      inputs: given?.fault ?? (isObject ? null : notObject),
    },
  };
}

/** What a Run of the eval lane brought, so that a new version is tried on work that exists. Null: nothing was posted. */
export function submissionOf({ execution, inputs, evidence }: Run): Submission | null {
  if (execution?.output === undefined) return null;
  const { flight_sheet: _, notify: __, ...rest } = inputs;
  const isText = typeof execution.output === 'string';
  return {
    kind: isText ? 'text' : 'json',
    output: isText ? (execution.output as string) : shown(execution.output),
    inputs: Object.keys(rest).length === 0 ? '' : shown(rest),
    evidence: evidence.map(({ id, kind, label, sha256, content_type, byte_size }) => ({
      key: id,
      kind,
      label,
      sha256,
      content_type,
      byte_size,
    })),
  };
}

function shown(value: Json): string {
  return JSON.stringify(value, null, 2);
}
