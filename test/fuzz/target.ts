/** What is fuzzed: a running component, its sides and callers, and what a valid request of it looks like. */
import type { Operation } from '../kit/openapi-cases.ts';
import type { Random } from './random.ts';
import type { Side } from './sides.ts';

export interface Caller {
  name: string;
  /** Whose values it sends. */
  side: Side;
  /** A bearer token, a session's `name=value`, or none. */
  credential: string | null;
  /** `all`: an operator. `nothing`: no credential that counts. */
  sees: 'own' | 'all' | 'nothing';
}

export interface Target {
  url: string;
  sides: Side[];
  /** Of the bodies and files that the component takes. */
  json_limit: number;
  callerFor(operation: Operation, random: Random): Caller;
  /** Valid bodies by operation; those that are not here are made from their schema alone. */
  bodies: Record<string, (side: Side, random: Random, path: string) => unknown>;
  /** Asked for more often: the way to the states that lie deep. */
  often: string[];
  /** Path parameter → the names under which values for it are known; `before`: what stands in the first one. */
  placeNames(path: string, parameter: string, before: string): string[];
  /** What would be harmless and wait, or reach beyond its side by right, is made not to. */
  tamed(body: unknown, caller: Caller): unknown;
  /** Public operations show what belongs to the side that shared the link. */
  isShared(operation: Operation): boolean;
  /** Between two requests: time passes. */
  pass(random: Random): void;
  /** This caller was refused as unknown: it gets a new credential where it should have one. */
  renew(caller: Caller): Promise<void>;
  /** All is whole in the end. */
  verify(): Promise<void>;
  close(): Promise<void>;
}
