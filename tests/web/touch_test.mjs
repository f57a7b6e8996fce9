// Fingers on a small screen: they scroll the tree, open and close modules, pinch and drag the heat map, and choose on the map.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { llamaTensors, writeSafetensors } from './support/fixtures.mjs';
import { chooseFiles, folder, line, pageTest } from './support/suite.mjs';

const llama = writeSafetensors(join(folder, 'llama.safetensors'), llamaTensors({ layers: 40, width: 64, kv: 16, inner: 256, words: 32 }));
const flat = writeSafetensors(join(folder, 'flat.safetensors'), Array.from({ length: 60 }, (_, i) => [`m${i}.weight`, 'F32', [i + 1, 2]]));
const values = writeSafetensors(join(folder, 'values.safetensors'), [['block.weight', 'F32', [256, 384]]], { fill: (_, i) => Math.sin(i / 37) });
const phone = { width: 360, height: 740, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

/// Touches as the device gives them, several fingers at once: `paths` holds the points of each finger, step by step.
async function touch(page, ...paths) {
  const session = await page.context().newCDPSession(page);
  const at = (step) => paths.map((path, id) => ({ ...path[Math.min(step, path.length - 1)], id }));
  const steps = Math.max(...paths.map((path) => path.length));
  const told = [];
  const tell = async (type, touchPoints) => {
    told.push(session.send('Input.dispatchTouchEvent', { type, touchPoints }));
    // One finger that rests for a third of a second holds what it touches: on a slow machine its steps must not wait.
    if (paths.length > 1) await told.at(-1);
  };
  await tell('touchStart', at(0));
  for (let step = 1; step < steps; ++step) await tell('touchMove', at(step));
  await tell('touchEnd', []);
  await Promise.all(told);
  await session.detach();
}
const straight = (from, to, steps = 12) =>
  Array.from({ length: steps + 1 }, (_, i) => ({ x: from.x + ((to.x - from.x) * i) / steps, y: from.y + ((to.y - from.y) * i) / steps }));
const box = async (locator) => {
  const found = await locator.boundingBox();
  return { ...found, middle: { x: found.x + found.width / 2, y: found.y + found.height / 2 } };
};
const address = (page, pattern) => page.waitForFunction((source) => new RegExp(source).test(location.hash), pattern.source);
const places = async (page) => page.getByRole('treeitem').evaluateAll((items) => items.map((item) => Number(item.getAttribute('aria-posinset'))));

pageTest('a finger scrolls the tree, and a tap chooses, opens and closes', async ({ page }) => {
  await chooseFiles(page, flat);
  await line(page, 'm0').waitFor();
  await line(page, 'm1').tap();
  await address(page, /select=m1(&|$)/);
  const before = await places(page);
  const tree = await box(page.getByRole('tree').first());
  const low = { x: tree.middle.x, y: tree.y + tree.height - 20 };
  const high = { x: tree.middle.x, y: tree.y + 20 };
  await touch(page, straight(low, high));
  await page.waitForFunction((last) => Math.max(...[...document.querySelectorAll('#controls [role="treeitem"]')]
    .map((item) => Number(item.getAttribute('aria-posinset')))) > last, Math.max(...before));
  assert.match(await page.evaluate(() => location.hash), /select=m1(&|$)/, 'scrolling chooses nothing');
  await touch(page, straight(high, { x: high.x, y: low.y + 200 }));
  await page.waitForFunction(() => [...document.querySelectorAll('#controls [role="treeitem"]')].some((item) => item.getAttribute('aria-posinset') === '1'));
  const open = await line(page, 'm0').getAttribute('aria-expanded');
  const { x, y, height } = await box(line(page, 'm0'));
  await page.touchscreen.tap(x + 30, y + height / 2);
  await page.locator(`[role="treeitem"][aria-expanded="${open === 'true' ? 'false' : 'true'}"][aria-label^="m0,"]`).waitFor();
}, phone);

pageTest('two fingers zoom into a heat map and out again, and one drags it', async ({ page }) => {
  await chooseFiles(page, values);
  await line(page, 'block').waitFor();
  await line(page, 'weight').tap();
  const picture = page.locator('[role="img"][aria-label^="Heat map of"]');
  await picture.waitFor({ state: 'attached' });
  // The picture lies below its controls on such a screen: a finger scrolls them away.
  for (let turn = 0; turn < 8 && (await box(picture)).middle.y > 600; ++turn) {
    await touch(page, straight({ x: 8, y: 690 }, { x: 8, y: 560 }));
    await page.waitForTimeout(200);
  }
  const { middle, width, height } = await box(picture);
  assert.ok(middle.y < 690, `the picture is in sight: ${middle.y}`);
  assert.ok(width > 150 && height > 60, 'there is a picture to touch');
  const around = (distance) => [{ x: middle.x - distance, y: middle.y }, { x: middle.x + distance, y: middle.y }];
  const pinch = async (from, to) => {
    const [a, b] = around(from);
    const [c, d] = around(to);
    await touch(page, straight(a, c), straight(b, d));
  };
  await pinch(20, 90);
  await address(page, /seen=/);
  const zoomed = await page.evaluate(() => /seen=([\d,]+)/.exec(location.hash)[1].split(',').map(Number));
  assert.ok(zoomed[3] < 300, `fewer columns are seen: ${zoomed}`);
  await touch(page, straight(middle, { x: middle.x - 40, y: middle.y }));
  await page.waitForFunction((before) => {
    const seen = /seen=([\d,]+)/.exec(location.hash)?.[1].split(',').map(Number);
    return seen && seen[1] > before;
  }, zoomed[1]);
  await pinch(100, 10);
  await page.waitForFunction((before) => {
    const seen = /seen=([\d,]+)/.exec(location.hash)?.[1].split(',').map(Number);
    return !seen || seen[3] > before;
  }, zoomed[3]);
}, phone);

pageTest('a tap chooses on the map, and a pinch zooms it', async ({ page }) => {
  await chooseFiles(page, llama);
  await line(page, 'model').waitFor();
  await page.getByRole('tab', { name: 'Map' }).tap();
  const map = page.locator('[role="img"][aria-label^="Map of"]');
  await map.waitFor({ state: 'attached' });
  const { x, y, width, height, middle } = await box(map);
  await page.touchscreen.tap(x + width * 0.2, y + height * 0.2);
  await address(page, /select=[^&]+&tab=map/);
  const names = () => page.locator('#controls [role="button"]').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')).join('|'));
  const before = await names();
  await touch(page, straight({ x: middle.x - 15, y: middle.y }, { x: middle.x - 100, y: middle.y }), straight({ x: middle.x + 15, y: middle.y }, { x: middle.x + 100, y: middle.y }));
  await page.waitForFunction((old) => [...document.querySelectorAll('#controls [role="button"]')].map((one) => one.getAttribute('aria-label')).join('|') !== old, before);
}, phone);

pageTest('a comparison is tapped through', async ({ page }) => {
  const other = writeSafetensors(join(folder, 'other.safetensors'), [['block.weight', 'F32', [256, 384]]], { fill: (_, i) => Math.cos(i / 37) });
  await chooseFiles(page, [values, other]);
  await page.getByRole('tab', { name: 'other.safetensors' }).waitFor({ state: 'attached' });
  await page.keyboard.press('Alt+c');
  await page.getByRole('dialog', { name: 'Compare with' }).waitFor();
  const choice = page.getByRole('option', { name: /safetensors/ }).first();
  await choice.tap();
  await page.getByRole('row', { name: /block\.weight, values/ }).first().waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Trees' }).tap();
  await page.getByRole('tree', { name: 'Both trees' }).waitFor();
  await address(page, /view=trees/);
}, phone);
