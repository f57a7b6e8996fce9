// Trainings in the page, with nothing but the static site: recipes by the keyboard alone, hooks that are added while they
// run, and data of one's own; with the test data also MNIST, Fashion-MNIST, iris and a text of Shakespeare's.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chooseFiles, focused, folder, pageTest, tabTo, writeProgram } from './support/suite.mjs';

const data = process.env.NNSCOPE_TEST_DATA ? join(process.env.NNSCOPE_TEST_DATA, 'datasets') : '';
const skip = data && existsSync(data) ? false : 'NNSCOPE_TEST_DATA names no folder with datasets';
const kLong = { timeout: 120_000 };

/// Opens the form of a recipe from the start screen.
async function prepare(page, title) {
  await page.getByRole('button', { name: title }).waitFor({ state: 'attached' });
  await tabTo(page, new RegExp(`^button ${title}`));
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: `Train: ${title}` }).waitFor({ state: 'attached' });
  // What runs programs is loaded for it.
  await page.getByRole('textbox', { name: /^(epochs|steps)$/ }).waitFor({ state: 'attached', ...kLong });
}
/// The first field has the keyboard already, and a field gives it up a moment after Tab.
async function set(page, key, value) {
  const wanted = `textbox ${key}`;
  for (let stop = 0; stop < 60 && await focused(page) !== wanted; ++stop) {
    const before = await focused(page);
    await page.keyboard.press('Tab');
    await page.waitForFunction((old) => {
      const element = document.activeElement;
      return `${element?.getAttribute('role')} ${element?.getAttribute('aria-label') ?? element?.textContent}` !== old;
    }, before);
  }
  assert.equal(await focused(page), wanted);
  await page.keyboard.type(String(value));
}
/// Starts it with Enter in the last field.
async function start(page) {
  await page.keyboard.press('Enter');
  await page.getByRole('main', { name: 'Training' }).waitFor({ state: 'attached', ...kLong });
}
const heading = (page, words) => page.getByRole('heading', { name: words }).waitFor({ state: 'attached', ...kLong });

/// The newest accuracy of the test images, in percent, from the log; waits for the run's end.
async function accuracy(page) {
  await heading(page, /Finished/);
  await tabTo(page, /^tab Step$/, { back: true });
  for (let i = 0; i < 6; ++i) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  const lines = page.getByRole('listitem').filter({ hasText: /test accuracy/ });
  await lines.first().waitFor({ state: 'attached' });
  const text = await lines.last().getAttribute('aria-label') ?? await lines.last().textContent();
  return Number(/test accuracy ([\d.]+) %/.exec(text)[1]);
}

for (const size of [{ width: 1280, height: 800, colorScheme: 'dark' }, { width: 360, height: 740, colorScheme: 'light' }]) {
  pageTest(`moons are learned and a hook is added by keys at ${size.width} x ${size.height}`, async ({ page }) => {
    await prepare(page, 'Spirals or moons in the plane');
    await set(page, 'shape', 'moons');
    await set(page, 'epochs', 1000000);
    await start(page);
    await page.getByRole('img', { name: /^Loss/ }).waitFor({ state: 'attached' });
    await tabTo(page, /^tab Step/);
    for (let i = 0; i < 4; ++i) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Hooks', selected: true }).waitFor({ state: 'attached' });
    await tabTo(page, /^button forward$/);
    await page.keyboard.press('Enter');
    await page.getByRole('listitem').filter({ hasText: /forward hook.*\(\d+, 2\) → \(\d+, 2\)/ }).waitFor({ state: 'attached' });
    await page.keyboard.press('p');
    await heading(page, /Paused/);
    await page.keyboard.press('p');
    await heading(page, /Running/);
  }, size);
}

/// The file that `action` makes the page give out.
async function saved(page, action) {
  const [download] = await Promise.all([page.waitForEvent('download', kLong), action()]);
  return { name: download.suggestedFilename(), path: await download.path() };
}
const program = process.env.NNSCOPE_PROGRAM;

pageTest('a checkpoint is saved while it trains and when it is over, and a program reads it', async ({ page }) => {
  // The dialog of the browser cannot be driven here: without it files are downloads.
  await page.evaluate(() => { delete window.showSaveFilePicker; });
  await prepare(page, 'Spirals or moons in the plane');
  await set(page, 'epochs', 1000000);
  await start(page);
  await page.getByRole('img', { name: /^Loss/ }).waitFor({ state: 'attached' });
  const running = await saved(page, () => page.keyboard.press('c'));
  await tabTo(page, /^button Stop/);
  await page.keyboard.press('Enter');
  await heading(page, /Stopped/);
  const last = await saved(page, () => page.keyboard.press('c'));
  for (const { name, path } of [running, last]) {
    assert.equal(name, 'spirals.pt');
    const bytes = readFileSync(path);
    assert.equal(bytes.toString('latin1', 0, 4), 'PK\x03\x04');
    if (!program) continue;
    const text = `import torch
state = torch.load(${JSON.stringify(path)})
print(state["format"], state["steps"] > 0, sorted(state["parts"]), tuple(state["parts"]["model"]["0.weight"].shape))
`;
    const read = spawnSync(program, ['run', '--allow-read', dirname(path), writeProgram('read.py', text)], { encoding: 'utf8' });
    assert.equal(read.stdout, "nnscope.train 1 True ['model', 'optimizer'] (32, 2)\n", read.stderr);
  }
});

pageTest('a recipe without its data does not start; what is dropped is its data', async ({ page }) => {
  await prepare(page, 'A multi-layer perceptron on MNIST or Fashion-MNIST');
  await page.getByRole('status').filter({ hasText: 'Its data is missing' }).waitFor({ state: 'attached' });
  const sizes = (...all) => Buffer.from([0, 0, 8, all.length, ...all.flatMap((size) => [0, 0, 0, size])]);
  const images = (count) => Buffer.concat([sizes(count, 28, 28), Buffer.alloc(count * 784, 7)]);
  const labels = (count) => Buffer.concat([sizes(count), Buffer.from(Array.from({ length: count }, (_, i) => i % 10))]);
  const files = Object.entries({ 'train-images-idx3-ubyte': images(40), 'train-labels-idx1-ubyte': labels(40),
    't10k-images-idx3-ubyte': images(20), 't10k-labels-idx1-ubyte': labels(20) }).map(([name, bytes]) => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  });
  await chooseFiles(page, files);
  await page.getByRole('status').filter({ hasText: 'ubyte is given' }).waitFor({ state: 'attached' });
  await set(page, 'epochs', 2);
  await start(page);
  await heading(page, /Finished/);
});

pageTest('a table that is no table says which line is wrong', async ({ page }) => {
  await prepare(page, 'Spirals or moons in the plane');
  await chooseFiles(page, [writeProgram('bad.csv', '1,2,a\n3,four,b\n')]);
  await page.getByRole('status').filter({ hasText: 'bad.csv is given' }).waitFor({ state: 'attached' });
  await set(page, 'epochs', 2);
  await start(page);
  await page.getByRole('status').filter({ hasText: /bad\.csv, line 2/ }).waitFor({ state: 'attached' });
});

pageTest('iris is learned', async ({ page }) => {
  await prepare(page, 'Spirals or moons in the plane');
  await chooseFiles(page, [join(data, 'tabular/iris.data')]);
  await set(page, 'epochs', 60);
  await start(page);
  assert.ok(await accuracy(page) >= 90);
}, { skip });

for (const [set_name, least] of [['mnist', 90], ['fashion-mnist', 75]]) {
  pageTest(`a convolutional network learns ${set_name} in the page`, async ({ page }) => {
    await prepare(page, 'A convolutional network on MNIST or Fashion-MNIST');
    await chooseFiles(page, ['train-images-idx3-ubyte', 'train-labels-idx1-ubyte', 't10k-images-idx3-ubyte', 't10k-labels-idx1-ubyte']
      .map((name) => join(data, set_name, `${name}.gz`)));
    await set(page, 'epochs', 1);
    await set(page, 'width', 8);
    await set(page, 'limit', 15000);
    await start(page);
    const reached = await accuracy(page);
    assert.ok(reached >= least, `${reached} % of the test images`);
  }, { skip });
}

pageTest("a GPT learns a text of Shakespeare's letter by letter", async ({ page }) => {
  await prepare(page, 'A small GPT on any text, letter by letter');
  await chooseFiles(page, [join(data, 'text/tinyshakespeare.txt')]);
  await set(page, 'steps', 400);
  await set(page, 'dim', 32);
  await start(page);
  await heading(page, /Finished/);
  const described = await page.getByRole('img', { name: /^Loss/ }).getAttribute('aria-description');
  // 65 kinds of letters begin at ln 65 = 4.17.
  const losses = [...described.matchAll(/\d+\.\d+/g)].map(Number).filter((number) => number > 1 && number < 4.5);
  assert.ok(losses.some((loss) => loss < 2.9), described);
}, { skip });
