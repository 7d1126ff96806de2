/**
 * A real training, small enough to read: a softmax classifier on Fisher's irises, by gradient descent. Run by a worker as the
 * command of a `fine_tune` job; without one, by hand, it writes into the current folder.
 *
 *   payload   base_model, dataset, dataset_sha256?, epochs?, learning_rate?, weight_decay?
 *   datasets  the granted one is read where the router says it is; another is looked for beside this file
 *   stdout    the loss of every epoch
 *   artifact  model.json, the weights
 *   metrics   accuracy on rows the training never saw, before (all weights zero) and after
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Example {
  features: number[];
  /** Index into the classes. */
  label: number;
}

interface Table {
  features: string[];
  classes: string[];
  examples: Example[];
}

interface Model {
  /** One row per class. */
  weights: number[][];
  bias: number[];
}

/** Every fifth row of each class is held out: the same split on every machine. */
const HELD_OUT_EVERY = 5;

const began = performance.now();
const { JOB_ID, JOB_FILE, JOB_ARTIFACTS = '.', JOB_METRICS = 'metrics.json' } = process.env;
const job: Job = JOB_FILE ? JSON.parse(readFileSync(JOB_FILE, 'utf8')) : { payload: {} };

interface Job {
  payload: Payload;
  datasets?: { id: string; object_uri: string; checksum_sha256: string }[];
}
interface Payload {
  base_model?: string;
  dataset?: string;
  dataset_sha256?: string;
  epochs?: number;
  learning_rate?: number;
  weight_decay?: number;
}

const {
  base_model = 'demo/softmax-iris',
  dataset = 'iris',
  epochs = 200,
  learning_rate = 0.5,
  weight_decay = 0.001,
} = job.payload;
const granted = job.datasets?.find(({ id }) => id === dataset);
if (granted !== undefined && !granted.object_uri.startsWith('file:'))
  stop(`the dataset is at ${granted.object_uri}; this example reads files`);
if (granted === undefined && !/^[\w-]+$/.test(dataset)) stop(`there is no dataset ${JSON.stringify(dataset)} here`);
const file = fileURLToPath(granted?.object_uri ?? new URL(`${dataset}.csv`, import.meta.url));
if (!existsSync(file)) stop(`there is no dataset ${JSON.stringify(dataset)} here`);
const bytes = readFileSync(file);
const dataset_sha256 = sha256(bytes);
for (const expected of [job.payload.dataset_sha256, granted?.checksum_sha256])
  if (expected !== undefined && expected !== dataset_sha256)
    stop(`the dataset has SHA-256 ${dataset_sha256}, the job was queued for ${expected}`);

const table = readTable(bytes.toString('utf8'));
const { training, held_out } = split(table);
const scale = scaleOf(training);
const trainingSet = training.map((example) => scaled(example, scale));
const heldOutSet = held_out.map((example) => scaled(example, scale));

const model = untrained(table);
const eval_before = accuracy(model, heldOutSet);
const loss_before = loss(model, trainingSet);
console.log(
  `${dataset}: ${training.length} rows to train on, ${held_out.length} held out, ${table.classes.length} classes`,
);
console.log(`before: loss ${loss_before.toFixed(6)}, accuracy ${eval_before} on the held-out rows`);
for (let epoch = 1; epoch <= epochs; epoch++) {
  descend(model, trainingSet, learning_rate, weight_decay);
  console.log(`epoch ${String(epoch).padStart(3)} of ${epochs}: loss ${loss(model, trainingSet).toFixed(6)}`);
}
const eval_after = accuracy(model, heldOutSet);
const loss_after = loss(model, trainingSet);
console.log(`after: loss ${loss_after.toFixed(6)}, accuracy ${eval_after} on the held-out rows`);

const trained = {
  kind: 'softmax classifier',
  base_model,
  dataset,
  dataset_sha256,
  ...namesOf(table),
  ...scale,
  ...model,
};
const modelText = `${JSON.stringify(trained, null, 2)}\n`;
writeFileSync(join(JOB_ARTIFACTS, 'model.json'), modelText);
const metrics = {
  ...(JOB_ID === undefined ? {} : { job_id: JOB_ID }),
  base_model,
  dataset,
  dataset_sha256,
  pairs: training.length,
  held_out: held_out.length,
  score: 'accuracy on the held-out rows',
  eval_before,
  eval_after,
  loss_before: places(loss_before),
  loss_after: places(loss_after),
  epochs,
  learning_rate,
  weight_decay,
  model_sha256: sha256(modelText),
  duration_seconds: Math.max(0.001, Math.round(performance.now() - began) / 1_000),
};
writeFileSync(JOB_METRICS, `${JSON.stringify(metrics, null, 2)}\n`);

function readTable(text: string): Table {
  const [header = '', ...rows] = text.trim().split('\n');
  const classes: string[] = [];
  const examples = rows.map((row) => {
    const cells = row.split(',');
    const name = cells.pop()!;
    if (!classes.includes(name)) classes.push(name);
    return { features: cells.map(Number), label: classes.indexOf(name) };
  });
  return { features: header.split(',').slice(0, -1), classes, examples };
}

function namesOf({ features, classes }: Table) {
  return { features, classes };
}

function split({ classes, examples }: Table): { training: Example[]; held_out: Example[] } {
  const seen = classes.map(() => 0);
  const training: Example[] = [];
  const held_out: Example[] = [];
  for (const example of examples) {
    const nth = ++seen[example.label]!;
    (nth % HELD_OUT_EVERY === 0 ? held_out : training).push(example);
  }
  return { training, held_out };
}

/** Mean and deviation of each feature, of the training rows alone. */
function scaleOf(examples: Example[]): { mean: number[]; deviation: number[] } {
  const columns = examples[0]!.features.map((_, i) => examples.map(({ features }) => features[i]!));
  const mean = columns.map((values) => values.reduce((sum, value) => sum + value, 0) / values.length);
  const deviation = columns.map((values, i) =>
    Math.sqrt(values.reduce((sum, value) => sum + (value - mean[i]!) ** 2, 0) / values.length),
  );
  return { mean, deviation };
}

function scaled({ features, label }: Example, { mean, deviation }: ReturnType<typeof scaleOf>): Example {
  return { features: features.map((value, i) => (value - mean[i]!) / deviation[i]!), label };
}

function untrained({ features, classes }: Table): Model {
  return { weights: classes.map(() => features.map(() => 0)), bias: classes.map(() => 0) };
}

/** The probability of each class. */
function predict({ weights, bias }: Model, features: number[]): number[] {
  const scores = weights.map((row, k) => row.reduce((sum, weight, i) => sum + weight * features[i]!, bias[k]!));
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}

/** Mean cross-entropy. */
function loss(model: Model, examples: Example[]): number {
  const losses = examples.map(({ features, label }) => -Math.log(predict(model, features)[label]!));
  return losses.reduce((a, b) => a + b, 0) / losses.length;
}

/** The share of rows whose most probable class is theirs; between equals the first class counts. To 6 places. */
function accuracy(model: Model, examples: Example[]): number {
  const right = examples.filter(({ features, label }) => {
    const probabilities = predict(model, features);
    return probabilities.indexOf(Math.max(...probabilities)) === label;
  });
  return places(right.length / examples.length);
}

/** One step of gradient descent over all rows. */
function descend({ weights, bias }: Model, examples: Example[], rate: number, decay: number): void {
  const slopes = weights.map((row) => row.map(() => 0));
  const biasSlopes = bias.map(() => 0);
  for (const { features, label } of examples) {
    const probabilities = predict({ weights, bias }, features);
    probabilities.forEach((probability, k) => {
      const error = probability - (k === label ? 1 : 0);
      features.forEach((value, i) => {
        slopes[k]![i]! += (error * value) / examples.length;
      });
      biasSlopes[k]! += error / examples.length;
    });
  }
  weights.forEach((row, k) => {
    row.forEach((weight, i) => {
      row[i] = weight - rate * (slopes[k]![i]! + decay * weight);
    });
    bias[k]! -= rate * biasSlopes[k]!;
  });
}

function places(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function stop(reason: string): never {
  console.error(`train: ${reason}`);
  process.exit(2);
}
