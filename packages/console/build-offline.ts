/**
 * Writes `dist/verify.html`: the offline verifier in one file, made of `src/offline` and the proof package. Its policy lets it load and send
 * nothing: it names the one script and the one style by their hashes.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

const here = import.meta.dirname;
const source = (name: string) => readFileSync(join(here, 'src/offline', name), 'utf8');
const sourceOf = (content: string) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
const inline = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`;

const script = await bundled(join(here, 'src/offline/verify.ts'));
const face = new URL(import.meta.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'));
const style = minified(source('verify.css')).replace('inter.woff2', inline('font/woff2', readFileSync(face)));
const policy = [
  "default-src 'none'",
  `script-src ${sourceOf(script)}`,
  `style-src ${sourceOf(style)}`,
  'font-src data:',
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
const page = put(source('verify.html'), [
  ['content="default-src \'none\'"', `content="${policy}"`],
  ['href="../icon.svg"', `href="${inline('image/svg+xml', readFileSync(join(here, 'src/icon.svg')))}"`],
  ['<link rel="stylesheet" href="verify.css">', `<style>${style}</style>`],
  ['<script type="module" src="verify.ts"></script>', `<script type="module">${script}</script>`],
]);
mkdirSync(join(here, 'dist'), { recursive: true });
writeFileSync(join(here, 'dist/verify.html'), page);

async function bundled(entry: string): Promise<string> {
  const output = await build({
    configFile: false,
    root: here,
    logLevel: 'warn',
    build: {
      write: false,
      target: 'es2024',
      modulePreload: false,
      reportCompressedSize: false,
      rolldownOptions: { input: entry, output: { format: 'es' } },
    },
  });
  const [only, another] = [output].flat().flatMap((one) => ('output' in one ? one.output : []));
  if (only?.type !== 'chunk' || another !== undefined) throw new Error('the offline verifier has to be one script');
  if (/<\/script|<!--/i.test(only.code)) throw new Error('the markup would end the script before its end');
  return only.code;
}

/** Each thing once: what is not there is a mistake. */
function put(page: string, parts: [what: string, by: string][]): string {
  return parts.reduce((whole, [what, by]) => {
    if (whole.split(what).length !== 2) throw new Error(`${what} has to stand in the page once`);
    return whole.replace(what, () => by);
  }, page);
}

function minified(css: string): string {
  return css
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
