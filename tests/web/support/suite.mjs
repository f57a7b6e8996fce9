// What the browser tests share: one Chromium and one server a file, a fresh page a test, no error on the console.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { kSite, launch, openExplorer, skipWithoutBrowser, temporaryFolder } from './browser.mjs';
import { serve } from './server.mjs';

skipWithoutBrowser();

/// A folder for this file's fixtures, served at /files/ with ranges and at /whole/ without.
export const folder = temporaryFolder();
export const suite = { browser: null, server: null };

before(async () => {
  suite.server = await serve({
    '/': { folder: kSite },
    '/some/sub/path/': { folder: kSite },
    '/files/': { folder },
    '/whole/': { folder, ranges: false },
    '/unreadable/': { folder, hideSize: true },
    '/private/': { folder, cors: false },
  });
  // Another origin than the page's, as servers of models are.
  suite.files = suite.server.address.replace('127.0.0.1', 'localhost');
  suite.browser = await launch();
});
after(async () => {
  await suite.browser?.close();
  await suite.server?.close();
});

/// A test with a page of its own: `body({page, errors, context})`. What the console reports in it fails the test,
/// except what `expected` (a list of patterns) allows.
export function pageTest(name, body, { path = '/', expected = [], skip = false, todo = false, ...options } = {}) {
  // Each wait in it has half a minute; all together may be slow where the machine is busy.
  test(name, { timeout: 150_000, skip, todo }, async () => {
    const opened = await openExplorer(suite.browser, suite.server.address + path, options);
    try {
      await body(opened);
      const unexpected = opened.errors.filter((error) => !expected.some((pattern) => pattern.test(error)));
      assert.deepEqual(unexpected, [], 'the console reports errors');
    } catch (error) {
      const shots = join(process.env.NNSCOPE_TEST_SHOTS ?? join(folder, 'shots'));
      mkdirSync(shots, { recursive: true });
      await opened.page.screenshot({ path: join(shots, `${name.replace(/[^\w]+/g, '_')}.png`) }).catch(() => {});
      throw error;
    } finally {
      await opened.context.close();
    }
  });
}

/// The sizes and themes at which a person's task is tried.
export const kLooks = [{ width: 1440, height: 900, colorScheme: 'dark' }, { width: 900, height: 640, colorScheme: 'light' }];

/// The same test at each of kLooks.
export function eachLook(name, body, options = {}) {
  for (const look of kLooks) pageTest(`${name}, ${look.colorScheme}, ${look.width} x ${look.height}`, body, { ...options, ...look });
}

/// Chooses files with the page's file input, as the picker does.
export const chooseFiles = (page, paths) => page.locator('#file').setInputFiles(paths);

/// Writes a program among the fixtures. Gives its path.
export function writeProgram(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/// The line of the tree whose name begins with `name` as a whole word.
export function line(page, name) {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return page.getByRole('treeitem', { name: new RegExp(`^${escaped}(,|$)`) });
}

/// Opens one of the sample models from the start screen.
export async function openSample(page, title) {
  await page.getByRole('button', { name: title }).first().click();
  await page.getByRole('tree').waitFor();
}

const kMostStops = 60;

/// What the person hears that the focus is on: "role name".
export const focused = (page) => page.evaluate(() => {
  const element = document.activeElement;
  return element?.dataset.id ? `${element.getAttribute('role')} ${element.getAttribute('aria-label') ?? element.textContent}` : '';
});

/// Presses Tab, or Shift+Tab to go `back`, until what `focused` tells matches `wanted`.
export async function tabTo(page, wanted, { back = false } = {}) {
  const stops = [];
  for (let stop = 0; stop < kMostStops; ++stop) {
    await page.keyboard.press(back ? 'Shift+Tab' : 'Tab');
    stops.push(await focused(page));
    if (wanted.test(stops.at(-1))) return;
  }
  assert.fail(`Tab does not reach ${wanted}; it went over ${stops.join(' | ')}`);
}
