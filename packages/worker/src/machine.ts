/** The machine a worker runs on: its hardware, and its load. */
import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { cpus, freemem, loadavg, totalmem, uptime } from 'node:os';
import type { JsonObject } from '@rcpt/contract/wire.ts';

export interface Gpu {
  name: string;
  memory_mib: number;
  memory_used_mib: number;
  /** Null where the driver does not say. */
  utilization_percent: number | null;
  temperature_celsius: number | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface Machine {
  cpu: string;
  cpu_count: number;
  memory_bytes: number;
  gpus: Gpu[];
}

/** As `nvidia-smi` names the GPUs that have a price. */
const PRICED: [RegExp, string][] = [
  [/RTX PRO 6000 Blackwell/i, 'rtx6000_blackwell_96gb'],
  [/RTX 5090/i, 'rog_astral_5090_32gb'],
];

/** @param environment of what is asked about the machine: no secrets, which jobs could read there */
export async function detectMachine(environment: Environment): Promise<Machine> {
  const cpu = cpus();
  return {
    cpu: cpu[0]?.model.trim() || 'unknown',
    cpu_count: cpu.length,
    memory_bytes: totalmem(),
    gpus: await detectGpus(environment),
  };
}

/** The SKUs of the GPUs found, each once. */
export function skusOf({ gpus }: Machine): string[] {
  const skus = gpus.map(({ name }) => PRICED.find(([pattern]) => pattern.test(name))?.[1]);
  return [...new Set(skus.filter((sku) => sku !== undefined))];
}

const GAUGES_MS = 10_000;

/** Read in the background: a slow driver holds up no heartbeat. @param folder on the disk that jobs fill */
export function openGauges(machine: Machine, folder: string, environment: Environment): () => JsonObject {
  let gpus = machine.gpus;
  let disk: { disk_bytes: number; disk_free_bytes: number } | null = null;
  let read_at = Number.NEGATIVE_INFINITY;

  async function read(): Promise<void> {
    const { blocks, bavail, bsize } = await statfs(folder);
    disk = { disk_bytes: blocks * bsize, disk_free_bytes: bavail * bsize };
    if (machine.gpus.length > 0) gpus = await detectGpus(environment);
  }

  return () => {
    if (performance.now() - read_at > GAUGES_MS) {
      read_at = performance.now();
      read().catch(() => undefined);
    }
    return {
      load_1m: loadavg()[0] ?? 0,
      memory_bytes: machine.memory_bytes,
      memory_free_bytes: freemem(),
      ...disk,
      uptime_seconds: Math.round(uptime()),
      gpus: gpus.map((gpu) => ({ ...gpu })),
    };
  };
}

const ASKED = 'name,memory.total,memory.used,utilization.gpu,temperature.gpu';
const SMI_MS = 5_000;

/** None where there is no NVIDIA driver, or it does not answer. */
async function detectGpus(env: Environment): Promise<Gpu[]> {
  const said = await new Promise<string>((resolve) => {
    const options = { timeout: SMI_MS, killSignal: 'SIGKILL', env } as const;
    execFile('nvidia-smi', [`--query-gpu=${ASKED}`, '--format=csv,noheader,nounits'], options, (error, stdout) =>
      resolve(error === null ? stdout : ''),
    );
  });
  return said.split('\n').flatMap((line) => {
    const [name, memory, used, utilization, temperature] = line.split(',').map((word) => word.trim());
    if (!name || memory === undefined) return [];
    return [
      {
        name,
        memory_mib: number(memory) ?? 0,
        memory_used_mib: number(used) ?? 0,
        utilization_percent: number(utilization),
        temperature_celsius: number(temperature),
      },
    ];
  });
}

/** `[N/A]` is null. */
function number(word: string | undefined): number | null {
  return word !== undefined && /^\d+(\.\d+)?$/.test(word) ? Number(word) : null;
}
