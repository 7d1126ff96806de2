/** The example that ships: its table is Fisher's, and its training really learns. */
import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { linesOf, queue, ROOT, reaches, startRouter, startWorker, temporaryFolder } from './kit/worker.ts';

const TRAIN = join(ROOT, 'examples/train.ts');
const IRIS = readFileSync(join(ROOT, 'examples/iris.csv'), 'utf8');
const rows = IRIS.trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split(','));
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

interface Trained {
  features: string[];
  classes: string[];
  mean: number[];
  deviation: number[];
  weights: number[][];
  bias: number[];
}

/** The accuracy of written weights on the held-out rows, computed here and not by the example. */
function accuracyOf({ classes, mean, deviation, weights, bias }: Trained): number {
  const seen: Record<string, number> = {};
  const heldOut = rows.filter((row) => {
    seen[row[4]!] = (seen[row[4]!] ?? 0) + 1;
    return seen[row[4]!]! % 5 === 0;
  });
  const right = heldOut.filter((row) => {
    const scores = weights.map((w, k) =>
      w.reduce((sum, weight, i) => sum + (weight * (Number(row[i]) - mean[i]!)) / deviation[i]!, bias[k]!),
    );
    return classes[scores.indexOf(Math.max(...scores))] === row[4];
  });
  return Math.round((right.length / heldOut.length) * 1e6) / 1e6;
}

describe('the table', () => {
  test('is Fisher’s: 150 flowers, and the means that he printed', () => {
    const means: Record<string, number[]> = {
      setosa: [5.006, 3.428, 1.462, 0.246],
      versicolor: [5.936, 2.77, 4.26, 1.326],
      virginica: [6.588, 2.974, 5.552, 2.026],
    };
    assert.equal(rows.length, 150);
    for (const [species, expected] of Object.entries(means)) {
      const flowers = rows.filter((row) => row[4] === species);
      assert.equal(flowers.length, 50);
      const mean = (i: number) =>
        Math.round((flowers.reduce((sum, row) => sum + Number(row[i]) * 10, 0) / 50) * 100) / 1_000;
      assert.deepEqual([0, 1, 2, 3].map(mean), expected, species);
    }
    assert.deepEqual(
      [rows[34], rows[37]],
      [
        ['4.9', '3.1', '1.5', '0.2', 'setosa'],
        ['4.9', '3.6', '1.4', '0.1', 'setosa'],
      ],
    );
  });
});

describe('the training', () => {
  test('as a job: its accuracies are those of the weights before and after, and it has learned', async () => {
    const router = await startRouter();
    await startWorker(router.url, { exec: { fine_tune: `node ${TRAIN}` } });
    const { id } = await queue(router, {
      job_type: 'fine_tune',
      payload: { dataset_sha256: sha256(IRIS), epochs: 120 },
    });
    await reaches(router, id, 'completed');

    const [artifact] = await router.client.jobArtifacts(id);
    const bytes = readFileSync(fileURLToPath(artifact!.uri));
    const model = JSON.parse(bytes.toString('utf8')) as Trained;
    const completed = (await router.client.jobEvents(id)).find((event) => event.event_type === 'completed');
    const metrics = completed!.payload.metrics as Record<string, number | string>;

    assert.deepEqual(
      [artifact!.artifact_type, artifact!.name, artifact!.checksum_sha256],
      ['model', 'model.json', sha256(bytes)],
    );
    assert.equal(metrics.model_sha256, sha256(bytes));
    assert.equal(metrics.job_id, id);
    const zero = { ...model, weights: model.weights.map((row) => row.map(() => 0)), bias: model.bias.map(() => 0) };
    assert.equal(metrics.eval_before, accuracyOf(zero));
    assert.equal(metrics.eval_after, accuracyOf(model));
    assert.ok(metrics.eval_after! > metrics.eval_before!);
    assert.equal(metrics.pairs, 120);

    const losses = (await linesOf(router, id, 'stdout'))
      .filter((line) => line.startsWith('epoch'))
      .map((line) => Number(line.split('loss ')[1]));
    assert.equal(losses.length, 120);
    assert.ok(
      losses.every((loss, i) => i === 0 || loss < losses[i - 1]!),
      'the loss falls with every epoch',
    );
  });

  test('reads the dataset that was granted where the router says it is, and refuses other bytes than were granted', async () => {
    const router = await startRouter();
    await startWorker(router.url, { exec: { fine_tune: `node ${TRAIN}` } });
    const folder = temporaryFolder();
    const table = join(folder, 'a table.csv');
    // Without its last flower: another table than the one beside the example.
    const other = `${IRIS.trim().split('\n').slice(0, -1).join('\n')}\n`;
    writeFileSync(table, other);
    const described = {
      title: 'T',
      domain: 'd',
      description: '',
      license_type: 'l',
      quality_tier: 'q',
      row_count: 149,
    };
    const place = { object_uri: pathToFileURL(table).href, size_bytes: other.length, checksum_sha256: sha256(other) };
    await router.client.createDataset({ id: 'iris', ...described, ...place });
    await router.client.grantAccess('iris', router.member_id);
    const wish = { job_type: 'fine_tune' as const, payload: { epochs: 3 }, input_dataset_ids: ['iris'] };
    const { id } = await queue(router, wish);
    await reaches(router, id, 'completed');
    const completed = (await router.client.jobEvents(id)).find((event) => event.event_type === 'completed');
    assert.equal((completed!.payload.metrics as { dataset_sha256: string }).dataset_sha256, sha256(other));

    writeFileSync(table, IRIS);
    const { id: changed } = await queue(router, wish);
    await reaches(router, changed, 'failed');
    const failed = (await router.client.jobEvents(changed)).find((event) => event.event_type === 'failed');
    assert.match(failed!.message, /train: the dataset has SHA-256 b6b8efc8/);
  });

  test('gives the same model twice, and refuses a table that is not the one the job was queued for', async () => {
    const hashes = [];
    for (const folder of [temporaryFolder(), temporaryFolder()]) {
      await promisify(execFile)(process.execPath, [TRAIN], { cwd: folder });
      hashes.push(sha256(readFileSync(join(folder, 'model.json'))));
    }
    assert.equal(hashes[0], hashes[1]);

    const router = await startRouter();
    await startWorker(router.url, { exec: { fine_tune: `node ${TRAIN}` } });
    const { id } = await queue(router, { job_type: 'fine_tune', payload: { dataset_sha256: '0'.repeat(64) } });
    await reaches(router, id, 'failed');
    const failed = (await router.client.jobEvents(id)).find((event) => event.event_type === 'failed');
    assert.match(failed!.message, /exit code 2: train: the dataset has SHA-256 b6b8efc8/);
  });
});
