// Programs in the page, by the keyboard alone: what they write, what is typed to them, a hundred thousand lines, a stop.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { kTop } from './support/browser.mjs';
import { chooseFiles, focused, line, pageTest, tabTo, writeProgram } from './support/suite.mjs';

const written = (page, text) => page.getByRole('listitem').filter({ hasText: text }).first().waitFor();

async function type(page, text) {
  await page.keyboard.press('Control+Backquote');
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Python');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

pageTest('a model of ours is built, trained and asked about', async ({ page }) => {
  await chooseFiles(page, join(kTop, 'examples/vae.py'));
  await line(page, 'model').waitFor({ timeout: 120_000 });
  await page.getByRole('progressbar').first().waitFor({ state: 'detached', timeout: 120_000 });
  await type(page, "'encoder' in model.__dict__, len(list(model.parameters())) > 0");
  await written(page, '(False, True)');
  assert.match(await focused(page), /Python/);
  await type(page, 'model.extra = torch.nn.Linear(3, 4)');
  await page.keyboard.press('Control+f');
  await page.keyboard.type('extra.weight');
  await page.getByRole('option', { name: /extra\.weight/ }).first().waitFor();
});

pageTest('a program that does not end writes a hundred thousand lines and is stopped', async ({ page }) => {
  await chooseFiles(page, writeProgram('endless.py', 'n = 0\nwhile True:\n    n += 1\n    print("line", n)\n    if n == 100000: print("many")\n'));
  await written(page, 'line');
  await page.getByRole('listitem').filter({ hasText: /^line \d{6}$/ }).first().waitFor({ timeout: 60_000 });
  assert.ok(await page.getByRole('listitem').count() < 100, 'only the lines that are seen are elements');
  await tabTo(page, /^button Stop/);
  await page.keyboard.press('Enter');
  await written(page, 'KeyboardInterrupt');
  await type(page, 'n > 99999');
  await written(page, 'True');
});

pageTest('a program that holds too much is told before the browser ends it, and the tab goes on', async ({ page }) => {
  await chooseFiles(page, writeProgram('greedy.py', 'import torch\nkept = []\nwhile True:\n    kept.append(torch.empty(50_000_000))\n'));
  await written(page, /(Memory|Runtime)Error/);
  await type(page, 'len(kept) > 10');
  await written(page, 'True');
  // What it held is free again. In the same pieces: small objects may lie between them, so that no larger one need fit.
  await type(page, 'kept.clear(); kept.extend(torch.empty(50_000_000) for _ in range(12)); sum(one.numel() for one in kept)');
  await written(page, '600000000');
});

pageTest('an error is told with its line, and a program that is pasted is opened', async ({ page }) => {
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData('text/plain', 'import torch\nx = torch.ones(2)\nx.missing\n');
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await written(page, 'line 3, in <module>');
  await written(page, "AttributeError: 'Tensor' object has no attribute 'missing'");
  await line(page, 'x').waitFor();
});
