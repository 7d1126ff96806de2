/** The closed word lists of both wires (docs/spec.md §6.1, §13). A word that is not here cannot be stored. */
import { z } from 'zod';
import {
  CHECK_CATEGORIES,
  CHECK_SEVERITIES,
  EVIDENCE_KINDS,
  LANE_NAMES,
  LANE_WORDS,
  OUTCOMES,
  ROLES,
  STAGES,
} from './words.ts';

export const LaneName = z.enum(LANE_NAMES);
export type LaneName = z.infer<typeof LaneName>;

export const SchemaId = z.enum(LANE_NAMES.map((name) => LANE_WORDS[name].schema));
export type SchemaId = z.infer<typeof SchemaId>;

export const Stage = z.enum(STAGES);
export type Stage = z.infer<typeof Stage>;

export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;

export const EvidenceKind = z.enum(EVIDENCE_KINDS);
export type EvidenceKind = z.infer<typeof EvidenceKind>;

export const CheckStatus = z.enum(['pass', 'flag', 'open', 'skip']);
export type CheckStatus = z.infer<typeof CheckStatus>;
export const CheckCategory = z.enum(CHECK_CATEGORIES);
export type CheckCategory = z.infer<typeof CheckCategory>;
export const CheckSeverity = z.enum(CHECK_SEVERITIES);
export type CheckSeverity = z.infer<typeof CheckSeverity>;

export const Outcome = z.enum(OUTCOMES);
export type Outcome = z.infer<typeof Outcome>;
export const VerdictSeverity = z.enum(['none', 'low', 'medium', 'high']);
export const ClientReady = z.enum(['yes', 'after_edits', 'no']);
export const Decision = z.enum(['approved', 'rejected']);
export type Decision = z.infer<typeof Decision>;
