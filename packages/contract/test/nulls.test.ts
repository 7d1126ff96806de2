import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { LANES } from '../src/lanes/registry.ts';
import { nullStripper } from '../src/nulls.ts';
import { NewJob, NewNode } from '../src/router/compute.ts';
import { Heartbeat, Registration } from '../src/router/workers.ts';
import { Json, JsonObject } from '../src/wire.ts';

const strip = (schema: z.ZodType, value: unknown) => nullStripper(schema)?.(structuredClone(value)) ?? value;

test('an optional member that is null is taken out, at every depth; a required or nullable one is left', () => {
  const schema = z
    .object({
      needed: z.string(),
      choice: z.string().optional(),
      usual: z.string().default('x'),
      url: z.string().nullable(),
      inner: z.object({ choice: z.int().optional(), needed: z.int() }).optional(),
      list: z.array(z.object({ choice: z.boolean().optional() })),
      free: JsonObject.optional(),
    })
    .refine(() => true);
  const nulls = { needed: null, choice: null, usual: null, url: null, free: { kept: null } };
  assert.deepEqual(strip(schema, { ...nulls, inner: { choice: null, needed: null }, list: [{ choice: null }] }), {
    needed: null,
    url: null,
    inner: { needed: null },
    list: [{}],
    free: { kept: null },
  });
  assert.deepEqual(strip(schema, { inner: null, free: null, list: null }), { list: null });
});

test('what is no object is handed on to the validation as it is', () => {
  const schema = z.object({ choice: z.string().optional(), inner: z.object({ a: z.int().optional() }) });
  for (const value of [null, 1, 'x', [], [null], { inner: 3 }, { inner: [] }])
    assert.deepEqual(strip(schema, value), value);
  assert.equal(nullStripper(Json), null);
  assert.equal(nullStripper(z.object({ needed: z.string() })), null);
});

test('no schema of a body refuses a null where it takes nothing at all', () => {
  const bodies: [z.ZodObject, Record<string, unknown>][] = [
    [NewJob, { member_id: 'm', job_type: 'eval', requested_gpu_sku: 'x', estimated_hours: 1 }],
    [Registration, { node_id: 'node-1', name: 'n', hostname: 'h', capabilities: { gpu_skus: null, supports: null } }],
    [Heartbeat, { status: 'online' }],
    [NewNode, { hostname: 'h', gpu_type: 'x' }],
    ...Object.values(LANES).map(({ inputs }): [z.ZodObject, Record<string, unknown>] => [inputs as z.ZodObject, {}]),
    ...Object.values(LANES).map((lane): [z.ZodObject, Record<string, unknown>] => [lane.execution as z.ZodObject, {}]),
  ];
  for (const [schema, needed] of bodies) {
    const nulls = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, null]));
    const optional = Object.keys(schema.shape).filter((name) => schema.shape[name].safeParse(undefined).success);
    const faults = schema.safeParse(strip(schema, { ...nulls, ...needed })).error?.issues ?? [];
    for (const { path } of faults) assert.ok(!optional.includes(String(path[0])), `${path.join('.')} refused its null`);
  }
});
