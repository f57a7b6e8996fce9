// Links, the browser's history, loading the page again, and files that the browser lets open again: with the keyboard alone.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { axe } from './support/axe.mjs';
import { expertTensors, writeSafetensors, safetensorsHeader } from './support/fixtures.mjs';
import { chooseFiles, eachLook, folder, openSample, pageTest, suite } from './support/suite.mjs';

const tensors = [0, 1].flatMap((block) => [[`h.${block}.attn.weight`, 'F32', [8, 8]], [`h.${block}.mlp.weight`, 'F32', [8, 16]]]);
const small = writeSafetensors(join(folder, 'small.safetensors'), tensors);
const many = writeSafetensors(join(folder, 'experts.safetensors'), expertTensors());

const hash = (page, pattern) => page.waitForFunction((source) => new RegExp(source).test(location.hash), pattern.source);
const heading = (page, name) => page.getByRole('heading', { name, exact: true }).waitFor();
const hasKeyboard = (page, role) => page.waitForFunction((wanted) => document.activeElement?.getAttribute('role') === wanted, role);

async function find(page, words) {
  await page.keyboard.press('/');
  await page.getByRole('searchbox', { name: 'Search', exact: true }).waitFor();
  await page.keyboard.type(words);
  await page.getByRole('status').filter({ hasText: /^1 of/ }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/// Puts a safetensors file into the page's own file system, whose handles are as those of files on the disk, and lets the
/// picker give it.
async function keepFile(page, name, list) {
  const { head, dataSize } = safetensorsHeader(list);
  await page.evaluate(async ([file, bytes, size]) => {
    const handle = await (await navigator.storage.getDirectory()).getFileHandle(file, { create: true });
    const writable = await handle.createWritable();
    await writable.write(new Uint8Array(bytes));
    await writable.write(new Uint8Array(size));
    await writable.close();
    window.showOpenFilePicker = async () => [handle];
  }, [name, [...head], dataSize]);
}

eachLook('the address says where the person is, and back and forward lead there', async ({ page }) => {
  await chooseFiles(page, small);
  await hasKeyboard(page, 'treeitem');
  await find(page, 'h.1.attn');
  await hash(page, /^#file=small\.safetensors&select=h\.1\.attn/);
  await find(page, 'h.0.mlp kind:module');
  await heading(page, 'h.0.mlp');
  await hash(page, /select=h\.0\.mlp/);
  await page.goBack();
  await heading(page, 'h.1.attn');
  await page.goForward();
  await heading(page, 'h.0.mlp');
  await page.keyboard.press('Alt+ArrowLeft');
  await heading(page, 'h.1.attn');
  await hash(page, /select=h\.1\.attn/);
  await hasKeyboard(page, 'treeitem');
  await page.keyboard.press('Backspace');
  await page.waitForFunction(() => !location.hash.includes('select'));
  await page.keyboard.press('Alt+ArrowRight');
  await heading(page, 'h.1.attn');
});

pageTest('a link that is copied opens the same place in another tab', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openSample(page, /GPT/);
  await find(page, 'h.3.attn kind:module');
  await heading(page, 'transformer.h.3.attn');
  await page.getByRole('tab', { name: 'Hooks' }).click();
  await hash(page, /tab=hooks/);
  await page.keyboard.press('Alt+l');
  await page.getByRole('status').filter({ hasText: 'Link copied' }).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(link, /#sample=[\w-]+&select=transformer\.h\.3\.attn&tab=hooks$/);
  const other = await context.newPage();
  await other.goto(link);
  await heading(other, 'transformer.h.3.attn');
  await other.locator('[role="tab"][aria-selected="true"]').filter({ hasText: '' }).getByText('Hooks').or(
    other.locator('[role="tab"][aria-selected="true"][aria-label="Hooks"]')).first().waitFor();
  assert.equal(await other.evaluate(() => location.href), link);
});

pageTest('an address with a place in it opens there, and a page that is loaded again comes back', async ({ page }) => {
  const address = encodeURIComponent(`${suite.files}/files/small.safetensors`);
  await page.goto('about:blank');
  await page.goto(`${suite.server.address}/?url=${address}#select=h.1.mlp`);
  await heading(page, 'h.1.mlp');
  await hash(page, /^#url=.*select=h\.1\.mlp/);
  await page.reload();
  await heading(page, 'h.1.mlp');
});

pageTest('a file without a way back to it is asked for by its name', async ({ page }) => {
  await chooseFiles(page, small);
  await hasKeyboard(page, 'treeitem');
  await find(page, 'h.1.attn');
  await hash(page, /select=h\.1\.attn/);
  await page.reload();
  await page.getByRole('status').filter({ hasText: 'small.safetensors was open here before' }).waitFor();
  await page.getByRole('button', { name: 'Forget small.safetensors' }).waitFor();
  await axe(page);
  await chooseFiles(page, small);
  await heading(page, 'h.1.attn');
});

pageTest('a file with a handle is there again after the page was loaded anew, and among what was opened lately', async ({ page }) => {
  await keepFile(page, 'kept.safetensors', tensors);
  await page.getByRole('button', { name: 'Choose a file' }).focus();
  await page.keyboard.press('Enter');
  await hasKeyboard(page, 'treeitem');
  await find(page, 'h.0.mlp kind:module');
  await hash(page, /^#file=kept\.safetensors&select=h\.0\.mlp/);
  await page.reload();
  await heading(page, 'h.0.mlp');
  await page.goto('about:blank');
  await page.goto(`${suite.server.address}/`);
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  const recent = page.getByRole('button', { name: 'Open kept.safetensors' });
  await recent.waitFor();
  await axe(page);
  await recent.focus();
  await page.keyboard.press('Enter');
  await hasKeyboard(page, 'treeitem');
});

pageTest('a file that is watched is opened again when it changes', async ({ page }) => {
  await keepFile(page, 'live.safetensors', tensors);
  await page.getByRole('button', { name: 'Choose a file' }).focus();
  await page.keyboard.press('Enter');
  await hasKeyboard(page, 'treeitem');
  await page.keyboard.press('Control+p');
  await page.keyboard.type('watch files');
  await page.getByRole('option', { name: /^Watch files/ }).waitFor();
  await page.keyboard.press('Enter');
  await find(page, 'h.1.mlp kind:module');
  await page.waitForTimeout(1500);  // the watcher has seen it as it was
  await keepFile(page, 'live.safetensors', [...tensors, ['h.1.mlp.extra', 'F32', [4]]]);
  await page.getByRole('treeitem', { name: /^extra/ }).or(page.getByRole('status').filter({ hasText: 'has changed' })).first().waitFor();
  await heading(page, 'h.1.mlp');
  await page.getByRole('main', { name: 'live.safetensors' }).waitFor();
  await find(page, 'extra');
  await heading(page, 'h.1.mlp.extra');
});

pageTest('two documents stand side by side, among 92,000 tensors too', async ({ page }) => {
  await chooseFiles(page, small);
  await hasKeyboard(page, 'treeitem');
  await chooseFiles(page, many);
  await page.getByRole('main', { name: 'experts.safetensors' }).waitFor();
  await page.keyboard.press('Control+\\');
  await page.getByRole('region', { name: 'small.safetensors', exact: true }).waitFor();
  assert.equal(await page.getByRole('tree').count(), 2);
  await axe(page);
  await page.keyboard.press('Alt+PageUp');
  await page.getByRole('main', { name: 'small.safetensors' }).waitFor();
  await find(page, '61.mlp.experts.255 kind:module');
  await heading(page, 'model.layers.61.mlp.experts.255');
  await page.getByRole('main', { name: 'experts.safetensors' }).waitFor();
});

const real = process.env.NNSCOPE_TEST_DATA && join(process.env.NNSCOPE_TEST_DATA, 'checkpoints', 'burn', 'mnist.safetensors');
pageTest('a slice of a tensor of a file of others has a link', async ({ page }) => {
  await chooseFiles(page, real);
  await hasKeyboard(page, 'treeitem');
  await find(page, 'fc1.weight');
  await hash(page, /select=fc1\.weight/);
  await page.evaluate(() => { location.hash = 'file=mnist.safetensors&select=fc1.weight&tensor=%5B3:9,%20:%5D'; });
  await page.getByRole('img', { name: /^Heat map of .*6 rows/ }).waitFor();
  await hash(page, /tensor=/);
}, { skip: real && existsSync(real) ? false : 'NNSCOPE_TEST_DATA has no such file' });

pageTest('the splitter moves with the keyboard, and is where it was when the page is loaded again', async ({ page }) => {
  await openSample(page, /CNN/);
  const splitter = page.getByRole('separator', { name: 'Width of the tree' });
  await splitter.focus();
  const before = Number(await splitter.getAttribute('aria-valuenow'));
  for (let press = 0; press < 4; ++press) await page.keyboard.press('ArrowRight');
  await page.waitForFunction((than) => Number(document.querySelector('[aria-label="Width of the tree"]').getAttribute('aria-valuenow')) > than + 2, before);
  await page.waitForTimeout(500);
  const after = await splitter.getAttribute('aria-valuenow');
  await page.reload();
  await page.getByRole('tree').waitFor();
  assert.equal(await splitter.getAttribute('aria-valuenow'), after);
});

pageTest('a comparison has a link, a history, and is there again after the page was loaded anew', async ({ page }) => {
  const names = ['first.safetensors', 'second.safetensors'];
  for (const [i, name] of names.entries()) {
    await keepFile(page, name, [...tensors, [`only.in.${i}`, 'F32', [3 + i]]]);
    await page.keyboard.press('Control+o');
    await page.getByRole('main', { name }).waitFor({ state: 'attached' });
  }
  await page.keyboard.press('Alt+c');
  await page.getByRole('dialog', { name: 'Compare with' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('table', { name: 'Differences' }).waitFor();
  await hash(page, /^#file=second\.safetensors&with-file=first\.safetensors&select/);
  await hasKeyboard(page, 'row');
  const first = await page.evaluate(() => location.hash);
  await page.keyboard.press('ArrowDown');
  await page.waitForFunction((before) => location.hash !== before, first);
  const second = await page.evaluate(() => location.hash);
  await page.goBack();
  await page.waitForFunction((wanted) => location.hash === wanted, first);
  await page.keyboard.press('Alt+ArrowRight');
  await page.waitForFunction((wanted) => location.hash === wanted, second);
  await page.reload();
  await page.getByRole('table', { name: 'Differences' }).waitFor();
  await page.waitForFunction((wanted) => location.hash === wanted, second);
  assert.deepEqual(await page.getByRole('tab').evaluateAll((all) => all.map((tab) => tab.getAttribute('aria-label'))),
    [...names, 'second.safetensors → first.safetensors'], 'the tabs are in their places');
});
