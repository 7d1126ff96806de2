/**
 * The second demonstration: a member's fine-tune job, from a quote to a sealed receipt. A worker on this machine runs
 * `examples/train.ts`; the router meters it and opens the cook Run; the base model is pinned before that Run is approved, so
 * that its receipt seals the pin.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ProblemError } from '@rcpt/contract/client/call.ts';
import { type LedgerClient, ledgerClient } from '@rcpt/contract/client/ledger.ts';
import { type RouterClient, routerClient } from '@rcpt/contract/client/router.ts';
import type { Run } from '@rcpt/contract/ledger/runs.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import { STAGES } from '@rcpt/contract/words.ts';
import { type Demo, type MintedReceipt, saveDemo, type Training } from './demo.ts';
import { ownNode } from './own-machine.ts';

const EXAMPLES = fileURLToPath(new URL('../../../../examples', import.meta.url));
const TABLE = `${EXAMPLES}/iris.csv`;
/** As a word of a worker's command, wherever this is: its path may hold anything. */
const TRAINING = `"${EXAMPLES.replace(/["\\]/g, '\\$&')}/train.ts"`;
const BASE_MODEL = 'demo/softmax-iris';
const DATASET = 'iris';
const ESTIMATED_HOURS = 0.1;
const TIMEOUT_MS = 120_000;

/** What the worker of `./rcpt up` offers: the machine it runs on, and nothing else. */
export const DEMO_NODE = ownNode();

/** The words of `./rcpt worker` for the demo's worker. */
export function workerArguments(router_url: string, data: string): string[] {
  const { id, gpu_type, tags } = DEMO_NODE;
  const offer = [
    '--node',
    id,
    '--name',
    'Local demo worker',
    '--sku',
    gpu_type,
    ...tags.flatMap((tag) => ['--tag', tag]),
  ];
  const places = ['--state', `${data}/worker`, '--artifacts', `file:${data}/artifacts`];
  return ['--router', router_url, ...offer, ...places, '--exec', `fine_tune=node ${TRAINING}`];
}

interface Place {
  data: string;
  ledger_url: string;
  router_url: string;
  /** Where the router asks for one. */
  admin_token: string | undefined;
  say(line: string): void;
}

/** Each step is done once and kept; a step that a crash cut off is repeated and answered as the first time. */
export async function demonstrateTraining(place: Place, demo: Demo): Promise<Demo> {
  const { data, ledger_url, router_url, admin_token, say } = place;
  const training: Training = { ...demo.training };
  if (training.cook !== undefined) return demo;
  const router = routerClient({ base_url: router_url, token: admin_token });
  const [agent, approver] = [demo.agent_key, demo.approver_key].map((token) =>
    ledgerClient({ base_url: ledger_url, token }),
  ) as [LedgerClient, LedgerClient];

  function keep(reached: Partial<Training>): void {
    Object.assign(training, reached);
    saveDemo(data, { ...demo, training });
  }
  async function step<Name extends keyof Training>(name: Name, take: () => Promise<Training[Name]>) {
    if (training[name] === undefined) keep({ [name]: await take() });
    return training[name] as NonNullable<Training[Name]>;
  }
  const key = (call: string) => `${demo.organization_id}.${call}`;

  const member_id = await step('member_id', () => createMember(router, key('member')));
  const until = await step(
    'membership_expires_at',
    async () => (await router.activateMember(member_id)).membership_expires_at!,
  );
  say(`Member      ${member_id}, active until ${until.slice(0, 10)}`);
  const table = readFileSync(TABLE);
  const dataset_sha256 = createHash('sha256').update(table).digest('hex');
  await step('dataset_id', () => registerDataset(router, table, dataset_sha256, member_id));
  say(`Dataset     ${DATASET}, SHA-256 ${dataset_sha256.slice(0, 16)}…, access granted`);
  const quote = await step('quote', () => takeQuote(router, member_id, key('quote')));
  say(`Quote       ${quote.estimated_hours} hours on ${quote.gpu_display_name}: ${usd(quote.estimated_cost_usd)}`);

  const given_up = training.given_up ?? [];
  const job_id = await step('job_id', () => queueJob(router, member_id, dataset_sha256, key(`job.${given_up.length}`)));
  say(`Job         ${job_id}`);
  const job = await step('job', async () => {
    const done = await followJob(router, job_id, say);
    if (done !== null) return done;
    keep({ given_up: [...given_up, job_id] });
    delete training.job_id;
    keep({});
    throw new Error(`the training job ${job_id} did not complete; ${router_url}/jobs/${job_id}/events says why`);
  });
  say(
    `Completed   ${job.duration_seconds} s of training, charged by whole seconds, at least one: ${usd(job.actual_cost_usd)}`,
  );
  const model = await step('model', () => findModel(router, job_id));
  say(`Model       ${model.name}, SHA-256 ${model.sha256.slice(0, 16)}…`);

  const pin_run_id = await step('pin_run_id', () => openPin(agent, key('pin')));
  const pin = await step('pin', () => carryToReceipt(agent, approver, pin_run_id, PIN_EXECUTION));
  say(`Pin         ${pin.receipt_id}, the base model ${BASE_MODEL}`);
  const run = await findCookRun(agent, job_id);
  keep({
    cook_run_id: run.id,
    eval_before: run.inputs.eval_before as number,
    eval_after: run.execution?.eval_after as number,
  });
  say(
    `Cook        accuracy ${training.eval_before} before, ${training.eval_after} after; verdict ${run.verdict?.outcome}`,
  );
  const cook = await step('cook', () => carryToReceipt(agent, approver, run.id, {}));
  say(`Receipt     ${cook.receipt_id}`);
  return { ...demo, training };
}

async function createMember(router: RouterClient, key: string): Promise<string> {
  const member = (email: string, call: string) => router.createMember({ email, name: 'Demo Member' }, call);
  return (
    member('demo@example.com', key)
      // Left by a first start that was cut off here more than a day ago: idempotency keys are forgotten by then.
      .catch((error) =>
        codeOf(error) === 'email_taken'
          ? member(`demo-${Date.now()}@example.com`, `${key}.again`)
          : Promise.reject(error),
      )
      .then(({ id }) => id)
  );
}

async function registerDataset(
  router: RouterClient,
  table: Buffer,
  checksum_sha256: string,
  member_id: string,
): Promise<string> {
  const described = {
    id: DATASET,
    title: 'Fisher’s irises',
    domain: 'botany',
    description:
      'Four lengths of 150 iris flowers of three species. R. A. Fisher, Annals of Eugenics 7 (1936), table I; measured by E. Anderson.',
    object_uri: pathToFileURL(TABLE).href,
    license_type: 'public domain',
    quality_tier: 'reference',
    checksum_sha256,
    size_bytes: table.length,
    row_count: table.toString('utf8').trim().split('\n').length - 1,
  };
  await router.createDataset(described).catch(unless('id_taken'));
  await router.grantAccess(DATASET, member_id);
  return DATASET;
}

/** Before its worker registers: the node is described as what it is. */
export async function registerOwnNode(router_url: string, token: string | undefined): Promise<void> {
  const router = routerClient({ base_url: router_url, token });
  await router.registerNode({ ...DEMO_NODE, hostname: hostname() }).catch(unless('id_taken'));
}

async function takeQuote(router: RouterClient, member_id: string, key: string): Promise<Training['quote']> {
  const wanted = {
    member_id,
    requested_gpu_sku: DEMO_NODE.gpu_type,
    estimated_hours: ESTIMATED_HOURS,
    job_type: 'fine_tune',
  } as const;
  const { estimated_hours, estimated_cost_usd, gpu_display_name, receipt_id } = await router.quote(wanted, key);
  return { estimated_hours, estimated_cost_usd, gpu_display_name, receipt_id };
}

async function queueJob(router: RouterClient, member_id: string, dataset_sha256: string, key: string): Promise<string> {
  const payload = {
    title: 'Softmax classifier on Fisher’s irises',
    base_model: BASE_MODEL,
    dataset: DATASET,
    dataset_sha256,
  };
  const wanted = {
    requested_gpu_sku: DEMO_NODE.gpu_type,
    estimated_hours: ESTIMATED_HOURS,
    job_type: 'fine_tune',
  } as const;
  return (await router.createJob({ member_id, ...wanted, input_dataset_ids: [DATASET], payload }, key)).id;
}

/** Null when the job ended without a result. */
async function followJob(
  router: RouterClient,
  job_id: string,
  say: Place['say'],
): Promise<NonNullable<Training['job']> | null> {
  const job = await soon(`job ${job_id} to end`, async () => {
    const now = await router.getJob(job_id);
    return ['completed', 'failed', 'canceled'].includes(now.status) ? now : null;
  });
  if (job.status !== 'completed') return null;
  const lines = (await router.jobLogs(job_id)).flatMap((chunk) => chunk.lines);
  const shown = lines.length > 6 ? [...lines.slice(0, 3), '…', ...lines.slice(-2)] : lines;
  for (const line of shown) say(`Log         ${line}`);
  const completed = (await router.jobEvents(job_id)).find(({ event_type }) => event_type === 'completed');
  const { duration_seconds } = completed!.payload.metrics as { duration_seconds: number };
  return { actual_hours: job.actual_hours!, actual_cost_usd: job.actual_cost_usd!, duration_seconds };
}

async function findModel(router: RouterClient, job_id: string): Promise<Training['model']> {
  const model = (await router.jobArtifacts(job_id)).find(({ artifact_type }) => artifact_type === 'model');
  if (model === undefined) throw new Error(`the job ${job_id} reported no model`);
  return { name: model.name, uri: model.uri, sha256: model.checksum_sha256!, byte_size: model.size_bytes! };
}

const PIN_EXECUTION = { agent_name: 'rcpt up', model_name: BASE_MODEL, provider: 'local' };

/** What the job starts from: a classifier whose fifteen numbers are zero. */
async function openPin(agent: LedgerClient, key: string): Promise<string> {
  const name = 'Softmax classifier, untrained';
  const card = {
    name,
    slug: BASE_MODEL,
    kind: 'softmax classifier',
    inputs: ['sepal length', 'sepal width', 'petal length', 'petal width'],
    outputs: ['setosa', 'versicolor', 'virginica'],
    weights: 'all zero',
    use: 'A starting point for the demonstration; it guesses.',
  };
  const declaration =
    'The starting point of the demonstration: 12 weights and 3 biases, all zero. Every class is equally likely to it.';
  const inputs = { slug: BASE_MODEL, name, params_b: 15e-9, card, declaration };
  return (await agent.openRun({ lane: 'model-pin', title: `Pin of ${BASE_MODEL}`, inputs }, key)).id;
}

/** The bridge brings the Run as far as its verdict; the training wrote its job's id among the metrics. */
function findCookRun(agent: LedgerClient, job_id: string): Promise<Run> {
  return soon(`the router to bring the job ${job_id} into the ledger`, async () => {
    const { runs } = await agent.listRuns({ lane: 'cook', limit: 50 });
    const run = runs.find(({ execution }) => (execution?.metrics as JsonObject | undefined)?.job_id === job_id);
    return run !== undefined && STAGES.indexOf(run.stage) >= STAGES.indexOf('Verdict') ? run : null;
  });
}

/** From whatever stage the Run is at. */
async function carryToReceipt(
  agent: LedgerClient,
  approver: LedgerClient,
  run_id: string,
  execution: JsonObject,
): Promise<MintedReceipt> {
  const reached = STAGES.indexOf((await agent.getRun(run_id)).stage);
  const isBefore = (stage: (typeof STAGES)[number]) => reached < STAGES.indexOf(stage);
  if (isBefore('Execution')) await agent.postExecution(run_id, execution);
  if (isBefore('Checks')) await agent.runChecks(run_id);
  if (isBefore('Verdict')) await agent.giveVerdict(run_id);
  if (isBefore('Approval')) await approver.approve(run_id, 'approved', 'Approved by the demonstration itself.');
  const { receipt_id, share_url } = await approver.mint(run_id);
  return { receipt_id, share_url };
}

async function soon<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await pause(100);
  }
}

function unless(code: string): (error: unknown) => void {
  return (error) => {
    if (codeOf(error) !== code) throw error;
  };
}

function codeOf(error: unknown): string {
  return error instanceof ProblemError ? error.problem.code : '';
}

function usd(amount: number): string {
  return `${amount.toFixed(2)} USD`;
}
