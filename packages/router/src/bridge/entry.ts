/** Which finished jobs become a ledger Run, and with what (docs/spec.md §24). Pure. */
import type { JsonObject } from '@rcpt/contract/wire.ts';
import type { Job } from '../domain/job.ts';
import { type Metered, takenMilliseconds } from '../domain/metering.ts';
import { usdNumber } from '../domain/price.ts';
import type { BridgeEntry } from '../store/bridge.ts';

interface Performer {
  name: string;
}

/** Null for a job that has nothing to show in the ledger. */
export function bridgeEntry(job: Job, metrics: JsonObject, worker: Performer, metered: Metered): BridgeEntry | null {
  if (job.job_type === 'fine_tune') return cookEntry(job, metrics, worker, metered);
  return job.job_type === 'eval' ? evalEntry(job, metrics, worker) : null;
}

/** A fine-tune that reports its scores before and after. The member's order wins over the worker's report. */
function cookEntry(job: Job, metrics: JsonObject, worker: Performer, metered: Metered): BridgeEntry | null {
  const { eval_before, eval_after } = metrics;
  if (typeof eval_before !== 'number' || typeof eval_after !== 'number') return null;
  const { title, base_model, dataset, pairs } = job.payload;
  return {
    job_id: job.id,
    lane: 'cook',
    document: {
      title: text(title) ?? `Fine-tune ${job.id}`,
      inputs: {
        base_model: text(base_model) ?? text(metrics.base_model) ?? 'undeclared',
        dataset: text(dataset) ?? job.input_dataset_ids[0] ?? text(metrics.dataset) ?? 'undeclared',
        pairs: whole(metrics.pairs) ?? whole(pairs) ?? 0,
        eval_before,
      },
      execution: {
        agent_name: worker.name,
        eval_after,
        // The hardware that was requested and priced: a worker is leased jobs only for hardware it declared.
        runner: job.requested_gpu_sku,
        // The run time and the charged part of it: the ledger prices the same seconds.
        metrics: {
          ...metrics,
          duration_seconds: takenMilliseconds(metered) / 1000,
          billed_seconds: metered.billed_seconds,
        },
        // The ledger compares it with its own figure.
        compute_usd: usdNumber(job.actual_cents!),
      },
    },
  };
}

/** An evaluation that names its flight sheet; its output is the submission. */
function evalEntry(job: Job, metrics: JsonObject, worker: Performer): BridgeEntry | null {
  const sheet = job.payload.flight_sheet;
  if (!isObject(sheet)) return null;
  const { title, inputs, flight_sheet: _, ...rest } = job.payload;
  // A job must not choose the addresses to which an organization mails its receipts.
  const { notify: __, ...given } = isObject(inputs) ? inputs : rest;
  const { output, model_name, provider } = metrics;
  return {
    job_id: job.id,
    lane: 'eval',
    document: {
      title: text(title) ?? `Evaluation ${job.id}`,
      inputs: { ...given, flight_sheet: sheet },
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

function whole(value: unknown): number | undefined {
  return typeof value === 'number' ? Math.trunc(value) : undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
