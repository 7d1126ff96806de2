/** How a worker's machine is doing, as its last heartbeat said. */
import type { Worker } from '@rcpt/contract/router/workers.ts';
import { Description, DescriptionList } from '../../../components/description-list.tsx';
import { Timestamp } from '../../../components/timestamp.tsx';
import { byteSize } from '../../../format/numbers.ts';
import { durationWords } from '../duration.ts';
import { type Gpu, gpusOf, machineOf } from '../machine.ts';

export function Load({ worker }: { worker: Worker }) {
  const machine = machineOf(worker.capabilities, worker.metrics);
  const { cpu, cpu_count, load_1m, uptime_seconds } = machine;
  return (
    <>
      {gpusOf(worker.metrics).map((gpu, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: GPUs of a machine are told apart by their place
        <GpuGauge key={place} gpu={gpu} />
      ))}
      <DescriptionList>
        <Description label="Heartbeat">
          {worker.last_heartbeat_at === null ? 'never' : <Timestamp at={worker.last_heartbeat_at} />}
          <span className="muted">, due every {worker.heartbeat_interval_seconds} s</span>
        </Description>
        <Description label="Host">{worker.hostname}</Description>
        {cpu !== null && (
          <Description label="CPU">
            {cpu_count !== null && `${cpu_count} × `}
            {cpu}
          </Description>
        )}
        {load_1m !== null && <Description label="Load">{load_1m.toFixed(2)}</Description>}
        <Used label="Memory" total={machine.memory_bytes} free={machine.memory_free_bytes} />
        <Used label="Disk" total={machine.disk_bytes} free={machine.disk_free_bytes} />
        {uptime_seconds !== null && <Description label="Up for">{durationWords(uptime_seconds * 1000)}</Description>}
      </DescriptionList>
    </>
  );
}

function GpuGauge({ gpu }: { gpu: Gpu }) {
  const { name, utilization_percent, memory_used_mib, memory_mib, temperature_celsius } = gpu;
  return (
    <div className="gauge">
      <p>
        <span>{name}</span>
        <strong>{utilization_percent === null ? '–' : `${Math.round(utilization_percent)} %`}</strong>
      </p>
      <span className="bar" aria-hidden="true">
        <span style={{ width: `${utilization_percent ?? 0}%` }} />
      </span>
      <p className="muted">
        {memory_used_mib !== null && memory_mib !== null && (
          <span>
            {gib(memory_used_mib)} of {gib(memory_mib)} GiB
          </span>
        )}
        {temperature_celsius !== null && <span>{Math.round(temperature_celsius)} °C</span>}
      </p>
    </div>
  );
}

function gib(mib: number): string {
  return (mib / 1024).toFixed(1);
}

function Used({ label, total, free }: { label: string; total: number | null; free: number | null }) {
  if (total === null || free === null) return null;
  return (
    <Description label={label}>
      {byteSize(Math.max(0, total - free))} <span className="muted">of {byteSize(total)}</span>
    </Description>
  );
}
