/** The dearest flight sheets that are taken, published and tried again and again, and the dearest checks of other lanes. */
import type { Attack, Prepare } from './victim.ts';
import { unharmedBy } from './victim.ts';

const SHEET = {
  title: 'Dear',
  assignment: { title: 'Do it', instructions: '' },
  pass_threshold: 80,
  fail_threshold: 50,
};
const rule = (expr: string, i = 0) => ({ id: `r${i}`, label: `Rule ${i}`, category: 'math', severity: 'high', expr });
/** About a second to compile. */
const DEAR_TO_COMPILE = {
  ...SHEET,
  output_schema: { oneOf: Array(890).fill({}) },
  rules: [rule(`[${'[],'.repeat(1_000)}[]] == submission`)],
};
/** Each rule spends all that a rule may, together all that a submission may. */
const DEAR_TO_DECIDE = {
  ...SHEET,
  output_schema: {},
  rules: Array.from({ length: 8 }, (_, i) => rule('submission.all(a, submission.all(b, a != b + 7))', i)),
};
const NUMBERS = Array.from({ length: 5_000 }, () => 1);
const MEMBERS = Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [i.toString(36), 1]));
const RUNS = 12;

/** Runs at Execution, each of which can be checked once. */
export const prepare: Prepare = async ({ tenant }) => {
  const agent = tenant.as('agent');
  await tenant.as('owner')('POST', '/flight-sheets', { ...DEAR_TO_DECIDE, name: 'decide', version: '1' });
  const runs = [];
  for (let i = 0; i < RUNS; i++) {
    const evaluation = await agent('POST', '/runs', {
      lane: 'eval',
      title: 'Dear',
      inputs: { flight_sheet: { name: 'decide', version: '1' } },
    });
    await agent('POST', `/runs/${evaluation.id}/execution`, { agent_name: 'a', output: NUMBERS });
    const other = await agent('POST', '/runs', { lane: 'generic', title: 'Dear', inputs: { task: 'Count all of it' } });
    await agent('POST', `/runs/${other.id}/execution`, { output: MEMBERS });
    runs.push(evaluation.id, other.id);
  }
  return runs;
};

let checked = 0;
let published = 0;

export const attack: Attack = async ({ call, tenant, signal, prepared }) => {
  const until = async (once: () => Promise<unknown>) => {
    while (!signal.aborted) await once();
  };
  const post = (path: string, body?: unknown) => call('POST', path, { token: tenant.keys.owner, body });
  await Promise.all([
    until(() =>
      post('/flight-sheets/try', { flight_sheet: { ...DEAR_TO_DECIDE, name: 'try', version: '1' }, output: NUMBERS }),
    ),
    until(() =>
      post('/flight-sheets/try', { flight_sheet: { ...DEAR_TO_COMPILE, name: 'try', version: '2' }, output: 1 }),
    ),
    until(() =>
      post('/flight-sheets', {
        ...DEAR_TO_COMPILE,
        name: 'compile',
        version: `1.${published++}`,
        title: `No ${published}`,
      }),
    ),
    // When all are checked, what is asked again is refused, in its turn.
    until(() => post(`/runs/${prepared[checked++ % prepared.length]}/checks`)),
  ]);
};

unharmedBy('sheets that are dear to compile and checks that are dear to decide', import.meta.url);
