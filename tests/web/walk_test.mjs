// A new user who has read README.md and no more: three files that others made, of different formats, and the keyboard alone.
// The answers are held against the facts beside the files, which PyTorch and gguf-py gave.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { focused, line, pageTest, tabTo } from './support/suite.mjs';

const data = process.env.NNSCOPE_TEST_DATA && join(process.env.NNSCOPE_TEST_DATA, 'checkpoints');
const path = (name) => join(data ?? '', name);
const gguf = path('ollama/llama-2-tiny-random.gguf');
const adapters = path('mlx-examples/adapters.safetensors');
const trained = path('burn/mnist.pt');
const trainedAgain = path('burn/mnist.safetensors');
const foreign = path('steerable-nafx/amp_full.pt');
const hostile = path('picklescan/malicious3.pkl');
const skipWithout = (...files) => (data && files.every((file) => existsSync(file)) ? false : 'NNSCOPE_TEST_DATA has no such files');
const facts = (file) => JSON.parse(readFileSync(`${file}.facts.json`, 'utf8'));

// Without the picker that gives handles the page asks with the one that tests can answer.
const prepare = () => {
  delete window.showOpenFilePicker;
};
const status = (page, text) => page.getByRole('status').filter({ hasText: text }).first().waitFor({ state: 'attached' });

/// Ctrl+O, and the file in the browser's own dialog.
async function open(page, file) {
  // On a busy machine the browser may think the key too long ago to show a dialog; a person presses it again.
  let chooser = null;
  for (let tries = 0; !chooser && tries < 8; ++tries) {
    [chooser] = await Promise.all([page.waitForEvent('filechooser', { timeout: 5000 }).catch(() => null),
      page.keyboard.press('Control+o')]);
  }
  assert.ok(chooser, 'Ctrl+O asks for a file');
  await chooser.setFiles(file);
  await page.getByRole('main', { name: file.slice(file.lastIndexOf('/') + 1) }).waitFor({ state: 'attached' });
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'treeitem');
}

/// What `nnscope` says as JSON, whatever its exit status.
function told(...args) {
  try {
    return JSON.parse(execFileSync(process.env.NNSCOPE_PROGRAM, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch (error) {
    return JSON.parse(error.stdout);
  }
}
const hasProgram = Boolean(process.env.NNSCOPE_PROGRAM && existsSync(process.env.NNSCOPE_PROGRAM));

for (const size of [{ width: 1280, height: 800, colorScheme: 'dark' }, { width: 360, height: 740, colorScheme: 'light' }]) {
  const at = `at ${size.width} x ${size.height}`;
  for (const file of [gguf, adapters]) {
    pageTest(`how many parameters are in the attention blocks of ${file.slice(file.lastIndexOf('/') + 1)}, ${at}`, async ({ page }) => {
      const expected = facts(file).tensors.filter(({ name }) => /attn/.test(name)).reduce((sum, { numel }) => sum + numel, 0);
      await page.getByRole('button', { name: 'Choose a file' }).waitFor();
      await open(page, file);
      await page.keyboard.press('/');
      await page.getByRole('searchbox', { name: 'Search', exact: true }).waitFor();
      await page.keyboard.type('attn');
      await status(page, `${expected.toLocaleString('en')} parameters`);
      // Ctrl+Enter shows them in the tree.
      await page.keyboard.press('Control+Enter');
      await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'treeitem');
      await page.keyboard.press('End');
      await page.waitForFunction(() => /attn|weight|lora/.test(document.activeElement?.getAttribute('aria-label') ?? ''));
    }, { prepare, skip: skipWithout(file), ...size });
  }

  pageTest(`which tensors changed between two files, ${at}`, async ({ page }) => {
    const sums = new Map(facts(trainedAgain).tensors.map(({ name, sum }) => [name, sum]));
    const expected = facts(trained).tensors.filter(({ name, sum }) => sums.get(name) !== sum).map(({ name }) => name).sort();
    assert.ok(expected.length > 10);
    await page.getByRole('button', { name: 'Choose a file' }).waitFor();
    await open(page, trained);
    await open(page, trainedAgain);
    await page.keyboard.press('Alt+c');
    await page.getByRole('dialog', { name: 'Compare with' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('table', { name: 'Differences' }).waitFor();
    await status(page, `${expected.length} different`);
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'row');
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-rowindex') === '1');
    const found = [];
    for (let row = 0; row < expected.length; ++row) {
      const words = await focused(page);
      found.push(/^row (\S+), (.*)$/.exec(words)?.[1]);
      assert.match(words, /values/);
      await page.keyboard.press('ArrowDown');
      if (row + 1 < expected.length) await page.waitForFunction((before) => document.activeElement?.getAttribute('aria-label') !== before, words.slice(4));
    }
    assert.deepEqual(found.sort(), expected);
    if (hasProgram) {
      const { changes } = told('diff', trained, trainedAgain, '--values', '--json');
      assert.deepEqual(changes.map(({ b }) => b).sort(), expected, 'the command says the same');
    }
  }, { prepare, skip: skipWithout(trained, trainedAgain), ...size });

  pageTest(`is this file safe, ${at}`, async ({ page }) => {
    await page.getByRole('button', { name: 'Choose a file' }).waitFor();
    const allowed = /^(torch\._utils|torch\.[a-z]+Storage|torch\.FloatStorage|torch\.LongStorage|collections\.OrderedDict)/;
    for (const [file, verdict] of [[trained, 'safe'], [foreign, 'unknown'], [hostile, 'dangerous']]) {
      await open(page, file);
      await page.keyboard.press('Control+p');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.type('safety');
      await page.getByRole('option', { name: /^Safety/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('table', { name: 'Globals that the pickles name' }).waitFor();
      const names = facts(file).globals.map((entry) => (typeof entry === 'string' ? entry : entry.name ?? entry.global));
      if (verdict === 'safe') {
        await page.getByRole('heading', { name: /^Safe/ }).or(page.getByText(/^Safe/)).first().waitFor({ state: 'attached' });
      } else {
        // What is no part of PyTorch or Python stands in the table as what it is.
        for (const name of names.filter((entry) => verdict === 'dangerous' || /^__main__\./.test(entry))) {
          await page.getByRole('row', { name: new RegExp(`^${verdict}, ${name.replace(/[.]/g, '\\.')}`, 'i') }).first().waitFor({ state: 'attached' });
        }
      }
      assert.ok(names.length > 0 && (verdict !== 'safe' || names.every((name) => allowed.test(name))), names.join(' '));
    }
  }, { prepare, skip: skipWithout(trained, foreign, hostile), ...size });
}
