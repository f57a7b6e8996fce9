// Opening files and walking what is in them, as a person does: by the controls' roles and names.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dropPaths } from './support/browser.mjs';
import { llamaTensors, writeSafetensors, writeShards, writeTorchZip } from './support/fixtures.mjs';
import { chooseFiles, folder, line, openSample, pageTest } from './support/suite.mjs';

const small = writeSafetensors(join(folder, 'small.safetensors'),
  [['encoder.weight', 'F32', [4, 6]], ['encoder.bias', 'F32', [4]], ['head.weight', 'F32', [2, 4]]], { fill: (_, i) => i - 3 });
const llama = writeSafetensors(join(folder, 'llama.safetensors'), llamaTensors({ layers: 12, width: 8, kv: 4, inner: 8, words: 16 }));
const torch = writeTorchZip(join(folder, 'state.pt'), [['conv.weight', [8, 3, 3, 3]], ['conv.bias', [8]]]);
const shardFolder = join(folder, 'sharded');
mkdirSync(shardFolder);
const shards = writeShards(shardFolder);

/// By the keyboard, which brings a control into sight that lies further down.
async function press(page, control) {
  await control.focus();
  await page.keyboard.press('Enter');
}

pageTest('a file that is chosen shows its modules', async ({ page }) => {
  await chooseFiles(page, small);
  await line(page, 'encoder').waitFor();
  await line(page, 'head').waitFor();
});

pageTest('a screen of 3840 by 2160 is filled, and nothing is wider than it', async ({ page }) => {
  await chooseFiles(page, llama);
  await page.getByRole('treeitem').first().waitFor();
  await page.keyboard.press('*');
  await page.waitForFunction(() => document.querySelectorAll('[role="treeitem"]').length > 60);
  const outside = await page.evaluate(() => [...document.querySelectorAll('#controls [data-id]')].filter((element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && (box.right > innerWidth + 1 || box.left < -1);
  }).map((element) => element.getAttribute('aria-label')));
  assert.deepEqual(outside, []);
  const [width, height] = await page.evaluate(() => {
    const canvas = document.getElementById('picture');
    return [canvas.width, canvas.height];
  });
  assert.deepEqual([width, height], [3840, 2160]);
  // Still a tree that the keyboard walks.
  await page.keyboard.press('End');
  await page.getByRole('heading', { name: 'lm_head.weight' }).or(page.getByRole('heading', { level: 1 })).first().waitFor();
}, { width: 3840, height: 2160 });

pageTest('the button opens the picker of the browser', async ({ page }) => {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a file' }).click();
  await (await chooser).setFiles(torch);
  await line(page, 'conv').waitFor();
}, { prepare: () => { delete window.showOpenFilePicker; } });

pageTest('a file that is dropped shows its modules', async ({ page }) => {
  await dropPaths(page, [small]);
  await line(page, 'encoder').waitFor();
});

pageTest('shards that are dropped with their index are one model', async ({ page }) => {
  await dropPaths(page, shards);
  await line(page, 'model').waitFor();
  await line(page, 'lm_head').waitFor();
  assert.equal(await page.getByRole('tab', { name: /model/ }).count(), 1);
});

pageTest('a folder that is dropped is one model', async ({ page }) => {
  await dropPaths(page, [shardFolder]);
  await line(page, 'lm_head').waitFor();
});

pageTest('several files are open beside each other', async ({ page }) => {
  await chooseFiles(page, [small, torch]);
  await page.getByRole('tab', { name: 'small.safetensors' }).click();
  await line(page, 'encoder').waitFor();
  await page.getByRole('tab', { name: 'state.pt' }).click();
  await line(page, 'conv').waitFor();
});

pageTest('a tree is walked with the keyboard alone', async ({ page }) => {
  await chooseFiles(page, small);
  await line(page, 'encoder').focus();
  await page.keyboard.press('ArrowLeft');
  await page.locator('[role="treeitem"][aria-expanded="false"][aria-label^="encoder,"]').waitFor();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.locator('[role="treeitem"][aria-selected="true"][aria-label^="bias,"]').waitFor();
  await page.getByRole('heading', { name: 'encoder.bias' }).waitFor();
  await page.keyboard.press('End');
  await page.getByRole('heading', { name: 'head.weight' }).waitFor();
});

pageTest('Tab reaches the filter, and typing there narrows the tree', async ({ page }) => {
  await chooseFiles(page, llama);
  await line(page, 'model').waitFor();
  const filter = page.getByRole('searchbox', { name: 'Filter' });
  for (let press = 0; press < 30; ++press) {
    await page.keyboard.press('Tab');
    if (await filter.evaluate((element) => element === document.activeElement)) break;
  }
  await page.keyboard.type('down_proj');
  await page.getByRole('status').filter({ hasText: '12 matches' }).first().waitFor();
  await page.waitForFunction(() => document.activeElement.value === 'down_proj');
  await page.keyboard.press('Escape');
  await line(page, 'lm_head').waitFor();
});

pageTest('text can be set by assistive technology and pasted', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await chooseFiles(page, llama);
  const filter = page.getByRole('searchbox', { name: 'Filter' });
  await filter.fill('up_proj');
  await page.getByRole('status').filter({ hasText: '12 matches' }).first().waitFor();
  await page.evaluate(() => navigator.clipboard.writeText('lm_head'));
  await filter.focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Control+V');
  await page.getByRole('status').filter({ hasText: /^1 match$|2 matches/ }).first().waitFor();
});

pageTest('the path of a row is copied to the system clipboard', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await chooseFiles(page, small);
  await line(page, 'head').click();
  await page.getByRole('button', { name: 'Copy the path' }).click();
  await page.waitForFunction(async () => await navigator.clipboard.readText() === 'head');
});

pageTest('a click without a pointer acts like one with it', async ({ page }) => {
  await chooseFiles(page, small);
  await line(page, 'head').waitFor();
  await page.getByRole('button', { name: /^Theme/ }).evaluate((element) => element.click());
  await page.getByRole('button', { name: 'Theme: light' }).waitFor();
});

pageTest('the registries of a sample module are listed in order', async ({ page }) => {
  await openSample(page, /CNN/);
  await page.getByRole('treeitem').first().click();
  await page.getByRole('tab', { name: /Registries/ }).click();
  const rows = page.getByRole('table', { name: 'Attributes in __dict__' }).getByRole('row');
  await rows.first().waitFor();
  // Only rows that are visible are elements: the rest comes with the End key.
  const read = () => rows.evaluateAll((elements) =>
    elements.map((element) => [Number(element.getAttribute('aria-rowindex')), element.getAttribute('aria-label').split(',')[0]]));
  const top = await read();
  await rows.first().focus();
  await page.keyboard.press('End');
  await page.locator('[role="row"][aria-label^="_modules,"]').waitFor();
  const all = new Map([...top, ...(await read())]);
  const names = [...all].sort(([a], [b]) => a - b).map(([, name]) => name);
  const registries = names.filter((name) => ['training', '_parameters', '_buffers', '_modules'].includes(name));
  assert.deepEqual(registries, ['training', '_parameters', '_buffers', '_modules']);
});

pageTest('the hooks of a sample module are listed with their kinds', async ({ page }) => {
  await openSample(page, /CNN/);
  await page.getByRole('treeitem').first().click();
  const hooks = page.getByRole('tab', { name: /Hooks/ });
  await hooks.click();
  const rows = page.getByRole('table', { name: 'Hooks in firing order' }).getByRole('row');
  await rows.first().waitFor();
  const text = (await rows.evaluateAll((elements) => elements.map((element) => element.getAttribute('aria-label')))).join('\n');
  assert.match(text, /_forward_(pre_)?hooks/);
  assert.match(text, /id \d+/);
});

pageTest('a tensor shows its facts and, when asked, its statistics', async ({ page }) => {
  await chooseFiles(page, small);
  await line(page, 'encoder').waitFor();
  await page.locator('[role="treeitem"][aria-label^="weight,"]').first().click();
  await page.getByRole('tab', { name: 'Tensor', exact: true }).click();
  await page.getByRole('img', { name: /Heat map of encoder.weight, 4 rows, 6 columns/ }).waitFor();
  const compute = page.getByRole('button', { name: 'Compute statistics' });
  // Small tensors are counted unasked: then the button goes by itself, perhaps under the click.
  if (await compute.count() > 0) await compute.click({ timeout: 2000 }).catch(() => {});
  await page.getByText('Histogram').first().waitFor({ state: 'attached' });
  // 24 values from -3 to 20.
  await page.getByText('8.5', { exact: true }).first().waitFor({ state: 'attached' });
});

pageTest('statistics of a large tensor can be cancelled while they are counted', async ({ page }) => {
  const large = writeSafetensors(join(folder, 'large.safetensors'), [['big.weight', 'F32', [20_000, 20_000]]]);
  await chooseFiles(page, large);
  await page.locator('[role="treeitem"][aria-label^="weight,"]').first().click();
  await page.getByRole('tab', { name: 'Tensor', exact: true }).click();
  const compute = page.getByRole('button', { name: 'Compute statistics' });
  await press(page, compute);
  await page.getByRole('progressbar').first().waitFor({ state: 'attached' });
  await press(page, page.getByRole('button', { name: 'Cancel', exact: true }));
  await compute.waitFor({ state: 'attached' });
  // The core is alive and answers at once.
  await chooseFiles(page, small);
  await line(page, 'encoder').waitFor({ timeout: 5000 });
});

pageTest('a broken file is told with what is wrong, and others stay open', async ({ page }) => {
  const cut = join(folder, 'cut.safetensors');
  writeFileSync(cut, Buffer.from([255, 255, 255, 255, 255, 255, 255, 127, 123]));
  await chooseFiles(page, small);
  await line(page, 'encoder').waitFor();
  await chooseFiles(page, cut);
  await page.getByRole('alert').first().waitFor();
  await line(page, 'encoder').waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByRole('alert').first().waitFor({ state: 'detached' });
});

for (const [name, bytes] of [['empty', ''], ['text', 'hello, this is no checkpoint'], ['zip without members', 'PK\x05\x06' + '\0'.repeat(18)],
  ['header of two gigabytes', '\x00\x00\x00\x80\x00\x00\x00\x00{}'], ['pickle that never ends', '\x80\x02' + '('.repeat(5000)]]) {
  pageTest(`a file that is no checkpoint is refused: ${name}`, async ({ page }) => {
    const path = join(folder, `${name.replaceAll(' ', '_')}.bin`);
    writeFileSync(path, Buffer.from(bytes, 'latin1'));
    await chooseFiles(page, path);
    await page.getByRole('alert').first().waitFor();
  });
}

pageTest('a file that changed since it was opened is told as that', async ({ page }) => {
  const path = writeSafetensors(join(folder, 'changing.safetensors'), [['a.weight', 'F32', [512, 512]]], { fill: () => 1 });
  await chooseFiles(page, path);
  await page.locator('[role="treeitem"][aria-label^="a,"]').waitFor();
  writeFileSync(path, 'something else');
  await page.locator('[role="treeitem"][aria-label^="weight,"]').first().click();
  await page.getByRole('tab', { name: 'Tensor', exact: true }).click();
  const compute = page.getByRole('button', { name: 'Compute statistics' });
  if (await compute.count() > 0) await press(page, compute);
  await page.getByText(/changed, moved or removed/).first().waitFor({ state: 'attached' });
});

