/** A real Chromium, and what it must never do on our pages: complain, call another host, or fail an accessibility rule. */
import { strict as assert } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** Of a machine that is busy with others. */
const PATIENCE_MS = 60_000;
/** What Chromium warns of when a busy machine takes its time to draw, and nothing is wrong. */
const SLOW = /was preloaded using link preload but not used within a few seconds/;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** One test process installs it, and those beside it wait: an executable that is there is there whole. */
const INSTALL = `[ -e ${PLACES.join(' ] || [ -e ')} ] || {
  apt-get -o Acquire::Retries=3 update
  apt-get -o Acquire::Retries=3 install -y --no-install-recommends chromium
}`;

/** `CHROMIUM`, or Debian's; installed when it is missing and this is root on a Debian. Throws with what to do. */
function executable(): string {
  if (process.env.CHROMIUM !== undefined) return process.env.CHROMIUM;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    spawnSync('flock', [join(tmpdir(), 'chromium-install.lock'), 'sh', '-c', INSTALL], { env, stdio: 'ignore' });
  }
  const found = PLACES.find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new Error(
    'The end-to-end tests need Chromium: install it (Debian: apt-get install chromium) or name its executable in CHROMIUM.',
  );
}

export function openBrowser(): Promise<Browser> {
  // As root, Chromium has no sandbox of its own.
  return chromium.launch({ executablePath: executable(), args: ['--no-sandbox', ...QUIET], timeout: PATIENCE_MS });
}

export interface Watched {
  context: BrowserContext;
  page: Page;
  /** Fails when a page wrote an error to the console, threw, was stopped by its policy, or asked another host. */
  clean(): void;
}

/** A fresh profile. `expected`: what the test provokes, e.g. the line Chromium writes for a 410. */
export async function visitor(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
  expected: RegExp[] = [],
): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB', ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  const { host } = new URL(origin);
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()))
      complaints.push(`${message.type()}: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => complaints.push(`thrown: ${error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (/^(https?|wss?):$/.test(url.protocol) && url.host !== host) complaints.push(`asked another host: ${url.host}`);
  });
  return {
    context,
    page,
    clean: () =>
      assert.deepEqual(
        complaints.filter((line) => ![SLOW, ...expected].some((pattern) => pattern.test(line))),
        [],
      ),
  };
}

interface AxeViolation {
  id: string;
  help: string;
  nodes: { html: string; target: unknown[]; failureSummary?: string }[];
}

/** WCAG 2.2 A and AA and axe's best practices, on the page as it stands. */
export async function assertAccessible(page: Page, where: string): Promise<void> {
  // What fades in has another contrast on its way.
  await page.evaluate(`Promise.all(document.getAnimations()
    .filter((animation) => animation.effect.getComputedTiming().endTime !== Infinity)
    .map((animation) => animation.finished.catch(() => undefined))).then(() => undefined)`);
  // Evaluated, not inserted: the page's policy stays in force.
  await page.evaluate(axe);
  const violations = (await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
  )) as AxeViolation[];
  const said = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n  ${nodes.map(({ html, failureSummary }) => `${html}\n    ${failureSummary}`).join('\n  ')}`,
  );
  assert.deepEqual(said, [], `accessibility of ${where}`);
}
