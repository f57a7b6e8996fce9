// What a compiler makes of modules, in the page and by the keyboard alone: examples of ours are compiled and compared
// with what the command line prints; a log that PyTorch wrote opens as a file.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zipOf } from './support/fixtures.mjs';
import { chooseFiles, focused, folder, line, pageTest, tabTo, writeProgram } from './support/suite.mjs';

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

pageTest('Tab goes on from where the last key led, before the browser has drawn that', async ({ page }) => {
  await openPanel(page, writeProgram('slow.py', kProgram), 'net');
  await page.keyboard.press('Enter');
  await says(page, '1 of 2: [0/0] forward');
  await tabTo(page, /^tab Frames/);
  await page.evaluate(() => {
    window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 2000);
  });
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Tab');
  assert.match(await focused(page), /^img Graph of 6 nodes/);
});

pageTest('the graphs of torch.cond are opened from the graph that runs them, and left', async ({ page }) => {
  const file = writeProgram('choice.py', `import torch

class Choice(torch.nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos().tan(), (x,))

choice = Choice()
`);
  await openPanel(page, file, 'choice');
  await fill(page, 'Inputs', '1,4');
  await page.keyboard.press('Enter');
  await says(page, '1 of 1: [0/0] forward');
  await tabTo(page, /^tab Frames/);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.getByRole('tab', { name: /^Nodes/, selected: true }).waitFor();
  await tabTo(page, /^listitem l_x_/);
  // Behind it stand the sum, its comparison and the two graphs.
  for (let step = 0; step < 4; ++step) await page.keyboard.press('ArrowDown');
  await page.waitForFunction(() => /^cond_false_0/.test(document.activeElement?.textContent ?? ''));
  await page.keyboard.press('Enter');
  await page.getByText('dynamo_output_graph \u203a cond_false_0 (3 of 3)').first().waitFor({ state: 'attached' });
  await page.getByRole('listitem').filter({ hasText: /^tan/ }).first().waitFor();
  await page.keyboard.press('Alt+ArrowUp');
  await page.getByText('dynamo_output_graph (1 of 3)').first().waitFor({ state: 'attached' });
  await page.getByRole('listitem').filter({ hasText: /^cond_true_0/ }).first().waitFor();
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

const kPackage = process.env.NNSCOPE_TEST_DATA && join(process.env.NNSCOPE_TEST_DATA, 'checkpoints/executorch/linear.pt2');
pageTest('a package that torch.export saved shows its program beside its weights', async ({ page }) => {
  await chooseFiles(page, kPackage);
  await line(page, 'linear').first().waitFor();
  await page.keyboard.press('Alt+g');
  await says(page, '1 of 1: exported program');
  // The graph is walked, and a node leads to its module in the tree of weights.
  await tabTo(page, /^tab Graph/);
  await tabTo(page, /^img Graph of 5 nodes/);
  await tabTo(page, /^tab Graph/);
  await page.keyboard.press('ArrowRight');
  await page.getByRole('tab', { name: /^Nodes/, selected: true }).waitFor();
  await tabTo(page, /^listitem p_linear_weight/);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('treeitem', { selected: true, name: /^linear/ }).waitFor();
  await tabTo(page, /^tab Nodes/);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  for (const words of ['input x: user input, f32[3]', 'output linear: user output, f32[3]', 'input p_linear_weight: parameter linear.weight']) {
    await page.getByRole('listitem').filter({ hasText: words }).first().waitFor();
  }
}, { skip: kPackage && existsSync(kPackage) ? false : 'NNSCOPE_TEST_DATA names no folder with packages of PyTorch' });

/// A package whose graph has that many calls, one after the other.
function largePackage(calls) {
  const tensor = (name) => ({ as_tensor: { name } });
  const meta = { dtype: 7, sizes: [{ as_int: 8 }, { as_int: 16 }], requires_grad: false, strides: [], layout: 7 };
  const nodes = Array.from({ length: calls }, (_, i) => ({
    target: 'torch.ops.aten.relu.default',
    inputs: [{ name: 'self', arg: tensor(i === 0 ? 'x' : `relu_${i - 1}`), kind: 1 }],
    outputs: [tensor(`relu_${i}`)],
    metadata: { nn_module_stack: `L__self__,,net.Net;L__self__b,blocks.${i >> 6},net.Block` },
  }));
  const values = { x: meta };
  for (let i = 0; i < calls; ++i) values[`relu_${i}`] = meta;
  const program = {
    graph_module: {
      graph: { inputs: [tensor('x')], outputs: [tensor(`relu_${calls - 1}`)], nodes, tensor_values: values },
      signature: { input_specs: [{ user_input: { arg: tensor('x') } }], output_specs: [] },
    },
    schema_version: { major: 8, minor: 14 },
  };
  return zipOf([['net/archive_format', Buffer.from('pt2')], ['net/models/model.json', Buffer.from(JSON.stringify(program))]]);
}

pageTest('a package of 100,000 calls: its reading is cancelled, begun again, and its last call found', async ({ page }) => {
  const path = join(folder, 'large.pt2');
  writeFileSync(path, largePackage(100_000 - 2));
  await chooseFiles(page, path);
  await line(page, 'graph').waitFor({ timeout: 60_000 });
  await page.keyboard.press('Alt+g');
  await says(page, 'Reading the programs');
  await tabTo(page, /^button Cancel/);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Read the programs' }).waitFor();
  await tabTo(page, /^button Read the programs/, { back: true });
  await page.keyboard.press('Enter');
  await says(page, '1 of 1: exported program');
  await says(page, '100,000 nodes');
  await tabTo(page, /^tab Graph/);
  await page.keyboard.press('ArrowRight');
  await page.getByRole('tab', { name: /^Nodes/, selected: true }).waitFor();
  await tabTo(page, /^listitem x/);
  await page.keyboard.press('End');
  await page.getByRole('listitem').filter({ hasText: /^output/ }).first().waitFor();
});
