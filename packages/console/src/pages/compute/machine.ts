/** What a worker says about its machine, as far as it can be made out: metrics are whatever a worker sends. Pure. */

export interface Gpu {
  name: string;
  utilization_percent: number | null;
  memory_used_mib: number | null;
  memory_mib: number | null;
  temperature_celsius: number | null;
}

export function gpusOf(metrics: Record<string, unknown>): Gpu[] {
  const { gpus } = metrics;
  if (!Array.isArray(gpus)) return [];
  return gpus.filter(isObject).map((gpu) => ({
    name: typeof gpu.name === 'string' ? gpu.name : 'GPU',
    utilization_percent: percent(gpu.utilization_percent),
    memory_used_mib: positive(gpu.memory_used_mib),
    memory_mib: positive(gpu.memory_mib),
    temperature_celsius: positive(gpu.temperature_celsius),
  }));
}

export interface Machine {
  cpu: string | null;
  cpu_count: number | null;
  load_1m: number | null;
  memory_bytes: number | null;
  memory_free_bytes: number | null;
  disk_bytes: number | null;
  disk_free_bytes: number | null;
  uptime_seconds: number | null;
}

export function machineOf(capabilities: Record<string, unknown>, metrics: Record<string, unknown>): Machine {
  return {
    cpu: typeof capabilities.cpu === 'string' ? capabilities.cpu : null,
    cpu_count: positive(capabilities.cpu_count),
    load_1m: positive(metrics.load_1m),
    memory_bytes: positive(metrics.memory_bytes),
    memory_free_bytes: positive(metrics.memory_free_bytes),
    disk_bytes: positive(metrics.disk_bytes),
    disk_free_bytes: positive(metrics.disk_free_bytes),
    uptime_seconds: positive(metrics.uptime_seconds),
  };
}

/** The words of a list that a worker declared, such as the job types it runs; null where it declared none. */
export function declared(capabilities: Record<string, unknown>, name: string): string[] | null {
  const list = capabilities[name];
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function positive(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

function percent(value: unknown): number | null {
  const given = positive(value);
  return given === null ? null : Math.min(100, given);
}
