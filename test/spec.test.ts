/** The specification and the code that cites it: docs/spec.md has every section, code and member that the code names. */
import { strict as assert } from 'node:assert';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { LANES } from '@rcpt/contract/lanes/registry.ts';
import { LEDGER_PROBLEMS } from '@rcpt/ledger/problems.ts';
import { ROUTER_RECEIPT_TYPES } from '@rcpt/proof/router-ledger.ts';
import { ROUTER_PROBLEMS } from '@rcpt/router/problems.ts';
import { SHELL_PROBLEMS } from '@rcpt/service/http/problem.ts';
import { z } from 'zod';

const spec = readFileSync('docs/spec.md', 'utf8');
const files = globSync([
  'packages/*/{src,test}/**/*.{ts,tsx}',
  'test/**/*.ts',
  'vectors/*.{ts,md}',
  'docs/**/*.md',
  '*.md',
]);
const CITATION = /docs\/spec\.md(?:\)|\]\([^)]*\))? (§\d[\d.]*(?:, §\d[\d.]*)*)/g;

/** Its number and its text, up to the next heading. */
const sections = new Map(
  spec.split(/^(?=<a id)/m).flatMap((part): [string, string][] => {
    const number = /^#+ (\d+(?:\.\d+)*)/m.exec(part)?.[1];
    return number === undefined ? [] : [[number, part]];
  }),
);

test('every citation of docs/spec.md names a section that exists', () => {
  let citations = 0;
  for (const file of files)
    for (const [, named] of readFileSync(file, 'utf8').matchAll(CITATION))
      for (const [, number] of named!.matchAll(/§(\d+(?:\.\d+)*)/g)) {
        citations++;
        assert.ok(sections.has(number!), `${file} cites docs/spec.md §${number}, which does not exist`);
      }
  assert.ok(citations > 20, `only ${citations} citations`);
  for (const [, number] of spec.matchAll(/§(\d+(?:\.\d+)*)/g)) assert.ok(sections.has(number!), `§${number} within it`);
});

test('no code cites a document that is not in the repository', () => {
  const elsewhere = /[Cc]ontract §|\bSPEC\b/;
  for (const file of files.filter((name) => name !== 'test/spec.test.ts'))
    assert.ok(!elsewhere.test(readFileSync(file, 'utf8')), file);
});

test('every section has its anchor', () => {
  for (const [number, text] of sections)
    assert.ok(text.startsWith(`<a id="s${number.replaceAll('.', '-')}"></a>\n`), number);
  assert.equal(spec.match(/^##+ \d/gm)?.length, sections.size);
});

test('§26 has every code of a problem, beside its status', () => {
  const rows = [...sections.get('26')!.matchAll(/^\| (\d.*?) \| (.*) \|$/gm)];
  for (const [code, { status }] of Object.entries({ ...SHELL_PROBLEMS, ...LEDGER_PROBLEMS, ...ROUTER_PROBLEMS }))
    assert.ok(
      rows.some(([, statuses, codes]) => statuses!.includes(String(status)) && codes!.includes(`\`${code}\``)),
      `${status} ${code}`,
    );
});

test('§6 has every member that a lane seals, §9.2 every type of a router receipt', () => {
  const blocks = [...sections]
    .filter(([number]) => number.startsWith('6.'))
    .map(([, text]) => text)
    .join('');
  for (const lane of Object.values(LANES))
    for (const member of membersOf(z.toJSONSchema(lane.blocks, { io: 'output' })))
      assert.ok(new RegExp(`[\`.]${member}[\`.[]`).test(blocks), `${lane.name} seals ${member}`);
  for (const type of ROUTER_RECEIPT_TYPES) assert.ok(sections.get('9.2')!.includes(`\`${type}\``), type);
});

test('every lane has its row in §4.2, §6.8 and §14, and is named in README.md and CONTEXT.md', () => {
  const words = ['README.md', 'CONTEXT.md'].map((file) => readFileSync(file, 'utf8'));
  for (const { name, schema } of Object.values(LANES)) {
    assert.ok(sections.get('4.2')!.includes(`| \`${name}\` | \`${schema}\` |`), name);
    for (const section of ['6.8', '14'])
      assert.match(
        sections.get(section)!,
        new RegExp(`^\\| (?:[\\w-]+, )*${name}(?:, [\\w-]+)* \\|`, 'm'),
        `§${section} has ${name}`,
      );
    for (const text of words) assert.ok(text.includes(`\`${name}\``), name);
  }
});

function membersOf(schema: z.core.JSONSchema.BaseSchema): string[] {
  const { properties = {}, items } = schema;
  const inner = [...Object.values(properties), items].filter((one) => typeof one === 'object');
  return [...Object.keys(properties), ...inner.flatMap((one) => membersOf(one as z.core.JSONSchema.BaseSchema))];
}
