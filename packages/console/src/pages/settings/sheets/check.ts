/** A draft as the ledger sees it a moment after one stops typing: what does not compile, and what is found on a submission. */
import type { FlightSheetFindings, FlightSheetTrial } from '@rcpt/contract/ledger/flight-sheet.ts';
import type { Check } from '@rcpt/contract/work.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { ledger } from '../../../api/clients.ts';
import { problemOf } from '../../../api/problem.ts';
import { sentence } from '../../../format/vocabulary.ts';
import { type Draft, type DraftFault, faultsOf, trialOf } from './draft.ts';
import { isGiven, type Submission, type SubmissionFaults, trialFacts } from './submission.ts';

const REST_MS = 350;

export interface Checked {
  /** What is missing is said at its field, because publishing was tried. */
  strict: boolean;
  /** In the order of the sheet's members. */
  faults: DraftFault[];
  submission: SubmissionFaults;
  /** Null: there is no submission to decide, or the sheet does not compile. */
  findings: FlightSheetFindings | null;
  /** Of rule `index` of the draft. */
  findingOf: (index: number) => Check | undefined;
  /** The answer for what stands there now is still to come. */
  checking: boolean;
  /** The ledger could not be asked, or refused for another reason than the sheet. */
  problem: unknown;
}

interface Trial {
  /** There is a submission; without one the sheet is only compiled. */
  given: boolean;
  body: FlightSheetTrial;
}

/** What is wrong at one member, in words for below its field. */
export function faultAt({ faults, strict }: Checked, path: string): DraftFault | null {
  const fault = faults.find((each) => each.path === path && (strict || !each.missing));
  return fault ? { ...fault, message: sentence(fault.message) } : null;
}

/** `may`: the role may have sheets tried; without it only what can be told here is told. `published`: as `faultsOf` takes it. */
export function useCheck(
  draft: Draft,
  submission: Submission,
  { may, strict = false, published }: { may: boolean; strict?: boolean; published?: ReadonlySet<string> },
): Checked {
  const local = faultsOf(draft, published);
  const trial = trialOf(draft);
  const { faults: submissionFaults, ...facts } = trialFacts(submission);
  const given = submissionFaults.output === null && submissionFaults.inputs === null && isGiven(submission);
  const trialBody = trial && JSON.stringify({ given, body: { flight_sheet: trial.flight_sheet, ...facts } });
  const rested = useRested(trialBody);
  const restedTrial = useMemo(() => (rested === null ? null : (JSON.parse(rested) as Trial)), [rested]);
  const asked = useQuery({
    queryKey: ['flight-sheet-trial', restedTrial?.given, rested] as const,
    queryFn: ({ signal }) => ledger.tryFlightSheet(restedTrial!.body, signal),
    enabled: may && rested !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    // What was found before stays until the next answer; without a submission nothing was found.
    placeholderData: (before, query) => (query?.queryKey[1] ? before : undefined),
  });
  const compile = faultsIn(asked.error);
  const places = trial?.places ?? [];
  const known = compile?.map((fault) => inDraft(fault, places)) ?? [];
  const findings = given && restedTrial?.given && compile === null ? (asked.data ?? null) : null;
  return {
    strict,
    faults: [...local, ...known.filter(({ path }) => !local.some((fault) => fault.path === path))],
    submission: submissionFaults,
    findings,
    // The first finding is the one on the submission's form.
    findingOf: (index) => findings?.checks[places.indexOf(index) + 1],
    checking: may && trialBody !== null && (trialBody !== rested || asked.isFetching),
    problem: compile === null ? asked.error : null,
  };
}

/** What the ledger says does not compile; null when it says something else. */
function faultsIn(error: unknown): DraftFault[] | null {
  const problem = problemOf(error);
  if (problem.code !== 'flight_sheet_invalid') return null;
  const errors = (problem.errors ?? []) as { path: string; message: string; position?: { offset: number } }[];
  return errors.map(({ path, message, position }) => ({ path, message, offset: position?.offset ?? null }));
}

/** Rules that cannot be tried yet were left out of what was sent. */
function inDraft(fault: DraftFault, places: readonly number[]): DraftFault {
  const path = fault.path.replace(/^rules\.(\d+)/, (_, index: string) => `rules.${places[Number(index)] ?? index}`);
  return { ...fault, path };
}

/** `value` once it has stayed the same for a moment. */
function useRested<T>(value: T): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}
