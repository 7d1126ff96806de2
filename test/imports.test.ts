/** The arrows between packages and inside a service hold (a build tool for readers: who may know whom). */
import { strict as assert } from 'node:assert';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, test } from 'node:test';

/** package → packages it may import. */
const PACKAGES: Record<string, string[]> = {
  proof: [],
  contract: ['proof'],
  storage: [],
  service: ['contract', 'proof'],
  ledger: ['contract', 'proof', 'service', 'storage'],
  router: ['contract', 'proof', 'service'],
  worker: ['contract', 'proof', 'storage'],
  witness: ['proof'],
  cli: ['contract', 'proof'],
  console: ['contract', 'proof'],
};

/** What decides without asking anything: clock, ids and rows come in as arguments. */
const PURE =
  /^(domain\/|flight-sheets\/(?!publish)|runs\/(run|sealed-block)\.ts|chain\/(pin|search-terms)\.ts|turns\/rounds\.ts|people\/principal\.ts)/;

const sources = globSync('packages/*/src/**/*.{ts,tsx}').map((file) => ({ file, text: readFileSync(file, 'utf8') }));

function importsOf(text: string): string[] {
  return [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^'";]*?from '([^']+)'|import\('([^']+)'\)|(?:^|\n)import '([^']+)'/g,
    ),
  ].map((match) => (match[1] ?? match[2] ?? match[3])!);
}

describe('imports', () => {
  test('there is something to look at', () => {
    assert.ok(sources.length > 50, `only ${sources.length} source files found`);
  });

  test('a package imports only the packages below it', () => {
    for (const { file, text } of sources) {
      const from = file.split('/')[1]!;
      for (const specifier of importsOf(text)) {
        const target = /^@rcpt\/([^/]+)/.exec(specifier)?.[1];
        if (target === undefined || target === from) continue;
        assert.ok(PACKAGES[from]?.includes(target), `${file} imports ${specifier}`);
      }
    }
  });

  test('proof imports nothing but itself, and Node only in its command line', () => {
    for (const { file, text } of sources.filter((source) => source.file.startsWith('packages/proof/'))) {
      const outside = importsOf(text).filter((specifier) => !specifier.startsWith('.'));
      if (/\/(bin|cli)[^/]*\.ts$|\/bin\//.test(file))
        assert.ok(
          outside.every((specifier) => specifier.startsWith('node:')),
          file,
        );
      else assert.deepEqual(outside, [], file);
    }
  });

  test('contract stands on zod and proof alone', () => {
    for (const { file, text } of sources.filter((source) => source.file.startsWith('packages/contract/')))
      for (const specifier of importsOf(text))
        assert.ok(
          specifier === 'zod' || specifier.startsWith('.') || specifier.startsWith('@rcpt/proof/'),
          `${file} imports ${specifier}`,
        );
  });

  test('the console leaves it to its JSX to show a text: what was shown already would be shown by its codes twice', () => {
    for (const { file, text } of sources.filter(({ file }) => /^packages\/console\/src\/(?!shown\/)/.test(file)))
      assert.doesNotMatch(text, /import \{[^}]*\b(?:shownText|stretchesOf)\b[^}]*\} from '@rcpt/, file);
  });

  test('the console takes types alone from contract and zod: a browser loads neither, but for sums and signatures', () => {
    // A receipt is printed by its lane, in a script of its own that is loaded with the first receipt.
    const printing = /\/pages\/receipts\/(print|without-eval)\.ts$/;
    const loaded = sources.filter(({ file }) => file.startsWith('packages/console/') && !printing.test(file));
    for (const { file, text } of sources.filter((source) => source.file.startsWith('packages/console/')))
      assert.ok(
        !/\bfrom '[^']*\/(print|without-eval)\.ts'/.test(text),
        `${file} loads how receipts are printed at once`,
      );
    for (const { file, text } of loaded)
      for (const [statement] of text.matchAll(
        /(?:^|\n)import\b[^;]*? from '(?:zod|@rcpt\/contract\/(?!(?:activity-kinds|money|membership|members|shown|signer|words|text-limits|client\/(?:call|ledger|router))\.ts)[^']+)'/g,
      ))
        assert.ok(/^\s*import type\b/.test(statement), `${file}: ${statement.trim()}`);
  });

  test('the clients that a browser loads take types alone from outside their folder', () => {
    const clients = sources.filter(({ file }) => /contract\/src\/client\/(?!worker\.ts)/.test(file));
    assert.equal(clients.length, 3);
    for (const { file, text } of clients)
      for (const [statement] of text.matchAll(/(?:^|\n)import\b[^;]*? from '(?!\.\/)[^']+'/g))
        assert.ok(/^\s*import type\b/.test(statement), `${file}: ${statement.trim()}`);
  });

  test('the rules of a service do no I/O, its stores know no HTTP, nothing but its app imports http/', () => {
    for (const { file, text } of sources.filter(({ file }) => /^packages\/(ledger|router)\/src\//.test(file))) {
      const home = file.split('/').slice(0, 3).join('/');
      const inside = relative(home, file);
      for (const specifier of importsOf(text)) {
        const target = specifier.startsWith('.') ? join(dirname(inside), specifier) : specifier;
        const said = `${file} imports ${specifier}`;
        if (PURE.test(inside))
          assert.doesNotMatch(
            target,
            /^(store|http|outbox|mail|share|threads|commit)\/|^node:(fs|net|http|child_process|worker_threads)|^fastify|^pg$/,
            said,
          );
        if (inside.startsWith('store/')) assert.doesNotMatch(target, /^(http|share|commit|views)\/|^fastify/, said);
        if (!/^(http\/|app\.ts$)/.test(inside)) assert.ok(!target.startsWith('http/'), said);
      }
    }
  });

  test('no file imports itself by way of others', () => {
    const imports = new Map(
      sources.map(({ file, text }) => [
        file,
        importsOf(text).flatMap((specifier) => {
          const own = /^@rcpt\/([^/]+)\/(.+)/.exec(specifier);
          if (own !== null) return [`packages/${own[1]}/src/${own[2]}`];
          return specifier.startsWith('.') ? [join(dirname(file), specifier)] : [];
        }),
      ]),
    );
    assert.deepEqual(circlesOf(imports), []);
  });

  test('every package declares what it imports', () => {
    for (const { file, text } of sources) {
      const name = file.split('/')[1]!;
      const manifest = JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8')) as {
        dependencies?: Record<string, string>;
      };
      for (const specifier of importsOf(text)) {
        if (specifier.startsWith('.') || specifier.startsWith('node:') || specifier.startsWith('/')) continue;
        const dependency = specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/');
        if (dependency === `@rcpt/${name}`) continue;
        assert.ok(
          manifest.dependencies?.[dependency],
          `${file} imports ${specifier}, which its package does not declare`,
        );
      }
    }
  });

  test('process.env is read where a process begins and nowhere else', () => {
    const entries = /\/(main|admin|up|component|bin)\.ts$|router\/src\/migrate\.ts$/;
    for (const { file, text } of sources) if (!entries.test(file)) assert.ok(!text.includes('process.env'), file);
  });
});

/** Each circle once, as the files on the way around. */
function circlesOf(imports: Map<string, string[]>): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const way: string[] = [];
  const walk = (file: string): void => {
    if (way.includes(file)) circles.push(way.slice(way.indexOf(file)));
    if (way.includes(file) || done.has(file)) return;
    way.push(file);
    for (const next of imports.get(file) ?? []) walk(next);
    way.pop();
    done.add(file);
  };
  for (const file of imports.keys()) walk(file);
  return circles;
}
