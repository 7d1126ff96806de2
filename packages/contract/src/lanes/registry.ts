/** All lanes. What another one takes: docs/architecture.md, "Add a lane". */
import { LaneName } from '../vocabulary.ts';
import { cook } from './cook.ts';
import { datasetDownload } from './dataset-download.ts';
import { evaluation } from './eval.ts';
import { generic } from './generic.ts';
import { incident } from './incident.ts';
import type { Lane } from './lane.ts';
import { modelPin } from './model-pin.ts';

/** Each lane is handed only what its own schemas returned, so the narrower types hold. */
export const LANES = {
  generic,
  eval: evaluation,
  cook,
  incident,
  'dataset-download': datasetDownload,
  'model-pin': modelPin,
} satisfies Record<LaneName, unknown> as unknown as Record<LaneName, Lane>;

const BY_SCHEMA: ReadonlyMap<string, Lane> = new Map(LaneName.options.map((name) => [LANES[name].schema, LANES[name]]));

/** Undefined for a schema id of no lane; a stored receipt may have been altered. */
export function laneBySchema(schema: string): Lane | undefined {
  return BY_SCHEMA.get(schema);
}
