// What changed between two files: found, sorted and read with the keyboard alone, among a few tensors and among 92,000.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expertTensors, writeSafetensors } from './support/fixtures.mjs';
import { chooseFiles, folder, pageTest, tabTo } from './support/suite.mjs';

const small = [['embed.weight', 'F32', [4, 2]], ['layers.0.attn.weight', 'F32', [2, 2]], ['layers.0.mlp.weight', 'F32', [2, 2]],
  ['old.kernel', 'F32', [2]]];
const base = writeSafetensors(join(folder, 'base.safetensors'), small, { fill: (_, i) => i + 1 });
const tuned = writeSafetensors(join(folder, 'tuned.safetensors'),
  [...small.slice(0, 3).map(([name, ...rest]) => [`module.${name}`, ...rest]), ['module.lora.a', 'F32', [5]]],
  { fill: (name, i) => (name.includes('attn') && i === 3 ? 40 : i + 1) });
const large = ['zz.big.weight', 'F32', [40_000, 40_000]];
const many = writeSafetensors(join(folder, 'many.safetensors'), [...expertTensors(), large]);
const more = writeSafetensors(join(folder, 'more.safetensors'), [...expertTensors(), large, ['zz.new.weight', 'F32', [3]]]);

/// Opens both and compares the first with the second, as a person does: by its tab and Alt+C.
async function compare(page, first, second, name) {
  await chooseFiles(page, [first, second]);
  await page.getByRole('tab', { name }).waitFor();
  await page.getByRole('treeitem').first().waitFor();
  await page.keyboard.press('Alt+C');
  await page.getByRole('dialog', { name: 'Compare with' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('table', { name: 'Differences' }).waitFor();
}

const row = (page, name) => page.getByRole('row', { name });

for (const size of [{ width: 1600, height: 1000, colorScheme: 'light' }, { width: 360, height: 740, colorScheme: 'dark' }]) {
  pageTest(`what changed is listed with the keyboard alone at ${size.width} x ${size.height}`, async ({ page }) => {
    await compare(page, base, tuned, 'base.safetensors');
    await row(page, /layers\.0\.attn\.weight, values/).first().waitFor({ state: 'attached' });
    await row(page, /old\.kernel, (removed|added)/).first().waitFor({ state: 'attached' });
    await row(page, /lora\.a, (added|removed)/).first().waitFor({ state: 'attached' });
    assert.equal(await row(page, /mlp\.weight/).count(), 0, 'what is equal is not listed');
    await tabTo(page, /^row /);
    await page.keyboard.press('Home');
    await page.keyboard.press('End');
    await page.locator('[role="row"][aria-selected="true"]').first().waitFor({ state: 'attached' });
  }, size);
}

pageTest('among 92,000 tensors the comparison of values is stopped and goes on', async ({ page }) => {
  await compare(page, many, more, 'many.safetensors');
  await row(page, /zz\.new\.weight, (added|removed)/).first().waitFor({ state: 'attached' });
  await tabTo(page, /^button Compare values/);
  await page.keyboard.press('Enter');
  await page.getByRole('progressbar', { name: 'Comparing values' }).waitFor({ state: 'attached' });
  await tabTo(page, /^button Cancel/, { back: true });
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^Go on/ }).waitFor({ state: 'attached' });
  assert.ok(await page.locator('#controls [data-id]').count() < 1500, 'only the rows that are seen are elements');
});

const real = process.env.NNSCOPE_TEST_DATA && ['PPO_CartPole-v1_0_0.pth', 'PPO_LunarLander-v2_0_0.pth']
  .map((name) => join(process.env.NNSCOPE_TEST_DATA, 'checkpoints', 'ppo-pytorch', name));
pageTest('two files of others are compared with the keyboard alone', async ({ page }) => {
  await compare(page, real[0], real[1], /CartPole/);
  await row(page, /weight, shape/).first().waitFor({ state: 'attached' });
  await tabTo(page, /^row /);
  await page.keyboard.press('End');
  await page.locator('[role="row"][aria-selected="true"]').first().waitFor({ state: 'attached' });
}, { skip: real && real.every((path) => existsSync(path)) ? false : 'NNSCOPE_TEST_DATA has no such files' });
