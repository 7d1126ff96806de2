/** Which finished jobs become a ledger Run, and with what (contract §4). Pure. */
import type { JsonObject } from '@rcpt/contract/wire.ts';
import type { Job } from '../domain/job.ts';
import type { BridgeEntry } from '../store/bridge.ts';

interface Performer {
  name: string;
}

/** Null for a job that has nothing to show in the ledger. */
export function bridgeEntry(
  job: Job,
  metrics: JsonObject,
  worker: Performer,
  billed_seconds: number,
): BridgeEntry | null {
  if (job.job_type === 'fine_tune') return cookEntry(job, metrics, worker, billed_seconds);
  return job.job_type === 'eval' ? evalEntry(job, metrics, worker) : null;
}

/** A fine-tune that reports its scores before and after. */
function cookEntry(job: Job, metrics: JsonObject, worker: Performer, billed_seconds: number): BridgeEntry | null {
  const { eval_before, eval_after } = metrics;
  if (typeof eval_before !== 'number' || typeof eval_after !== 'number') return null;
  const said = { ...job.payload, ...metrics };
  return {
    job_id: job.id,
    lane: 'cook',
    document: {
      title: text(job.payload.title) ?? `Fine-tune ${job.id}`,
      inputs: {
        base_model: text(said.base_model) ?? 'undeclared',
        dataset: text(said.dataset) ?? job.input_dataset_ids[0] ?? 'undeclared',
        pairs: typeof said.pairs === 'number' ? Math.trunc(said.pairs) : 0,
        eval_before,
      },
      execution: {
        agent_name: worker.name,
        eval_after,
        // What it was requested and priced as: a worker is leased no other hardware than it declared.
        runner: job.requested_gpu_sku,
        // What the router charged for, so that the ledger's figure agrees with it.
        metrics: { ...metrics, duration_seconds: billed_seconds },
      },
    },
  };
}

/** An evaluation that names the flight sheet it is to be decided by; its output is the submission. */
function evalEntry(job: Job, metrics: JsonObject, worker: Performer): BridgeEntry | null {
  const sheet = job.payload.flight_sheet;
  if (typeof sheet !== 'object' || sheet === null || Array.isArray(sheet)) return null;
  const { title, inputs, flight_sheet: _, ...rest } = job.payload;
  const { output, model_name, provider } = metrics;
  return {
    job_id: job.id,
    lane: 'eval',
    document: {
      title: text(title) ?? `Evaluation ${job.id}`,
      inputs: {
        ...(typeof inputs === 'object' && inputs !== null && !Array.isArray(inputs) ? inputs : rest),
        flight_sheet: sheet,
      },
      execution: {
        agent_name: worker.name,
        ...(typeof model_name === 'string' ? { model_name } : {}),
        ...(typeof provider === 'string' ? { provider } : {}),
        output: output ?? metrics,
      },
    },
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
