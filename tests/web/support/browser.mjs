// Headless Chromium on a page of the built site.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const kTop = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
export const kSite = process.env.NNSCOPE_SITE ?? join(kTop, 'build/web/site');
const kChromium = process.env.NNSCOPE_CHROMIUM ?? '/usr/bin/chromium';

/// Why the browser tests cannot run on this machine, or null.
export function whyNoBrowser() {
  if (!existsSync(join(kSite, 'index.html'))) return `there is no site at ${kSite}: build the target 'site'`;
  if (!existsSync(kChromium)) return `there is no Chromium at ${kChromium}`;
  try {
    createRequire(import.meta.url).resolve('playwright-core');
  } catch {
    return 'playwright-core is not installed: npm ci --ignore-scripts';
  }
  return null;
}

/// Ends the script as skipped (status 77) where the browser tests cannot run.
export function skipWithoutBrowser() {
  const why = whyNoBrowser();
  if (!why) return;
  console.log(`skipped: ${why}`);
  process.exit(77);
}

/// A folder for fixtures that is removed when the process ends.
export function temporaryFolder() {
  const folder = mkdtempSync(join(process.env.NNSCOPE_TEST_TMP ?? tmpdir(), 'nnscope-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/// Starts Chromium with software graphics and an empty profile.
export async function launch() {
  const { chromium } = await import('playwright-core');
  return chromium.launch({
    executablePath: kChromium,
    headless: true,
    args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
      '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });
}

/// Opens the explorer; gives {page, context, errors}. `errors` collects what the console and the page report; `prepare` is
/// run in the page before its own scripts.
export async function openExplorer(browser, address, { width = 1280, height = 800, prepare, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce', serviceWorkers: 'block', ...options });
  const page = await context.newPage();
  const errors = [];
  page.on('console', (message) => {
    // Only a test of it lets the service worker in: the others are to load everything themselves.
    if (message.text() === 'Service Worker registration blocked by Playwright') return;
    if (message.type() === 'error' || message.type() === 'warning') errors.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => errors.push(`uncaught: ${error.stack ?? error.message}`));
  if (prepare) await page.addInitScript(prepare);
  await page.goto(address);
  await page.locator('#controls [data-id]').first().waitFor({ state: 'attached', timeout: 30_000 });
  return { page, context, errors };
}

/// Drops files that lie on the disk onto the page, as a person does.
export async function dropPaths(page, paths, { x = 400, y = 300 } = {}) {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop']) await session.send('Input.dispatchDragEvent', { type, x, y, data });
  await session.detach();
}
