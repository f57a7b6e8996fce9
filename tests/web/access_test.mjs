// No panel and no dialog breaks a rule of accessibility: axe-core looks at each, wide and narrow, and the keyboard is where
// it can be seen.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { axe } from './support/axe.mjs';
import { expertTensors, writeSafetensors, writeTorchZip } from './support/fixtures.mjs';
import { chooseFiles, folder, pageTest, tabTo, writeProgram } from './support/suite.mjs';

const wave = (_, i) => Math.sin(i / 7) * Math.cos(i / 91);
const layers = (names) => names.flatMap((name) => [[`${name}.attn.weight`, 'F32', [16, 24]], [`${name}.mlp.weight`, 'F32', [24, 16]]]);
const model = writeSafetensors(join(folder, 'model.safetensors'), [...layers(['h.0', 'h.1']), ['head.weight', 'F32', [5]]], { fill: wave });
const tuned = writeSafetensors(join(folder, 'tuned.safetensors'), [...layers(['module.h.0', 'module.h.1']), ['module.new.weight', 'F32', [3]]],
  { fill: (name, i) => wave(name, i) + (name.includes('h.1') ? 0.5 : 0) });
const equal = writeSafetensors(join(folder, 'equal.safetensors'), [...layers(['h.0', 'h.1']), ['head.weight', 'F32', [5]]], { fill: wave });
const pickled = writeTorchZip(join(folder, 'state.pt'), [['conv.weight', [8, 3, 3, 3]], ['conv.bias', [8]]]);
const many = writeSafetensors(join(folder, 'experts.safetensors'), expertTensors());
const long = writeSafetensors(join(folder, `${'a_very_long_name_of_a_model_'.repeat(4)}.safetensors`),
  [[`${'quite_a_long_module_name.'.repeat(8)}weight`, 'F32', [2, 2]]], { fill: wave });

const looks = [{ width: 1600, height: 1000, colorScheme: 'dark' }, { width: 360, height: 740, colorScheme: 'light' }];
const named = ({ width, colorScheme }) => `${width} px wide, ${colorScheme}`;

async function open(page, files) {
  await chooseFiles(page, files);
  await page.getByRole('treeitem').first().waitFor();
}
async function command(page, words, name) {
  await page.keyboard.press('Control+p');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type(words);
  await page.getByRole('option', { name }).first().waitFor();
  await page.keyboard.press('Enter');
}
async function compare(page, files) {
  await open(page, files);
  await page.getByRole('tab', { name: /tuned|equal|model/ }).first().waitFor();
  await page.keyboard.press('Alt+c');
  await page.getByRole('dialog', { name: 'Compare with' }).waitFor();
}
/// Where the keyboard is can be named: it has not fallen out of the page.
const hasFocus = (page, where) => page.waitForFunction(() => Boolean(document.activeElement?.dataset.id))
  .catch(() => assert.fail(`the keyboard is nowhere: ${where}`));

for (const look of looks) {
  pageTest(`start, search, commands and keys, ${named(look)}`, async ({ page }) => {
    await axe(page, 'start');
    await open(page, model);
    await axe(page, 'tree and summary');
    await page.keyboard.press('/');
    await page.getByRole('searchbox', { name: 'Search', exact: true }).waitFor();
    await axe(page, 'examples of searches');
    await page.keyboard.type('attn');
    await page.getByRole('option').first().waitFor();
    await axe(page, 'answers');
    await page.keyboard.type(' shape:(');
    await page.getByRole('alert').or(page.getByRole('status')).first().waitFor({ state: 'attached' });
    await axe(page, 'a query that cannot be read');
    await page.keyboard.press('Escape');
    await hasFocus(page, 'after the search');
    await page.keyboard.press('Control+p');
    await page.getByRole('option').first().waitFor();
    await axe(page, 'commands');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await axe(page, 'keys');
    await page.keyboard.press('Escape');
    await hasFocus(page, 'after the keys');
  }, look);

  pageTest(`tensor, numbers and statistics, ${named(look)}`, async ({ page }) => {
    await open(page, model);
    await page.keyboard.press('*');
    await page.keyboard.press('End');
    await page.locator('[role="img"][aria-label^="Heat map of"]').waitFor({ state: 'attached' });
    await page.getByText('Quantiles').first().waitFor({ state: 'attached' });
    await axe(page, 'heat map and statistics of a tensor');
    await tabTo(page, /^button Numbers/);
    await page.keyboard.press('Enter');
    await page.getByRole('table', { name: /Values|Numbers/ }).waitFor({ state: 'attached' });
    await axe(page, 'numbers');
    await page.keyboard.press('Alt+s');
    await page.getByRole('table', { name: /[Ss]tatistics/ }).waitFor({ state: 'attached' });
    await axe(page, 'statistics of all tensors');
  }, look);

  pageTest(`map and safety, ${named(look)}`, async ({ page }) => {
    await open(page, pickled);
    await page.keyboard.press('Alt+m');
    await page.locator('[role="img"][aria-label^="Map of"]').waitFor({ state: 'attached' });
    await axe(page, 'map');
    await command(page, 'safety', /^Safety/);
    await page.getByRole('table', { name: 'Globals that the pickles name' }).waitFor();
    await axe(page, 'safety');
    await open(page, many);
    await page.getByRole('tab', { name: 'experts.safetensors' }).waitFor();
    await page.keyboard.press('Alt+m');
    await page.locator('[role="img"][aria-label^="Map of"]').waitFor({ state: 'attached' });
    await axe(page, 'map of 92,000 tensors');
  }, look);

  pageTest(`comparison as a list, as trees, of parts, and of equal files, ${named(look)}`, async ({ page }) => {
    await compare(page, [model, tuned]);
    await axe(page, 'what to compare with');
    // The second file may be the shown one already.
    await page.getByRole('option', { name: /tuned|model/ }).waitFor({ state: 'attached' });
    await page.keyboard.press('Enter');
    await page.getByRole('table', { name: 'Differences' }).waitFor();
    await page.getByRole('status').filter({ hasText: /^Values: / }).first().waitFor({ state: 'attached' });
    await axe(page, 'differences');
    await hasFocus(page, 'in the list of differences');
    await page.keyboard.press('End');
    await axe(page, 'another difference');
    await tabTo(page, /^button Trees/, { back: true });
    await page.keyboard.press('Enter');
    await page.getByRole('tree', { name: 'Both trees' }).waitFor();
    await axe(page, 'both trees');
    await tabTo(page, /^button Sort( |$)/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Sort by' }).waitFor();
    await axe(page, 'sort by');
    await page.keyboard.press('Escape');
    await hasFocus(page, 'after the dialog');
    await chooseFiles(page, equal);
    await page.getByRole('tab', { name: 'equal.safetensors' }).waitFor({ state: 'attached' });
    await page.keyboard.press('Alt+c');
    await page.getByRole('option', { name: /model/ }).waitFor({ state: 'attached' });
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Nothing differs' }).or(page.getByText('Nothing differs')).first().waitFor({ state: 'attached' });
    await axe(page, 'nothing differs');
  }, look);

  pageTest(`files that are asked for, and one that is another, ${named(look)}`, async ({ page }) => {
    await open(page, model);
    await page.waitForFunction(() => /size=/.test(sessionStorage.getItem('nnscope.tab.open') ?? JSON.stringify({ ...sessionStorage })));
    await page.reload();
    await page.getByRole('button', { name: 'Forget model.safetensors' }).waitFor();
    await axe(page, 'a file that is asked for');
    const other = writeSafetensors(join(folder, 'other/model.safetensors'.replace('/', '_')), [['a', 'F32', [2]]], { fill: wave });
    await chooseFiles(page, [other]);
    await page.getByRole('tab', { name: /other_model/ }).waitFor();
    await axe(page, 'beside another document');
  }, look);

  pageTest(`long names and several documents side by side, ${named(look)}`, async ({ page }) => {
    await open(page, [long, model]);
    await page.keyboard.press('*');
    await axe(page, 'long names');
    await page.keyboard.press('Control+\\');
    await page.getByRole('tree').nth(1).waitFor({ state: 'attached' });
    await axe(page, 'side by side');
  }, look);
}

const kProgram = `import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Linear(3, 2)
    def forward(self, x):
        return self.conv1(x)
net = Net()
handle = net.conv1.register_forward_pre_hook(lambda module, args: None)
out = net(torch.ones(1, 3))
print('called')
`;
const kPatient = { timeout: 120_000 };
const hasRun = (page, text) => page.getByRole('listitem').filter({ hasText: text }).first().waitFor({ state: 'attached', ...kPatient });
/// The tabs of one list, one after the other from the first, which is chosen: each is chosen and looked at.
async function eachTab(page, list, names, where) {
  const tab = (name) => page.getByRole('tablist', { name: list }).getByRole('tab', { name, selected: true }).waitFor({ state: 'attached' });
  await tabTo(page, new RegExp(`^tab ${names[0]}`));
  for (const [i, name] of names.entries()) {
    if (i > 0) {
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction((wanted) => document.activeElement?.getAttribute('aria-label') === wanted, name);
      await page.keyboard.press('Enter');
    }
    await tab(name);
    await axe(page, `${where}: ${name}`);
  }
}

for (const look of looks) {
  pageTest(`the studio and its views, ${named(look)}`, async ({ page }) => {
    await chooseFiles(page, writeProgram('net.py', kProgram));
    await hasRun(page, 'called');
    await page.keyboard.press('Alt+t');
    await page.getByRole('button', { name: 'Record', exact: true }).waitFor({ state: 'attached' });
    await axe(page, 'before a recording');
    await page.keyboard.press('Control+Shift+Enter');
    await page.getByRole('button', { name: 'Record again' }).waitFor({ state: 'attached', ...kPatient });
    await hasRun(page, '1, runs: import torch');
    await axe(page, 'the first moment');
    await hasFocus(page, 'after a recording');
    await page.keyboard.press('F9');
    await page.keyboard.press('Control+g');
    await page.getByRole('textbox', { name: 'Go to event' }).waitFor({ state: 'attached' });
    await axe(page, 'the number of an event is asked');
    await page.keyboard.type('999');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'The program has ended.' }).first().waitFor({ state: 'attached' });
    await axe(page, 'the last moment');
    await tabTo(page, /^button Net/);
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Registries and hooks' }).waitFor({ state: 'attached' });
    await axe(page, 'a chosen module');
    await tabTo(page, /^tab Chosen object/, { back: true });
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Objects');
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Objects', selected: true }).waitFor({ state: 'attached' });
    await eachTab(page, 'Views of this moment', ['Objects', 'Chosen object', 'Lookup', 'Modules', 'Replicas'], 'the studio');
  }, look);

  pageTest(`a lesson and its question, ${named(look)}`, async ({ page }) => {
    await tabTo(page, /^button Where did conv1 go\?/);
    await page.keyboard.press('Enter');
    const status = (text) => page.getByRole('status').filter({ hasText: text }).first().waitFor({ state: 'attached', ...kPatient });
    await status('Step 1 of ');
    await axe(page, 'a lesson');
    for (let stop = 2; stop <= 3; ++stop) {
      await page.keyboard.press('PageDown');
      await status(`Step ${stop} of `);
    }
    await axe(page, 'a question');
    await hasFocus(page, 'in a lesson');
    for (const [words, told] of [['nothing', 'Not so.'], ['False', 'Right']]) {
      await tabTo(page, /^textbox Answer/);
      await page.keyboard.press('Control+a');
      await page.keyboard.type(words);
      await page.keyboard.press('Enter');
      await status(told);
      await axe(page, told);
    }
    for (let stop = 4; stop <= 7; ++stop) {
      await page.keyboard.press('PageDown');
      await status(`Step ${stop} of `);
      await axe(page, `stop ${stop}`);
    }
  }, look);

  pageTest(`the editor, an error in it, what is found and its console, ${named(look)}`, async ({ page }) => {
    await chooseFiles(page, writeProgram('edited.py', kProgram));
    await hasRun(page, 'called');
    await axe(page, 'a program');
    await page.keyboard.press('Alt+e');
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Source of edited.py');
    await axe(page, 'the editor');
    await page.keyboard.press('F9');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('print((1');
    await page.getByRole('status').filter({ hasText: 'SyntaxError' }).first().waitFor({ state: 'attached' });
    await axe(page, 'an error');
    await page.keyboard.press('Control+h');
    await page.getByRole('textbox', { name: 'Replace' }).first().waitFor({ state: 'attached' });
    await axe(page, 'find and replace');
    await page.keyboard.type('net');
    await axe(page, 'what was found');
    await page.keyboard.press('Escape');
    await hasFocus(page, 'after the search');
    await page.keyboard.press('Control+g');
    await page.waitForTimeout(200);
    await axe(page, 'the number of a line is asked');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+Backquote');
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Python');
    await page.keyboard.type('net.');
    await page.keyboard.press('Control+Space');
    await page.getByRole('status').filter({ hasText: / completions: / }).first().waitFor({ state: 'attached' });
    await axe(page, 'the console completes');
  }, look);

  pageTest(`one call of a module, ${named(look)}`, async ({ page }) => {
    await chooseFiles(page, writeProgram('called.py', kProgram));
    await hasRun(page, 'called');
    await page.keyboard.press('Alt+i');
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Module to call');
    await axe(page, 'before a call');
    await tabTo(page, /^textbox Inputs/);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('1,3');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'from shapes alone' }).first().waitFor({ state: 'attached', ...kPatient });
    await axe(page, 'a call');
    await tabTo(page, /^textbox Inputs/, { back: true });
    await page.keyboard.press('Control+a');
    await page.keyboard.type('1,4');
    await page.keyboard.press('Enter');
    await page.getByText(/Error/).first().waitFor({ state: 'attached', ...kPatient });
    await axe(page, 'a call that does not work');
  }, look);
}
