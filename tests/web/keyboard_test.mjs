// A person's task with the keyboard alone, among 100,000 rows: find a tensor, read it, start its statistics and stop them.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expertTensors, writeSafetensors } from './support/fixtures.mjs';
import { chooseFiles, eachLook, folder, pageTest, tabTo } from './support/suite.mjs';

const many = writeSafetensors(join(folder, 'experts.safetensors'), [...expertTensors(), ['zz.big.weight', 'F32', [20_000, 20_000]]]);

async function find(page, words, matches) {
  await page.keyboard.press('Control+Shift+F');
  await page.keyboard.type(words);
  await page.getByRole('status').filter({ hasText: matches }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'treeitem');
}

eachLook('a tensor among 92,000 is found, read, counted and left with the keyboard alone', async ({ page }) => {
  await chooseFiles(page, many);
  await page.getByRole('treeitem').first().waitFor();
  await find(page, 'zz.big', /^\d+ match/);
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.getByRole('heading', { name: 'zz.big.weight' }).waitFor();
  await tabTo(page, /^button Compute statistics/);
  await page.keyboard.press('Enter');
  await page.getByRole('progressbar').first().waitFor({ state: 'attached' });
  await tabTo(page, /^button Cancel/);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Compute statistics' }).waitFor();

  // All rows unfolded: the last one is a key away, and the tree stays a few elements large.
  await page.keyboard.press('/');
  await page.keyboard.press('Escape');
  await tabTo(page, /^treeitem/);
  await page.keyboard.press('Home');
  await page.keyboard.press('*');
  await page.keyboard.press('End');
  await page.locator('[role="treeitem"][aria-selected="true"][aria-label^="weight,"]').waitFor();
  await page.getByRole('heading', { name: 'zz.big.weight' }).waitFor();
  assert.ok(await page.getByRole('treeitem').count() < 100, 'only the rows that are seen are elements');
});

const real = process.env.NNSCOPE_TEST_DATA &&
  join(process.env.NNSCOPE_TEST_DATA, 'checkpoints', 'chemprop', 'v2_regression_mol_with_metrics.ckpt');
pageTest('a file of others is walked with the keyboard alone', async ({ page }) => {
  await chooseFiles(page, real);
  await page.getByRole('treeitem').first().waitFor();
  await page.keyboard.press('Home');
  await page.keyboard.press('*');
  await page.keyboard.press('End');
  await page.locator('[role="treeitem"][aria-selected="true"]').waitFor();
  await page.keyboard.press('Home');
  await page.locator('[role="treeitem"][aria-selected="true"][aria-level="1"]').waitFor();
}, { skip: real && existsSync(real) ? false : 'NNSCOPE_TEST_DATA has no such file' });
