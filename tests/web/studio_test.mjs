// The studio in the page, by the keyboard alone: a program is recorded, stepped through forward and back, stopped where
// a registry changes and where a hook fires, looked at a hundred thousand events on; one that does not end is stopped.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { kTop } from './support/browser.mjs';
import { chooseFiles, line, pageTest, tabTo, writeProgram } from './support/suite.mjs';

const listed = (page, text) => page.getByRole('listitem').filter({ hasText: text }).first().waitFor({ timeout: 60_000 });
const said = (page, text) => page.getByRole('status').filter({ hasText: text }).first().waitFor({ timeout: 60_000 });

const kNet = `import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Linear(3, 2)
    def forward(self, x):
        return self.conv1(x)
def hook(module, args):
    seen = len(args)
net = Net()
handle = net.conv1.register_forward_pre_hook(hook)
print('made')
out = net(torch.ones(1, 3))
print('called')
`;

async function record(page) {
  await page.keyboard.press('Control+Shift+Enter');
  await page.getByRole('slider', { name: 'Event' }).waitFor({ timeout: 120_000 });
}

async function toggleStop(page, name) {
  await tabTo(page, new RegExp(`^checkbox Stop at: ${name}`));
  await page.keyboard.press('Space');
}

pageTest('a registry changes and a hook fires: each is found, told and undone by a step back', async ({ page }) => {
  await chooseFiles(page, writeProgram('net.py', kNet));
  await listed(page, 'called');
  await record(page);
  await listed(page, '1, runs: import torch');
  await toggleStop(page, 'Registry');
  for (let i = 0; i < 3; ++i) await page.keyboard.press('c');
  await said(page, '`_modules` of `Net` got `conv1`.');
  await page.keyboard.press('.');
  await said(page, '`conv1` is a Module, so `__setattr__` put it into `_modules`; it is not in `__dict__`.');
  await page.keyboard.press(',');
  await said(page, '`_modules` of `Net` got `conv1`.');
  await toggleStop(page, 'Registry');
  await toggleStop(page, 'Hook');
  await page.keyboard.press('c');
  await said(page, 'Hook 0 is about to run, from `_forward_pre_hooks` of `Linear`');
  await page.keyboard.press('s');
  await listed(page, 'runs:     seen = len(args)');
  await listed(page, 'Linear.__call__');
  assert.equal(await page.getByRole('listitem').filter({ hasText: /^called$/ }).count(), 0, 'what is written later is not there yet');
});

pageTest('a model of ours is recorded while it trains, and an event far on is shown at once', async ({ page }) => {
  await chooseFiles(page, join(kTop, 'examples/char_lstm.py'));
  await line(page, 'model').waitFor({ timeout: 120_000 });
  await page.getByRole('progressbar').first().waitFor({ state: 'detached', timeout: 120_000 });
  await record(page);
  await page.getByRole('button', { name: 'Record again' }).waitFor({ timeout: 180_000 });
  await tabTo(page, /^slider Event/);
  await page.keyboard.press('End');
  await said(page, 'The program has ended.');
});

pageTest('a program that does not end: stopped, recorded, stopped again, and its hundred-thousandth event looked at', async ({ page }) => {
  await chooseFiles(page, writeProgram('endless.py', 'n = 0\nwhile True:\n    n += 1\n'));
  await tabTo(page, /^button Stop/);
  await page.keyboard.press('Enter');
  await listed(page, 'KeyboardInterrupt');
  await record(page);
  const events = () => page.evaluate(() => Number(document.querySelector('[role=slider][aria-label=Event]')?.getAttribute('aria-valuemax')));
  while (await events() < 100_000) await page.waitForTimeout(100);
  await tabTo(page, /^button Stop/);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Record again' }).waitFor({ timeout: 60_000 });
  await tabTo(page, /^slider Event/);
  await page.keyboard.press('End');
  await said(page, /ended|full/);
  // A tenth of the way back, in the middle of the loop.
  await page.keyboard.press('PageDown');
  await listed(page, /^n: \d{5,}/);
});
