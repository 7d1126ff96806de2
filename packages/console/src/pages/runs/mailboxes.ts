/** Where what a Run may seal holds something like an e-mail address. */
import type { Run } from '@rcpt/contract/ledger/runs.ts';

const MAILBOX = /[^\s"]@[^\s"]/;

/** The places in words; none: nothing that may be sealed holds one. The output is sealed by its hash, `notify` not at all. */
export function mailboxPlaces(run: Run, note: string): string[] {
  const { notify: _, ...inputs } = run.inputs;
  const { output: __, ...execution } = run.execution ?? {};
  const places: [string, unknown][] = [
    ['the title', run.title],
    ['the inputs', inputs],
    ['the execution', execution],
    ['a label of the evidence', run.evidence.map(({ label }) => label)],
    ['a check', run.checks.map(({ detail }) => detail)],
    ['the agent profile', run.agent_profile],
    ['the note', note],
  ];
  return places.filter(([, value]) => MAILBOX.test(JSON.stringify(value))).map(([place]) => place);
}
