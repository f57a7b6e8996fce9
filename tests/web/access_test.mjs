// No panel and no dialog breaks a rule of accessibility: axe-core looks at each, wide and narrow, and the keyboard is where
// it can be seen.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { axe } from './support/axe.mjs';
import { expertTensors, writeSafetensors, writeTorchZip } from './support/fixtures.mjs';
import { chooseFiles, folder, pageTest, tabTo } from './support/suite.mjs';

const wave = (_, i) => Math.sin(i / 7) * Math.cos(i / 91);
const layers = (names) => names.flatMap((name) => [[`${name}.attn.weight`, 'F32', [16, 24]], [`${name}.mlp.weight`, 'F32', [24, 16]]]);
const model = writeSafetensors(join(folder, 'model.safetensors'), [...layers(['h.0', 'h.1']), ['head.weight', 'F32', [5]]], { fill: wave });
const tuned = writeSafetensors(join(folder, 'tuned.safetensors'), [...layers(['module.h.0', 'module.h.1']), ['module.new.weight', 'F32', [3]]],
  { fill: (name, i) => wave(name, i) + (name.includes('h.1') ? 0.5 : 0) });
const equal = writeSafetensors(join(folder, 'equal.safetensors'), [...layers(['h.0', 'h.1']), ['head.weight', 'F32', [5]]], { fill: wave });
const pickled = writeTorchZip(join(folder, 'state.pt'), [['conv.weight', [8, 3, 3, 3]], ['conv.bias', [8]]]);
const many = writeSafetensors(join(folder, 'experts.safetensors'), expertTensors());
const long = writeSafetensors(join(folder, `${'a_very_long_name_of_a_model_'.repeat(4)}.safetensors`),
  [[`${'quite_a_long_module_name.'.repeat(8)}weight`, 'F32', [2, 2]]], { fill: wave });

const looks = [{ width: 1600, height: 1000, colorScheme: 'dark' }, { width: 360, height: 740, colorScheme: 'light' }];
const named = ({ width, colorScheme }) => `${width} px wide, ${colorScheme}`;

async function open(page, files) {
  await chooseFiles(page, files);
  await page.getByRole('treeitem').first().waitFor();
}
async function command(page, words, name) {
  await page.keyboard.press('Control+p');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type(words);
  await page.getByRole('option', { name }).first().waitFor();
  await page.keyboard.press('Enter');
}
async function compare(page, files) {
  await open(page, files);
  await page.getByRole('tab', { name: /tuned|equal|model/ }).first().waitFor();
  await page.keyboard.press('Alt+c');
  await page.getByRole('dialog', { name: 'Compare with' }).waitFor();
}
/// Where the keyboard is can be named: it has not fallen out of the page.
const hasFocus = (page, where) => page.waitForFunction(() => Boolean(document.activeElement?.dataset.id))
  .catch(() => assert.fail(`the keyboard is nowhere: ${where}`));

for (const look of looks) {
  pageTest(`start, search, commands and keys, ${named(look)}`, async ({ page }) => {
    await axe(page, 'start');
    await open(page, model);
    await axe(page, 'tree and summary');
    await page.keyboard.press('/');
    await page.getByRole('searchbox', { name: 'Search', exact: true }).waitFor();
    await axe(page, 'examples of searches');
    await page.keyboard.type('attn');
    await page.getByRole('option').first().waitFor();
    await axe(page, 'answers');
    await page.keyboard.type(' shape:(');
    await page.getByRole('alert').or(page.getByRole('status')).first().waitFor({ state: 'attached' });
    await axe(page, 'a query that cannot be read');
    await page.keyboard.press('Escape');
    await hasFocus(page, 'after the search');
    await page.keyboard.press('Control+p');
    await page.getByRole('option').first().waitFor();
    await axe(page, 'commands');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await axe(page, 'keys');
    await page.keyboard.press('Escape');
    await hasFocus(page, 'after the keys');
  }, look);

  pageTest(`tensor, numbers and statistics, ${named(look)}`, async ({ page }) => {
    await open(page, model);
    await page.keyboard.press('*');
    await page.keyboard.press('End');
    await page.locator('[role="img"][aria-label^="Heat map of"]').waitFor({ state: 'attached' });
    await page.getByText('Quantiles').first().waitFor({ state: 'attached' });
    await axe(page, 'heat map and statistics of a tensor');
    await tabTo(page, /^button Numbers/);
    await page.keyboard.press('Enter');
    await page.getByRole('table', { name: /Values|Numbers/ }).waitFor({ state: 'attached' });
    await axe(page, 'numbers');
    await page.keyboard.press('Alt+s');
    await page.getByRole('table', { name: /[Ss]tatistics/ }).waitFor({ state: 'attached' });
    await axe(page, 'statistics of all tensors');
  }, look);

  pageTest(`map and safety, ${named(look)}`, async ({ page }) => {
    await open(page, pickled);
    await page.keyboard.press('Alt+m');
    await page.locator('[role="img"][aria-label^="Map of"]').waitFor({ state: 'attached' });
    await axe(page, 'map');
    await command(page, 'safety', /^Safety/);
    await page.getByRole('table', { name: 'Globals that the pickles name' }).waitFor();
    await axe(page, 'safety');
    await open(page, many);
    await page.getByRole('tab', { name: 'experts.safetensors' }).waitFor();
    await page.keyboard.press('Alt+m');
    await page.locator('[role="img"][aria-label^="Map of"]').waitFor({ state: 'attached' });
    await axe(page, 'map of 92,000 tensors');
  }, look);

  pageTest(`comparison as a list, as trees, of parts, and of equal files, ${named(look)}`, async ({ page }) => {
    await compare(page, [model, tuned]);
    await axe(page, 'what to compare with');
    // The second file may be the shown one already.
    await page.getByRole('option', { name: /tuned|model/ }).waitFor({ state: 'attached' });
    await page.keyboard.press('Enter');
    await page.getByRole('table', { name: 'Differences' }).waitFor();
    await page.getByRole('status').filter({ hasText: /^Values: / }).first().waitFor({ state: 'attached' });
    await axe(page, 'differences');
    await hasFocus(page, 'in the list of differences');
    await page.keyboard.press('End');
    await axe(page, 'another difference');
    await tabTo(page, /^button Trees/, { back: true });
    await page.keyboard.press('Enter');
    await page.getByRole('tree', { name: 'Both trees' }).waitFor();
    await axe(page, 'both trees');
    await tabTo(page, /^button Sort( |$)/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Sort by' }).waitFor();
    await axe(page, 'sort by');
    await page.keyboard.press('Escape');
    await hasFocus(page, 'after the dialog');
    await chooseFiles(page, equal);
    await page.getByRole('tab', { name: 'equal.safetensors' }).waitFor({ state: 'attached' });
    await page.keyboard.press('Alt+c');
    await page.getByRole('option', { name: /model/ }).waitFor({ state: 'attached' });
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Nothing differs' }).or(page.getByText('Nothing differs')).first().waitFor({ state: 'attached' });
    await axe(page, 'nothing differs');
  }, look);

  pageTest(`files that are asked for, and one that is another, ${named(look)}`, async ({ page }) => {
    await open(page, model);
    await page.waitForFunction(() => /size=/.test(sessionStorage.getItem('nnscope.tab.open') ?? JSON.stringify({ ...sessionStorage })));
    await page.reload();
    await page.getByRole('button', { name: 'Forget model.safetensors' }).waitFor();
    await axe(page, 'a file that is asked for');
    const other = writeSafetensors(join(folder, 'other/model.safetensors'.replace('/', '_')), [['a', 'F32', [2]]], { fill: wave });
    await chooseFiles(page, [other]);
    await page.getByRole('tab', { name: /other_model/ }).waitFor();
    await axe(page, 'beside another document');
  }, look);

  pageTest(`long names and several documents side by side, ${named(look)}`, async ({ page }) => {
    await open(page, [long, model]);
    await page.keyboard.press('*');
    await axe(page, 'long names');
    await page.keyboard.press('Control+\\');
    await page.getByRole('tree').nth(1).waitFor({ state: 'attached' });
    await axe(page, 'side by side');
  }, look);
}
