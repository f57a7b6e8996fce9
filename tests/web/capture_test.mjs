// What a compiler makes of modules, in the page and by the keyboard alone: examples of ours are compiled and compared
// with what the command line prints; a log that PyTorch wrote opens as a file.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chooseFiles, line, pageTest, tabTo, writeProgram } from './support/suite.mjs';

const kProgram = `import torch
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(4, 4)

    def forward(self, x):
        return torch.relu(self.up(x))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Block()
        self.second = Block()

    def forward(self, x):
        x = self.first(x)
        print("cut")
        return self.second(x)

net = Net()
out = torch.compile(net)(torch.ones(2, 4))
`;

const says = (page, words) => page.getByRole('status').filter({ hasText: words }).first().waitFor({ timeout: 60_000 });

async function fill(page, name, text) {
  await tabTo(page, new RegExp(`^textbox ${name}`));
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

async function openPanel(page, file, name) {
  await chooseFiles(page, file);
  await line(page, name).waitFor({ timeout: 120_000 });
  await page.getByRole('progressbar').first().waitFor({ state: 'detached', timeout: 120_000 });
  await page.keyboard.press('Alt+g');
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Module or function to compile');
}

pageTest('a program is compiled, its break found, its guards tried with other inputs', async ({ page }) => {
  const file = writeProgram('net.py', kProgram);
  await openPanel(page, file, 'net');
  await page.keyboard.press('Enter');
  await says(page, '1 of 2: [0/0] forward');
  await page.getByRole('listitem').filter({ hasText: /net\.py:20, the frame is split/ }).first().waitFor();
  if (process.env.NNSCOPE_PROGRAM) {
    const told = JSON.parse(execFileSync(process.env.NNSCOPE_PROGRAM, ['capture', file, '--json'], { maxBuffer: 1 << 26 }));
    assert.equal(told.frames.length, 2);
    assert.equal(told.breaks[0].line, 20);
    const nodes = told.graphs[0].nodes.length;
    await says(page, `${nodes} nodes`);
  }
  // The drawn graph is walked along its edges.
  await tabTo(page, /^tab Frames/);
  await page.keyboard.press('ArrowRight');
  await tabTo(page, /^img Graph of 6 nodes/);
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.waitForFunction(() => /linear/.test(document.activeElement?.getAttribute('aria-valuetext') ?? document.activeElement?.getAttribute('aria-description') ?? document.activeElement?.textContent ?? ''));
  await page.keyboard.press('.');
  await says(page, '2 of 2: [1/0] torch_dynamo_resume_in_forward_at_20');
  // Another size fails a guard.
  await fill(page, 'Module or function to compile', 'net.first');
  await fill(page, 'Inputs', '3,4');
  await page.keyboard.press('Enter');
  await says(page, '3 of 3: [2/0] forward');
  await fill(page, 'Inputs', '5,4');
  await page.keyboard.press('Enter');
  await says(page, '4 of 4: [2/1] forward');
  await tabTo(page, /^tab Graph/);
  await page.keyboard.press('ArrowLeft');
  // The newest stand at the end of the list.
  await tabTo(page, /^listitem \[0\/0\]/);
  await page.keyboard.press('End');
  await page.getByRole('listitem').filter({ hasText: /size mismatch at index 0\. expected 3, actual 5/ }).first().waitFor();
});

const kLog = process.env.NNSCOPE_TEST_DATA && join(process.env.NNSCOPE_TEST_DATA, 'datasets/torch_trace/comp_metrics.log');
pageTest('a log of TORCH_TRACE shows its compilations', async ({ page }) => {
  await chooseFiles(page, kLog);
  await says(page, '1 of 3: [0/0] fn');
  await page.keyboard.press('Alt+g');
  await tabTo(page, /^tab Frames/);
  await page.keyboard.press('.');
  await says(page, '2 of 3: [1/0] torch_dynamo_resume_in_fn_at_9551');
  await page.keyboard.press('.');
  await says(page, '3 of 3: [2/0] torch_dynamo_resume_in_fn_at_9553');
}, { skip: kLog && existsSync(kLog) ? false : 'NNSCOPE_TEST_DATA names no folder with logs of PyTorch' });
