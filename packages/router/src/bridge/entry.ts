/** Which finished jobs become a ledger Run, and with what (contract §4). Pure. */
import type { JsonObject } from '@rcpt/contract/wire.ts';
import type { Job } from '../domain/job.ts';
import type { BridgeEntry } from '../store/bridge.ts';

interface Performer {
  name: string;
  node_id: string;
}

/** Null for a job that has nothing to show in the ledger. */
export function bridgeEntry(job: Job, metrics: JsonObject, worker: Performer): BridgeEntry | null {
  if (job.job_type === 'fine_tune') return cookEntry(job, metrics, worker);
  return job.job_type === 'eval' ? evalEntry(job, metrics, worker) : null;
}

/** A fine-tune that reports its scores before and after. */
function cookEntry(job: Job, metrics: JsonObject, worker: Performer): BridgeEntry | null {
  const { eval_before, eval_after } = metrics;
  if (typeof eval_before !== 'number' || typeof eval_after !== 'number') return null;
  const said = { ...job.payload, ...metrics };
  const duration_seconds =
    typeof metrics.duration_seconds === 'number' ? metrics.duration_seconds : Number(job.actual_hours) * 3600;
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
        runner: job.requested_gpu_sku,
        metrics: { ...metrics, duration_seconds },
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
