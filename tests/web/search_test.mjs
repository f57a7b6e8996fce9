// Finding things with the keyboard alone: in a file of others, among 92,000 tensors, and what a screen reader hears of it.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { axe } from './support/axe.mjs';
import { expertTensors, writeSafetensors } from './support/fixtures.mjs';
import { chooseFiles, folder, pageTest } from './support/suite.mjs';

const small = writeSafetensors(join(folder, 'tiny-gpt.safetensors'), [0, 1, 2].flatMap((block) => [
  [`h.${block}.attn.c_attn.weight`, 'BF16', [16, 48]], [`h.${block}.attn.c_attn.bias`, 'F32', [48]],
  [`h.${block}.mlp.c_fc.weight`, 'BF16', [16, 64]]]), { metadata: { format: 'pt', author: 'Ada' } });
const many = writeSafetensors(join(folder, 'experts.safetensors'), expertTensors());

const status = (page, text) => page.getByRole('status').filter({ hasText: text }).first().waitFor();
const hasKeyboard = (page, role) => page.waitForFunction((wanted) =>
  document.activeElement?.getAttribute('role') === wanted, role);

async function search(page, text, key = '/') {
  await page.keyboard.press(key);
  await page.getByRole('searchbox', { name: 'Search', exact: true }).waitFor();
  await page.keyboard.type(text);
}

for (const [look, options] of [
  ['wide and dark', { colorScheme: 'dark' }],
  ['narrow and light', { colorScheme: 'light', width: 360, height: 740 }],
]) {
  pageTest(`the parameters of the attention blocks are a word away, ${look}`, async ({ page }) => {
    await chooseFiles(page, small);
    await hasKeyboard(page, 'treeitem');
    await search(page, 'attn');
    await status(page, '6 hits · 2,448 parameters');
    await status(page, '1 of 6: h.0.attn');
    await axe(page);
    await page.keyboard.press('ArrowDown');
    await status(page, '2 of 6: h.1.attn');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'h.1.attn' }).waitFor();
    await hasKeyboard(page, 'treeitem');
  }, options);
}

pageTest('a query that cannot be read is told where it goes wrong, and nothing opens', async ({ page }) => {
  await chooseFiles(page, small);
  await hasKeyboard(page, 'treeitem');
  await search(page, 'attn size:big');
  await page.getByRole('alert').filter({ hasText: 'At letter 6: size:big is no number' }).waitFor();
  await axe(page);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Search' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await hasKeyboard(page, 'treeitem');
});

pageTest('Ctrl+F and / search, Ctrl+P and Ctrl+Shift+P are the commands, ? lists the keys', async ({ page }) => {
  await chooseFiles(page, small);
  await hasKeyboard(page, 'treeitem');
  for (const [key, name] of [['Control+f', 'Search'], ['/', 'Search'], ['Control+p', 'Commands'], ['Control+Shift+P', 'Commands']]) {
    await page.keyboard.press(key);
    await page.getByRole('dialog', { name, exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await page.keyboard.press('?');
  await page.getByRole('listitem').filter({ hasText: 'Search everything that is open: Ctrl+F' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+p');
  await page.keyboard.type('theme light');
  await page.getByRole('option', { name: 'Theme: light' }).waitFor();
  await axe(page);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Theme: light' }).waitFor();
});

pageTest('the answers become the filter of the tree', async ({ page }) => {
  await chooseFiles(page, small);
  await hasKeyboard(page, 'treeitem');
  await search(page, 'weight bf16 shape:16,*');
  await status(page, '6 hits');
  await page.keyboard.press('Control+Enter');
  await status(page, '6 matches');
  assert.equal(await page.getByRole('searchbox', { name: 'Filter' }).inputValue(), 'weight bf16 shape:16,*');
});

pageTest('92,000 tensors are searched while one types, also with a pattern', async ({ page }) => {
  await chooseFiles(page, many);
  await hasKeyboard(page, 'treeitem');
  await search(page, '61.mlp.experts.255 weight f8', 'Control+f');
  await status(page, '3 hits');
  await page.keyboard.press('Escape');
  await search(page, '/experts\\.(25[0-5])\\.up_proj\\.weight$/');
  await status(page, '354 hits');
  await page.keyboard.press('PageDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /experts\.25\d\.up_proj\.weight/ }).waitFor();
  assert.ok(await page.getByRole('treeitem').count() < 100, 'only the rows that are seen are elements');
});

const real = process.env.NNSCOPE_TEST_DATA && join(process.env.NNSCOPE_TEST_DATA, 'checkpoints', 'burn', 'mnist.safetensors');
pageTest('in a file of others a tensor is found by its shape', async ({ page }) => {
  await chooseFiles(page, real);
  await hasKeyboard(page, 'treeitem');
  await search(page, 'conv rank:4 >1K');
  await status(page, '2 hits');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /^conv\d\.weight/ }).waitFor();
}, { skip: real && existsSync(real) ? false : 'NNSCOPE_TEST_DATA has no such file' });
