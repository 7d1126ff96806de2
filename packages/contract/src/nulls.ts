/** An optional member sent as null is the same as one left out (docs/spec.md §11): typed clients of several languages send it so. */
import { z } from 'zod';

/** Takes such nulls out of a body, in place, and returns it. */
export type Strip = (value: unknown) => unknown;

type AnySchema = z.core.$ZodType;

/** What a schema takes optionally is found out once. */
const known = new WeakMap<AnySchema, Strip | null>();

/** Null for a schema without optional members. What the schema takes as free-form JSON is left as it is. */
export function nullStripper(schema: AnySchema): Strip | null {
  const found = known.get(schema);
  if (found !== undefined) return found;
  const made = makeStripper(schema);
  known.set(schema, made);
  return made;
}

function makeStripper(schema: AnySchema): Strip | null {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray) return stripItems(inner.element);
  if (inner instanceof z.ZodObject) return stripMembers(inner.shape as Record<string, AnySchema>);
  return null;
}

function stripItems(element: AnySchema): Strip | null {
  const strip = nullStripper(element);
  return (
    strip &&
    ((value) => {
      if (Array.isArray(value)) for (const item of value) strip(item);
      return value;
    })
  );
}

function stripMembers(shape: Record<string, AnySchema>): Strip | null {
  const optional = Object.keys(shape).filter((name) => z.safeParse(shape[name]!, undefined).success);
  const nested = Object.entries(shape).flatMap(([name, member]): [string, Strip][] => {
    const strip = nullStripper(member);
    return strip === null ? [] : [[name, strip]];
  });
  if (optional.length === 0 && nested.length === 0) return null;
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const record = value as Record<string, unknown>;
    for (const name of optional) if (record[name] === null) delete record[name];
    for (const [name, strip] of nested) if (record[name] !== undefined) strip(record[name]);
    return value;
  };
}

function unwrapped(schema: AnySchema): AnySchema {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodReadonly)
    return unwrapped(schema.def.innerType);
  if (schema instanceof z.ZodPipe) return unwrapped(schema.def.in);
  return schema;
}
