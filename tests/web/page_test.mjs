// The page itself: where it may lie, what it asks of the browser, how it stays sharp and quiet, and what it says when it cannot start.
import assert from 'node:assert/strict';
import test from 'node:test';
import { axe } from './support/axe.mjs';
import { watchPage } from './support/measure.mjs';
import { pageTest, suite } from './support/suite.mjs';

pageTest('the page starts with at most six requests, and from its own server alone', async ({ page }) => {
  await page.getByRole('button', { name: 'Choose a file' }).waitFor();
  // The worker's requests belong to no page's network: what it asks for last says that all was asked for.
  const asked = () => suite.server.requests.map(({ path }) => path);
  while (!asked().slice(asked().lastIndexOf('/')).includes('/core.wasm')) await page.waitForTimeout(20);
  await page.waitForTimeout(500);
  const paths = asked().slice(asked().lastIndexOf('/'));
  assert.ok(paths.length <= 6, paths.join(' '));
  const others = await page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => !name.startsWith(location.origin)).length);
  assert.equal(others, 0);
});

pageTest('the page works below any path', async ({ page }) => {
  await page.getByRole('button', { name: 'Choose a file' }).waitFor();
}, { path: '/some/sub/path/' });

pageTest('the page has a language, a title and one main part', async ({ page }) => {
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'en');
  assert.match(await page.title(), /nnscope/);
  assert.equal(await page.getByRole('main').count(), 1);
});

for (const scale of [1, 1.25, 2, 3]) {
  pageTest(`the picture has the screen's own pixels at a scale of ${scale}`, async ({ page }) => {
    const [width, height] = await page.evaluate(() => {
      const canvas = document.getElementById('picture');
      return [canvas.width, canvas.height];
    });
    assert.ok(Math.abs(width - 1280 * scale) <= 1 && Math.abs(height - 800 * scale) <= 1, `${width} × ${height}`);
  }, { deviceScaleFactor: scale });
}

pageTest('the picture follows the size of the window', async ({ page }) => {
  await page.setViewportSize({ width: 700, height: 900 });
  await page.waitForFunction(() => document.getElementById('picture').width === 700);
  const box = await page.getByRole('main').boundingBox();
  assert.ok(box.width <= 700);
});

pageTest('nothing is drawn while nothing changes', async ({ page }) => {
  await page.waitForTimeout(1500);
  await page.evaluate(() => { window.nnsWatch.frames.length = 0; });
  await page.waitForTimeout(1500);
  assert.equal(await page.evaluate(() => window.nnsWatch.frames.length), 0);
}, { prepare: watchPage });

/// Runs in the page before its own scripts: counts what is given to the graphics.
function countDraws() {
  window.nnsDraws = 0;
  const draw = WebGL2RenderingContext.prototype.drawElements;
  WebGL2RenderingContext.prototype.drawElements = function (...what) {
    window.nnsDraws += 1;
    return draw.apply(this, what);
  };
}

pageTest('a frame that shows what is on the screen is not drawn, and stays on it', async ({ page }) => {
  await page.addInitScript(countDraws);
  await page.addInitScript(watchPage);
  await page.reload();
  await page.getByRole('button', { name: 'Choose a file' }).waitFor();
  await page.mouse.move(3, 790);
  await page.waitForTimeout(1500);
  const before = await page.screenshot();
  await page.evaluate(() => { window.nnsDraws = 0; window.nnsWatch.frames.length = 0; });
  // Over the ground, where nothing lights up.
  for (let step = 0; step < 5; ++step) await page.mouse.move(4 + step, 790);
  await page.waitForTimeout(1000);
  assert.ok(await page.evaluate(() => window.nnsWatch.frames.length) >= 3);
  assert.equal(await page.evaluate(() => window.nnsDraws), 0);
  assert.ok(before.equals(await page.screenshot()), 'the picture stays');
  await page.keyboard.press('Tab');
  await page.waitForFunction(() => window.nnsDraws > 0);
});

pageTest('nothing moves for who asked for reduced motion, not even where letters are typed', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.getByRole('textbox', { name: 'Address' }).focus();
  await page.waitForTimeout(1500);
  await page.evaluate(() => { window.nnsWatch.frames.length = 0; });
  const before = await page.screenshot();
  await page.waitForTimeout(1500);
  assert.ok(before.equals(await page.screenshot()), 'something moved');
  assert.equal(await page.evaluate(() => window.nnsWatch.frames.length), 0);
}, { prepare: watchPage });

pageTest('the theme follows the system until a person chooses one, and the choice lasts', async ({ page }) => {
  const theme = page.getByRole('button', { name: /^Theme/ });
  assert.equal(await theme.getAttribute('aria-label'), 'Theme: as the system');
  await theme.click();
  await page.getByRole('button', { name: 'Theme: light' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Theme: light' }).waitFor();
});

pageTest('the controls show themselves where the system forces its colours', async ({ page }) => {
  const opacity = () => page.evaluate(() => getComputedStyle(document.getElementById('controls')).opacity);
  assert.equal(await opacity(), '0');
  await page.emulateMedia({ forcedColors: 'active' });
  assert.equal(await opacity(), '1');
});

pageTest('a finger taps', async ({ page }) => {
  await page.getByRole('button', { name: /CNN/ }).tap();
  await page.getByRole('treeitem').first().waitFor();
}, { hasTouch: true, isMobile: true, width: 390, height: 844 });

pageTest('no rule of accessibility is broken by the controls', async ({ page }) => {
  await page.getByRole('button', { name: /CNN/ }).click();
  await page.getByRole('treeitem').first().waitFor();
  await axe(page);
});

const startsWithTrouble = (name, prepare, words) => test(name, async () => {
  const context = await suite.browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(prepare);
  await page.goto(`${suite.server.address}/`);
  await page.getByRole('alert').filter({ hasText: words }).waitFor();
  await context.close();
});
startsWithTrouble('a browser without WebGL 2 is told what to do', () => {
  HTMLCanvasElement.prototype.getContext = () => null;
}, 'hardware acceleration');
startsWithTrouble('a browser without WebAssembly is told what to do', () => {
  delete window.WebAssembly;
}, 'WebAssembly');
