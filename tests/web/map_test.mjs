// The map of what takes the room: a person finds the heaviest part of a model with the keyboard alone.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expertTensors, llamaTensors, writeSafetensors } from './support/fixtures.mjs';
import { chooseFiles, focused, folder, pageTest, tabTo } from './support/suite.mjs';

const llama = writeSafetensors(join(folder, 'llama.safetensors'), llamaTensors({ layers: 4, width: 64, kv: 16, inner: 256, words: 32 }));
const many = writeSafetensors(join(folder, 'experts.safetensors'), [...expertTensors(), ['zz.big.weight', 'F32', [2000, 2000]]]);

async function openMap(page, file) {
  await chooseFiles(page, file);
  await page.getByRole('treeitem').first().waitFor();
  await page.keyboard.press('Alt+M');
  await page.getByRole('img', { name: /^Map of parameters/ }).waitFor();
  await tabTo(page, /^img Map of/);
}

const chosen = (page, pattern) => page.waitForFunction((source) =>
  new RegExp(source).test(document.querySelector('[role="img"][aria-label^="Map of"]')?.getAttribute('aria-description') ?? ''), pattern);

for (const size of [{ width: 1600, height: 1000, colorScheme: 'dark' }, { width: 360, height: 740, colorScheme: 'light' }]) {
  pageTest(`the heaviest block and tensor are found with the keyboard alone at ${size.width} x ${size.height}`, async ({ page }) => {
    await openMap(page, llama);
    await page.keyboard.press('ArrowDown');
    await chosen(page, '^model');
    await page.keyboard.press('ArrowDown');
    await chosen(page, '^model\\.layers');
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Where the map is' }).getByRole('link', { name: 'llama.safetensors' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await chosen(page, 'mlp\\.(down|gate|up)_proj.*16,384 parameters');
    // The tree goes along, and the way back shows everything again.
    await page.getByRole('heading', { name: /mlp\.(down|gate|up)_proj/ }).waitFor({ state: 'attached' });
    await page.keyboard.press('PageUp');
    await page.getByRole('navigation', { name: 'Where the map is' }).getByRole('link', { name: 'model' }).waitFor({ state: 'detached' });
  }, size);
}

pageTest('among 92,000 tiles the largest is the first, and a name that is searched is shown', async ({ page }) => {
  await openMap(page, many);
  await page.keyboard.press('ArrowDown');
  await chosen(page, '^zz');
  assert.ok(await page.locator('#controls [data-id]').count() < 2500, 'only tiles that can be read are elements');
  await page.keyboard.press('Control+Shift+F');
  await page.keyboard.type('layers.61.mlp.experts.255.up_proj.weight_scale');
  await page.getByRole('status').filter({ hasText: /^\d+ match/ }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'treeitem');
  await page.keyboard.press('End');
  await chosen(page, 'layers\\.61\\.mlp\\.experts\\.255\\.up_proj');
  await tabTo(page, /^img Map of/);
  // A scale is no parameter and has no tile here; its group stands for it, and fills the map.
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^weight, 16 parameters/ }).first().waitFor({ state: 'attached' });
});

pageTest('Bytes and the type of elements are a key away, and the legend says what the colours mean', async ({ page }) => {
  await openMap(page, many);
  await tabTo(page, /^(button|radio) Bytes/, { back: true });
  await page.keyboard.press('Enter');
  await page.getByRole('img', { name: /^Map of bytes/ }).waitFor();
  await tabTo(page, /^(button|radio) Type/);
  await page.keyboard.press('Enter');
  await page.getByRole('listitem').filter({ hasText: /^float8_e4m3fn: [\d,]+ bytes, [\d,]+ tensors/ }).first().waitFor({ state: 'attached' });
  assert.match(await focused(page), /Type/);
});

const real = process.env.NNSCOPE_TEST_DATA &&
  join(process.env.NNSCOPE_TEST_DATA, 'checkpoints', 'chemprop', 'v2_regression_mol_with_metrics.ckpt');
pageTest('the map of a file of others is walked with the keyboard alone', async ({ page }) => {
  await openMap(page, real);
  await page.keyboard.press('ArrowDown');
  await chosen(page, 'parameters');
  await page.keyboard.press('Enter');
  await page.keyboard.press(' ');
  await page.getByRole('img', { name: /^Map of parameters/ }).waitFor();
}, { skip: real && existsSync(real) ? false : 'NNSCOPE_TEST_DATA has no such file' });
