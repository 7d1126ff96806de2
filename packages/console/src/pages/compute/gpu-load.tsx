/** How much of each GPU is in use: bars to look at, numbers to read. */
import type { Gpu } from './machine.ts';

export function GpuLoad({ gpus }: { gpus: readonly Gpu[] }) {
  const known = gpus.filter(({ utilization_percent }) => utilization_percent !== null);
  if (known.length === 0) return '–';
  return (
    <ul className="gpu-load">
      {known.map(({ name, utilization_percent: percent }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: GPUs of a machine are told apart by their place
        <li key={i} title={name}>
          <span className="bar" aria-hidden="true">
            <span style={{ width: `${percent}%` }} />
          </span>
          {Math.round(percent ?? 0)} %
        </li>
      ))}
    </ul>
  );
}
