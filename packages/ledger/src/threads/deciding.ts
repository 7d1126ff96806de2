/** The threads that decide: checks of every lane, flight sheets, compiled and tried, what large bodies say, what is approved of large Runs. */

import { executorOf } from '../flight-sheets/executors.ts';
import { trySheet } from '../flight-sheets/trial.ts';
import { decideChecks, fixApproved } from '../runs/decide.ts';
import { readExecution, readInputs } from '../runs/parse-body.ts';
import { serve } from './serve.ts';

const JOBS = {
  check: decideChecks,
  fix: fixApproved,
  /** @param sheet as JSON. Throws `flight_sheet_invalid`. */
  compile: (sheet: string) => void executorOf(sheet),
  try: trySheet,
  inputs: readInputs,
  execution: readExecution,
};
export type DecidingJobs = typeof JOBS;

// A page or a PDF goes before what is decided: deciding may take a second, and a page takes milliseconds.
serve(JOBS, 10);
