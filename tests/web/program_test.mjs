// Programs in the page, by the keyboard alone: what they write, what is typed to them, a hundred thousand lines, a stop.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dropPaths, kTop } from './support/browser.mjs';
import { chooseFiles, focused, folder, line, pageTest, tabTo, writeProgram } from './support/suite.mjs';

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

pageTest('a program that is dropped runs', async ({ page }) => {
  await dropPaths(page, [writeProgram('dropped.py', 'import torch\nnet = torch.nn.Linear(2, 3)\nprint("dropped", net.weight.shape)\n')]);
  await written(page, 'dropped torch.Size([3, 2])');
  await line(page, 'net').waitFor();
});

pageTest('a folder of a program is dropped: what the others are imported by runs, and reads what lies beside it', async ({ page }) => {
  const own = join(folder, 'project');
  mkdirSync(join(own, 'data'), { recursive: true });
  for (const [name, text] of Object.entries({
    'fit.py': 'import json\nimport net as model\nsize = json.load(open("config.json"))["size"]\nmade = model.make(size)\nprint("size", size, len(open("data/points.txt").read()))\n',
    'net.py': 'import torch\ndef make(size):\n    return torch.nn.Linear(size, 1)\nprint("net is imported as", __name__)\n',
    'test_net.py': 'import net\nraise RuntimeError("a test ran")\n',
    'config.json': '{"size": 7}',
    'README.md': '# A project\n\n```python\nimport net\n```\n',
    'data/points.txt': '12345',
  })) writeFileSync(join(own, name), text);
  await dropPaths(page, [own]);
  await written(page, 'net is imported as net');
  await written(page, 'size 7 5');
  await line(page, 'made').waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  assert.equal(await page.getByRole('button', { name: /^Close / }).count(), 1, 'one program is opened');
});

pageTest('a program, its module and its data are chosen together: the program runs, and nothing is told as not opened', async ({ page }) => {
  await chooseFiles(page, [writeProgram('aaa_main.py', 'import zzz_part\nprint("sum", zzz_part.add("rows.csv"))\n'),
    writeProgram('zzz_part.py', 'def add(name):\n    return sum(int(row) for row in open(name))\n'), writeProgram('rows.csv', '1\n2\n39\n')]);
  await written(page, 'sum 42');
  await page.getByRole('main', { name: 'aaa_main.py' }).waitFor({ state: 'attached' });
  assert.equal(await page.getByRole('alert').count(), 0);
  assert.equal(await page.getByRole('button', { name: /^Close / }).count(), 1);
});

pageTest('an example of the start screen is opened by keys, trains and has its model in the tree', async ({ page }) => {
  await page.getByRole('button', { name: 'diffusion.py' }).waitFor({ state: 'attached' });
  await tabTo(page, /^button diffusion\.py/);
  await page.keyboard.press('Enter');
  await page.getByRole('main', { name: 'diffusion.py' }).waitFor({ timeout: 120_000 });
  await line(page, 'model').waitFor({ timeout: 120_000 });
  await page.getByRole('progressbar').first().waitFor({ state: 'detached', timeout: 120_000 });
  await type(page, 'len(list(model.parameters())) > 0');
  await written(page, 'True');
});
