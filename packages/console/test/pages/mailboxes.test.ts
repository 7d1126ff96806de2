/** The approval dialog says of every text that the receipt may hold whether it holds an e-mail address. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Run } from '@rcpt/contract/ledger/runs.ts';
import { mailboxPlaces } from '../../src/pages/runs/mailboxes.ts';

const MAILBOX = 'ada@example.org';
const RUN = {
  title: 'A reply',
  inputs: { task: 'Answer the letter', notify: [MAILBOX] },
  execution: { agent_name: 'scribe', output: `Dear ${MAILBOX}` },
  evidence: [{ label: 'letter.txt' }],
  checks: [{ detail: 'Fine.' }],
  agent_profile: { name: 'scribe' },
} as unknown as Run;

test('what is not sealed as text is no place: the mailboxes to notify, and the output', () => {
  assert.deepEqual(mailboxPlaces(RUN, 'Read it @ noon'), []);
});

test('an address is found in whatever may be sealed', () => {
  const changes: [string, Partial<Record<keyof Run, unknown>>][] = [
    ['the title', { title: `Reply for ${MAILBOX}` }],
    ['the inputs', { inputs: { deep: { list: [MAILBOX] } } }],
    ['the execution', { execution: { agent_name: MAILBOX } }],
    ['a label of the evidence', { evidence: [{ label: `letter of ${MAILBOX}` }] }],
    ['a check', { checks: [{ detail: `seen by ${MAILBOX}` }] }],
    ['the agent profile', { agent_profile: { name: MAILBOX } }],
  ];
  for (const [place, change] of changes)
    assert.deepEqual(mailboxPlaces({ ...RUN, ...change } as Run, ''), [place], place);
  assert.deepEqual(mailboxPlaces({ ...RUN, title: MAILBOX } as Run, MAILBOX), ['the title', 'the note']);
});
