/**
 * What the page loads: its style, its faces, its icon, its script, and what that script runs: the rule by which texts are shown,
 * and the proof code, which is the same code an auditor reads, with its types, comments and indentation taken off and nothing else done to it.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';

export interface Asset {
  body: Buffer;
  content_type: string;
  etag: string;
  /** A worker takes its policy from its own answer, not from the page. */
  policy?: string;
}

const SCRIPT = 'text/javascript; charset=utf-8';
/** What the page loads at once; the rest when it is needed: with a file and the worker that hashes it, where something is disclosed, for a signature. */
const SCRIPTS = [
  '/assets/page/verify.ts',
  '/assets/page/table.ts',
  '/assets/page/hash-file.ts',
  '/assets/page/beside.ts',
  '/assets/page/approval.ts',
];
/** The worker is handed files: it may load its own scripts, and can send nothing. */
const SCRIPT_POLICY = "default-src 'none'; script-src 'self'";
/** Latin letters; others are set in the visitor's own faces. */
const FACES = [
  ['/assets/page/inter.woff2', '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'],
  ['/assets/page/mono.woff2', '@fontsource/jetbrains-mono/files/jetbrains-mono-latin-400-normal.woff2'],
] as const;
/** The offline verifier, one file, made by `npm run build`; its policy names its one script and its one style by their hashes. */
const OFFLINE = new URL('../../../../console/dist/verify.html', import.meta.url);
const IMPORT = /\b(?:from|import)\s*['"]([^'"]+)['"]/g;

/** Path → file. Read once; a script that imports what is not among them does not load. */
export function loadAssets(): Map<string, Asset> {
  const assets = new Map<string, Asset>();
  assets.set('/assets/page/page.css', asset(own('page.css'), 'text/css; charset=utf-8'));
  assets.set('/assets/page/icon.svg', asset(own('icon.svg'), 'image/svg+xml'));
  for (const [path, file] of FACES)
    assets.set(path, asset(readFileSync(new URL(import.meta.resolve(file))), 'font/woff2'));
  for (const script of SCRIPTS) addScript(assets, script);
  const offline = offlineVerifier();
  if (offline !== null) assets.set('/assets/verify.html', offline);
  return assets;
}

/** Null where nothing was built. */
export function offlineVerifier(): Asset | null {
  if (!existsSync(OFFLINE)) return null;
  const body = readFileSync(OFFLINE);
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(body.toString())![1]!;
  return { ...asset(body, 'text/html; charset=utf-8'), policy: `${policy}; frame-ancestors 'none'` };
}

function addScript(assets: Map<string, Asset>, path: string): void {
  const [, folder, name = ''] = /^\/assets\/(page|proof|contract)\/((?:[\w-]+\/)*[\w-]+\.ts)$/.exec(path) ?? [];
  if (!folder) throw new TypeError(`${path} is no file of the page and none of the proof and contract packages`);
  const source =
    folder === 'page' ? own(name) : readFileSync(new URL(import.meta.resolve(`@rcpt/${folder}/${name}`)), 'utf8');
  // Browsers know no package names: the packages stand beside the page.
  const body = withoutTypes(source).replaceAll(/'@rcpt\/(proof|contract)\//g, "'../$1/");
  assets.set(path, { ...asset(body, SCRIPT), policy: SCRIPT_POLICY });
  for (const [, specifier = ''] of body.matchAll(IMPORT)) {
    const imported = new URL(specifier, `http://assets${path}`).pathname;
    if (!assets.has(imported)) addScript(assets, imported);
  }
}

/** Comments go, too: they would be half of what a phone loads. Node calls this experimental on stderr, where logs go; it need not say so. */
function withoutTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return withoutIndentation(stripTypeScriptTypes(source, { mode: 'transform' }));
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** A text that goes on over lines keeps its spaces. */
function withoutIndentation(script: string): string {
  const goes_on = script.split('\n').some((line) => (line.match(/`/g)?.length ?? 0) % 2 === 1);
  return goes_on ? script : script.replaceAll(/^ +/gm, '');
}

function own(name: string): string {
  return readFileSync(new URL(`./browser/${name}`, import.meta.url), 'utf8');
}

function asset(content: string | Buffer, content_type: string): Asset {
  const body = Buffer.from(content as string);
  return { body, content_type, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}
