// The tensor view and the statistics of a whole model, with the keyboard alone, by touch, and with an input method.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expertTensors, writeSafetensors } from './support/fixtures.mjs';
import { chooseFiles, eachLook, focused, folder, pageTest, tabTo } from './support/suite.mjs';

// A convolution's weight of (8, 3, 5, 4) whose values are their row-major numbers; number 83 is NaN.
const conv = writeSafetensors(join(folder, 'conv.safetensors'), [['conv.weight', 'F32', [8, 3, 5, 4]]],
  { fill: (name, i) => (i === 83 ? NaN : i) });
// 92,000 small tensors and one of 14.4 GB (a hole in the file, where the disk knows such).
const many = writeSafetensors(join(folder, 'many.safetensors'), [...expertTensors(), ['zz.big.weight', 'F32', [60_000, 60_000]]]);

const field = (page) => page.getByRole('textbox', { name: 'Part of the tensor' });
const picture = (page, text) => page.locator(`[role="img"][aria-label^="Heat map of conv.weight"][aria-label*="${text}"]`);

async function openConv(page) {
  await chooseFiles(page, conv);
  await page.getByRole('treeitem').first().waitFor();
  await page.keyboard.press('End');
  await page.keyboard.press('*');
  await page.keyboard.press('End');
  await page.getByRole('heading', { name: 'conv.weight' }).waitFor();
  await picture(page, '120 rows, 4 columns').waitFor({ state: 'attached' });
}

eachLook('a part of a convolution is looked at with the keyboard alone', async ({ page }) => {
  await openConv(page);
  await tabTo(page, /^textbox Part of the tensor/);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('[:, 1, :, -1]');
  await picture(page, '8 rows, 5 columns').waitFor({ state: 'attached' });
  // What is wrong is told with its place.
  await page.keyboard.press('Control+a');
  await page.keyboard.type('[:, 7]');
  await page.getByText('Character 5: index 7 is outside axis 1, which has 3').waitFor({ state: 'attached' });
  await page.keyboard.press('Control+a');
  await page.keyboard.type('[:, :, 0, 3].T');
  await picture(page, '3 rows, 8 columns').waitFor({ state: 'attached' });
  await tabTo(page, /^slider Index of axis 3/);
  await page.keyboard.press('Home');
  await page.waitForFunction(() => document.querySelector('#controls input[aria-label="Part of the tensor"]')?.value ===
    '[:, :, 0, 0].permute(1, 0)');
  // The cursor goes to the NaN of the whole tensor, and the exact number is told with its index.
  await tabTo(page, /^button All/, { back: true });
  await page.keyboard.press('Enter');
  await picture(page, '120 rows, 4 columns').waitFor({ state: 'attached' });
  await tabTo(page, /^button NaN/);
  await page.keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: '[1, 1, 0, 3] = nan' }).waitFor({ state: 'attached' });
  await tabTo(page, /^button Max/);
  await page.keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: '[7, 2, 4, 3] = 479' }).waitFor({ state: 'attached' });
});

pageTest('the mouse zooms, pans and fits the heat map', async ({ page }) => {
  await openConv(page);
  const seen = () => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get('seen'));
  const until = (ready) => page.waitForFunction(ready).then(seen);
  assert.equal(await seen(), null);
  const box = await picture(page, '120 rows, 4 columns').boundingBox();
  const [x, y] = [box.x + box.width / 4, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -400);
  await page.keyboard.up('Control');
  const zoomed = await until(() => location.hash.includes('seen='));
  await page.mouse.down();
  await page.mouse.move(x, y - 60, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction((before) => new URLSearchParams(location.hash.slice(1)).get('seen') !== before, zoomed);
  await page.mouse.dblclick(x, y);
  await until(() => !location.hash.includes('seen='));
  // F goes to the cell under the cursor, Space shows everything.
  await tabTo(page, /^img Heat map of/);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('+');
  await until(() => location.hash.includes('seen='));
  await page.keyboard.press('Space');
  await until(() => !location.hash.includes('seen='));
});

// A convolution that somebody trained, against what PyTorch says about it.
const real = process.env.NNSCOPE_TEST_DATA && join(process.env.NNSCOPE_TEST_DATA, 'checkpoints', 'affnet', 'AffNet.pth');
if (real && existsSync(real)) {
  pageTest('the weight of a real convolution is looked at by any two of its four axes', async ({ page }) => {
    const facts = JSON.parse(readFileSync(`${real}.facts.json`, 'utf8'));
    const weight = facts.tensors.find(({ shape }) => shape?.length === 4 && Math.min(...shape) > 2);
    const [out, into, high, wide] = weight.shape;
    const name = weight.path.at(-1);
    await chooseFiles(page, real);
    await page.getByRole('treeitem').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(`/${name.replaceAll('.', '\\.')}$/ rank:4`);
    await page.getByRole('option').first().waitFor({ state: 'attached' });
    await page.keyboard.press('Enter');
    const map = (rows, columns) => page.locator(
      `[role="img"][aria-label^="Heat map of"][aria-label*="${rows.toLocaleString('en')} rows, ${columns} columns"]`);
    await map(out * into * high, wide).waitFor({ state: 'attached' });
    const told = page.getByRole('status').filter({ hasText: /^\[\d+, \d+, \d+, \d+\] = / });
    // The search runs in slices, and the cursor moves a frame later: what is told in between is that of the cell before.
    const jumpsTo = async (what, expected) => {
      await tabTo(page, new RegExp(`^button ${what}`));
      await page.keyboard.press('Enter');
      let texts = [];
      for (let tries = 0; tries < 400; ++tries) {
        texts = await told.allInnerTexts();
        if (texts.some((text) => Math.fround(Number(text.split('= ')[1])) === Math.fround(expected))) return;
        await page.waitForTimeout(50);
      }
      assert.fail(`${what} is ${expected}, but the cursor tells ${JSON.stringify(texts)}`);
    };
    await jumpsTo('Max', weight.max);
    await jumpsTo('Min', weight.min);
    await tabTo(page, /^textbox Part of the tensor/, { back: true });
    await page.keyboard.press('Control+a');
    await page.keyboard.type('[:, 1, :, -1]');
    await map(out, high).waitFor({ state: 'attached' });
    await page.keyboard.press('Control+a');
    await page.keyboard.type('[0, :, 1].T');
    await map(wide, into).waitFor({ state: 'attached' });
    await page.locator('[role="img"][aria-label^="Colours from"]').waitFor({ state: 'attached' });
  });
} else {
  console.log('without a real convolution: NNSCOPE_TEST_DATA names no folder with checkpoints/affnet');
}

pageTest('numbers are read as text and copied', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openConv(page);
  await tabTo(page, /^textbox Part of the tensor/);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('[0, :2, :2, 1:3]');
  await picture(page, '4 rows, 2 columns').waitFor({ state: 'attached' });
  await tabTo(page, /^button Numbers/);
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: 'Row 3' }).getByRole('cell', { name: '26', exact: true }).waitFor({ state: 'attached' });
  await tabTo(page, /^button Copy$/);
  await page.keyboard.press('Enter');
  await page.getByText('Values copied').waitFor({ state: 'attached' });
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), '1,2\n5,6\n21,22\n25,26\n');
});

pageTest('an input method composes into the field of the part', async ({ page }) => {
  await openConv(page);
  await tabTo(page, /^textbox Part of the tensor/);
  await page.keyboard.press('Control+a');
  const session = await page.context().newCDPSession(page);
  const opacity = () => page.evaluate(() => getComputedStyle(document.getElementById('controls')).opacity);
  assert.equal(await opacity(), '0', 'the controls lie in the picture');
  await session.send('Input.imeSetComposition', { text: '[2', selectionStart: 2, selectionEnd: 2 });
  await session.send('Input.imeSetComposition', { text: '[2, 1]', selectionStart: 6, selectionEnd: 6 });
  assert.equal(await opacity(), '1', 'what is composed is not in the picture yet');
  await session.send('Input.insertText', { text: '[2, 1]' });
  assert.equal(await opacity(), '0');
  await picture(page, '5 rows, 4 columns').waitFor({ state: 'attached' });
  assert.equal(await field(page).inputValue(), '[2, 1]');
});

pageTest('two fingers zoom the heat map, and one moves it', async ({ page }) => {
  await openConv(page);
  const map = picture(page, '120 rows');
  const box = await map.boundingBox();
  const [x, y] = [box.x + 40, box.y + box.height / 2];
  const session = await page.context().newCDPSession(page);
  const touch = (type, points) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([px, py], id) => ({ x: px, y: py, id })) });
  // The row under a finger: values are row-major numbers.
  const rowAt = async (px, py) => {
    await touch('touchStart', [[px, py]]);
    await touch('touchEnd', []);
    await page.waitForTimeout(400);
    const told = page.getByRole('status').filter({ hasText: /^\[\d+, \d+, \d+, \d+\] = / });
    await told.waitFor({ state: 'attached' });
    return Math.floor(Number((await told.innerText()).split('= ')[1]) / 4);
  };
  const coarse = await rowAt(x, y + 12) - await rowAt(x, y);
  assert.ok(coarse >= 3, `many rows in 12 pixels before: ${coarse}`);
  await touch('touchStart', [[x - 10, y]]);
  await touch('touchStart', [[x - 10, y], [x + 10, y]]);
  for (let step = 1; step <= 10; ++step) await touch('touchMove', [[x - 10 - 6 * step, y], [x + 10 + 6 * step, y]]);
  await touch('touchEnd', []);
  const before = await rowAt(x, y);
  const fine = await rowAt(x, y + 12) - before;
  assert.ok(fine <= 1, `rows are large after two fingers moved apart: ${fine}`);
  await touch('touchStart', [[x, y + 40]]);
  for (let step = 1; step <= 10; ++step) await touch('touchMove', [[x, y + 40 - 10 * step]]);
  await touch('touchEnd', []);
  assert.ok(await rowAt(x, y) > before, 'what is below came up');
}, { hasTouch: true });

pageTest('statistics of 92,000 tensors fill a table, are stopped, and go on', async ({ page }) => {
  await chooseFiles(page, many);
  await page.getByRole('treeitem').first().waitFor();
  await page.keyboard.press('Alt+s');
  await page.getByText(/^Reads 14\.4 GB/).waitFor({ state: 'attached' });
  await tabTo(page, /^button Compute statistics/);
  await page.keyboard.press('Enter');
  const rows = page.locator('[role="row"][aria-rowindex], [role="row"][aria-posinset]');
  await page.getByRole('table', { name: 'Statistics of all tensors' }).waitFor({ state: 'attached' });
  await tabTo(page, /^button Cancel/);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Go on' }).waitFor({ state: 'attached' });
  await page.getByRole('status').filter({ hasText: /^[\d,]+ of 9\d,\d+ tensors; .* to be read$/ }).first().waitFor({ state: 'attached' });
  // A column sorts with Enter; rows on the screen stay few.
  await tabTo(page, /^columnheader Std/);
  await page.keyboard.press('Enter');
  assert.match(await focused(page), /^columnheader Std/);
  assert.ok(await rows.count() < 120, 'only the rows that are seen are elements');
  await tabTo(page, /^button Go on/, { back: true });
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Cancel' }).first().waitFor({ state: 'attached' });
});
