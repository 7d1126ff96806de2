/** What the documents name is there. */
import { strict as assert } from 'node:assert';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

const documents = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CONTEXT.md', ...globSync('docs/**/*.md')];
/** What a start of the services makes. */
const MADE = /^data\//;

describe('documents', () => {
  test('link to files that are there', () => {
    for (const document of documents)
      for (const [, target] of readFileSync(document, 'utf8').matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g))
        assert.ok(existsSync(join(dirname(document), target!)), `${document} links to ${target}`);
  });

  test('name files and folders of the source that are there', () => {
    for (const document of documents)
      for (const [, named] of readFileSync(document, 'utf8').matchAll(/`((?:packages|test|vectors|docs)\/[\w./-]+)`/g))
        assert.ok(existsSync(named!) || MADE.test(named!), `${document} names ${named}`);
  });

  test('name files of the packages that are there, where they are named in short', () => {
    const sources = globSync('packages/*/src/**/*.ts*').map((file) => file.split('/').slice(3).join('/'));
    for (const document of ['docs/architecture.md', 'docs/style.md'])
      for (const [, named] of readFileSync(document, 'utf8').matchAll(/`((?:[\w-]+\/)*[\w-]+\.tsx?)`/g))
        assert.ok(
          existsSync(named!) || sources.some((file) => file === named || file.endsWith(`/${named}`)),
          `${document} names ${named}`,
        );
  });
});
