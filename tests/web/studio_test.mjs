// The studio in the page, by the keyboard alone: a program is recorded, stepped through forward and back, stopped where
// a registry changes and where a hook fires, looked at a hundred thousand events on; one that does not end is stopped.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { kTop } from './support/browser.mjs';
import { chooseFiles, eachLook, line, pageTest, suite, tabTo, writeProgram } from './support/suite.mjs';

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

eachLook('a registry changes and a hook fires: each is found, told and undone by a step back', async ({ page }) => {
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
  await page.getByRole('button', { name: 'Stop', exact: true }).first().waitFor({ state: 'attached' });
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

pageTest('a program that runs is paused, looked at, and goes on', async ({ page }) => {
  await chooseFiles(page, writeProgram('counts.py', 'n = 0\nwhile True:\n    n += 1\n    work = sum(range(20000))\n    if n % 10 == 0: print("at", n)\n'));
  await page.getByRole('button', { name: 'Pause run' }).first().waitFor({ state: 'attached' });
  await listed(page, /^at \d+$/);
  // As it runs: what it has made is in the tree, and it writes nothing more.
  await page.keyboard.press('Alt+p');
  await page.getByRole('button', { name: 'Resume run' }).first().waitFor({ state: 'attached' });
  await line(page, 'n').waitFor({ state: 'attached' });
  const written = () => page.getByRole('listitem').filter({ hasText: /^at / }).last().textContent();
  const at = await written();
  await page.waitForTimeout(500);
  assert.equal(await written(), at);
  await tabTo(page, /^button Stop/);
  await page.keyboard.press('Enter');
  await listed(page, 'KeyboardInterrupt');
  await record(page);
  await page.waitForFunction(() => Number(document.querySelector('[role=slider][aria-label=Event]')?.getAttribute('aria-valuemax')) > 200);
  await tabTo(page, /^button Pause run/);
  await page.keyboard.press('Enter');
  // Where it stands is shown, and from there the keys lead back.
  await page.getByRole('button', { name: 'Resume run' }).waitFor();
  const end = await page.evaluate(() => Number(document.querySelector('[role=slider][aria-label=Event]').getAttribute('aria-valuemax')));
  await eventIs(page, end);
  await page.keyboard.press(',');
  await page.keyboard.press(',');
  await eventIs(page, end - 2);
  await listed(page, /^n: \d+/);
  await page.keyboard.press('Alt+p');
  await page.getByRole('button', { name: 'Pause run' }).waitFor();
  await page.waitForFunction((last) => Number(document.querySelector('[role=slider][aria-label=Event]')?.getAttribute('aria-valuemax')) > last, end);
  await tabTo(page, /^button Stop/);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Record again' }).waitFor({ timeout: 60_000 });
});

pageTest('breakpoints and what else stops it are there again after a reload', async ({ page }) => {
  await page.goto(`${suite.server.address}/#sample=vae.py&step=2&break=3,5&stops=hook,registry`);
  await page.getByRole('slider', { name: 'Event' }).waitFor({ timeout: 120_000 });
  const on = (name) => page.getByRole('checkbox', { name: `Stop at: ${name}` }).and(page.locator('[aria-checked=true]'));
  await on('Hook').waitFor();
  await on('Registry').waitFor();
  assert.equal(await on('Call').count(), 0);
  await toggleStop(page, 'Registry');
  await page.waitForFunction(() => /&break=3,5&stops=hook&/.test(decodeURIComponent(location.hash)));
  await page.reload();
  await page.getByRole('slider', { name: 'Event' }).waitFor({ timeout: 120_000 });
  await on('Hook').waitFor();
  assert.equal(await on('Registry').count(), 0);
  await page.getByRole('listitem', { name: /^3, breakpoint/ }).or(page.getByRole('listitem').filter({ hasText: /^3, breakpoint/ })).first().waitFor({ state: 'attached' });
});

pageTest('over and out of calls, there and back, and on to a line, by keys', async ({ page }) => {
  await chooseFiles(page, writeProgram('steps.py', kNet));
  await listed(page, 'called');
  await record(page);
  await listed(page, '1, runs: import torch');
  // Behind the statement that builds the model, without what happens in it.
  // The first event is the module's call, the second its first line.
  await page.keyboard.press('n');
  await page.waitForFunction(() => document.querySelector('[role=slider][aria-label=Event]')?.getAttribute('aria-valuenow') === '2');
  for (const seen of ['2, runs: from', '3, runs: class', '9, runs: def hook', '11, runs: net = Net()']) {
    await page.keyboard.press('n');
    await listed(page, seen);
  }
  await page.keyboard.press('n');
  await listed(page, '12, runs: handle =');
  await page.keyboard.press('N');
  await listed(page, '11, runs: net = Net()');
  // Keys that come faster than moments are carried out one after the other.
  for (const key of 'NNNnnNNnnnn') await page.keyboard.press(key);
  await listed(page, '12, runs: handle =');
  await page.keyboard.press('N');
  await listed(page, '11, runs: net = Net()');
  // Into it, out of it backwards, and into it and out again.
  await page.keyboard.press('s');
  await listed(page, /runs:\s+(super|def __init__)/);
  await page.keyboard.press('R');
  await listed(page, '11, runs: net = Net()');
  await page.keyboard.press('s');
  await listed(page, /runs:\s+(super|def __init__)/);
  await page.keyboard.press('r');
  await listed(page, '12, runs: handle =');
  // The list of the source has the keyboard: down to line 14, and Enter runs to it.
  for (let i = 0; i < 2; ++i) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await listed(page, '14, runs: out = net(');
  // By its number.
  await page.keyboard.press('Control+g');
  await page.getByRole('textbox', { name: 'Go to event' }).waitFor();
  await page.keyboard.type('1');
  await page.keyboard.press('Enter');
  await listed(page, '1, runs: import torch');
});

pageTest('the hundred-thousandth event is reached by its number', async ({ page }) => {
  await chooseFiles(page, writeProgram('long.py', 'total = 0\nfor n in range(60000):\n    total += n\nprint("added")\n'));
  await listed(page, 'added');
  await record(page);
  await page.getByRole('button', { name: 'Record again' }).waitFor({ timeout: 120_000 });
  await page.keyboard.press('Control+g');
  await page.keyboard.type('100,000');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('[role=slider][aria-label=Event]')?.getAttribute('aria-valuenow') === '100000');
  await listed(page, /^n: [45]\d{4}/);
});

pageTest('the modules of a moment are a tree, what two names share is drawn once, and lookup ends in the registries', async ({ page }) => {
  await chooseFiles(page, writeProgram('shared.py', `import torch
from torch import nn
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(2, 2, bias=False)
        self.decoder = nn.Linear(2, 2, bias=False)
        self.decoder.weight = self.encoder.weight
model = Tied()
same = model
print('tied')
`));
  await listed(page, 'tied');
  await record(page);
  await page.getByRole('button', { name: 'Record again' }).waitFor({ timeout: 60_000 });
  await tabTo(page, /^slider Event/);
  await page.keyboard.press('End');
  await said(page, 'The program has ended.');
  const boxes = (name) => page.getByRole('button', { name });
  await boxes(/^Tied/).first().waitFor();
  assert.equal(await boxes(/^Tied/).count(), 1, 'model and same lead to one box');
  assert.equal(await boxes(/^Parameter/).count(), 1, 'the weight is drawn once');
  await tabTo(page, /^tab Objects/);
  for (let i = 0; i < 3; ++i) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  const modules = page.getByRole('list', { name: 'Modules of this moment' });
  await modules.getByRole('listitem').filter({ hasText: /^model: Tied/ }).waitFor();
  await modules.getByRole('listitem').filter({ hasText: /^encoder: Linear/ }).waitFor();
  assert.equal(await modules.getByRole('listitem').filter({ hasText: /Tied/ }).count(), 1);
  await tabTo(page, /^listitem model: Tied/);
  await page.keyboard.press('Enter');
  await tabTo(page, /^tab Modules/, { back: true });
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  const order = page.getByRole('list', { name: 'Order of lookup' });
  await order.getByRole('listitem').filter({ hasText: /^__dict__/ }).first().waitFor();
  await tabTo(page, /^listitem __dict__/);
  await page.keyboard.press('End');
  await order.getByRole('listitem').filter({ hasText: /^decoder: Linear/ }).waitFor();
  await order.getByRole('listitem').filter({ hasText: /^_modules: registry of children/ }).waitFor();
}, { width: 3400, height: 1200 });

const eventNow = (page) => page.evaluate(() => Number(document.querySelector('[role=slider][aria-label=Event]')?.getAttribute('aria-valuenow')));
const eventIs = (page, wanted) => page.waitForFunction((event) => Number(document.querySelector('[role=slider][aria-label=Event]')?.getAttribute('aria-valuenow')) === event,
  wanted, { timeout: 60_000 });

pageTest('Space and the button play and pause, and it stops at the end', async ({ page }) => {
  await chooseFiles(page, writeProgram('played.py', 'total = 0\nfor n in range(200):\n    total += n\nprint("added")\n'));
  await listed(page, 'added');
  await record(page);
  await listed(page, '1, runs: total = 0');
  await page.getByRole('button', { name: 'Record again' }).waitFor({ timeout: 60_000 });
  // Goes on by itself, and rests once it is paused.
  const plays = async (press) => {
    const before = await eventNow(page);
    await press();
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    await page.waitForFunction((event) => Number(document.querySelector('[role=slider][aria-label=Event]')?.getAttribute('aria-valuenow')) > event + 1, before);
    await press();
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await page.waitForTimeout(300);
    const paused = await eventNow(page);
    await page.waitForTimeout(1200);
    assert.equal(await eventNow(page), paused);
  };
  await plays(() => page.keyboard.press('Space'));
  await plays(async () => {
    await tabTo(page, /^button (Play|Pause)$/, { back: true });
    await page.keyboard.press('Enter');
  });
  // A step of one's own ends it.
  await tabTo(page, /^button Play$/, { back: true });
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  await page.keyboard.press('.');
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  await tabTo(page, /^slider Event/);
  await page.keyboard.press('End');
  await said(page, 'The program has ended.');
  const end = await eventNow(page);
  await page.keyboard.press(',');
  await page.keyboard.press(',');
  await eventIs(page, end - 2);
  await tabTo(page, /^button Play$/, { back: true });
  await page.keyboard.press('Enter');
  await eventIs(page, end);
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
});

pageTest('a link of a program leads to its step: of one at an address, of an example, and of one that the link carries', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  writeProgram('linked.py', 'a = 1\nb = 2\nc = a + b\nprint("sum", c)\n');
  const visit = async (address) => {
    await page.goto('about:blank');
    await page.goto(address);
  };
  await visit(`${suite.server.address}/#url=${encodeURIComponent(`${suite.files}/files/linked.py`)}&step=4`);
  await listed(page, '3, runs: c = a + b');
  await eventIs(page, 4);
  await page.keyboard.press('.');
  await listed(page, '4, runs: print("sum", c)');
  await page.waitForFunction(() => /^#url=.*linked\.py.*&step=5$/.test(location.hash));
  await page.reload();
  await listed(page, '4, runs: print("sum", c)');
  await visit(`${suite.server.address}/#sample=vae.py&step=2`);
  await page.getByRole('slider', { name: 'Event' }).waitFor({ timeout: 120_000 });
  await eventIs(page, 2);
  await visit(`${suite.server.address}/`);
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await page.getByRole('button', { name: 'Choose a file' }).waitFor();
  await chooseFiles(page, writeProgram('carried.py', 'x = 5\nprint("x is", x)\n'));
  await listed(page, 'x is 5');
  await page.keyboard.press('Alt+e');
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Source of carried.py');
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('w = 4\n');
  await page.waitForFunction(() => document.activeElement?.value === 'x = 5');
  await record(page);
  await listed(page, '1, runs: w = 4');
  await page.keyboard.press('n');
  await page.keyboard.press('n');
  await listed(page, '2, runs: x = 5');
  await eventIs(page, 3);
  let link = '';
  for (let tries = 0; tries < 50 && !/#code=/.test(link); ++tries) {
    await page.waitForTimeout(200);
    await page.keyboard.press('Alt+l');
    link = await page.evaluate(() => navigator.clipboard.readText());
  }
  await page.evaluate(() => sessionStorage.clear());
  await visit(`${link}&step=3`);
  await listed(page, '2, runs: x = 5');
  await eventIs(page, 3);
});

/// Down in a list to what matches.
async function down(page, wanted) {
  const now = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  const seen = [];
  for (let i = 0; i < 40; ++i) {
    seen.push(await now());
    if (wanted.test(seen.at(-1))) return;
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction((before) => document.activeElement?.textContent !== before, seen.at(-1), { timeout: 3000 }).catch(() => {});
  }
  assert.fail(`the arrows do not reach ${wanted}; they went over ${seen.join(' | ')}`);
}

eachLook('of the chosen module __dict__ stands beside its registries and hooks, also of what they lead to', async ({ page }) => {
  await chooseFiles(page, writeProgram('beside.py', kNet));
  await listed(page, 'called');
  await record(page);
  await page.getByRole('button', { name: 'Record again' }).waitFor({ timeout: 60_000 });
  await tabTo(page, /^slider Event/);
  await page.keyboard.press('End');
  await said(page, 'The program has ended.');
  await tabTo(page, /^listitem <module>/);
  await down(page, /^net: Net/);
  await page.keyboard.press('Enter');
  const own = page.getByRole('list', { name: 'Chosen object' });
  const registries = page.getByRole('list', { name: 'Registries and hooks' });
  await own.getByRole('listitem').filter({ hasText: /^training: True/ }).first().waitFor();
  await registries.getByRole('listitem').filter({ hasText: /^_modules/ }).first().waitFor();
  await registries.getByRole('listitem').filter({ hasText: /^conv1: Linear/ }).first().waitFor();
  assert.equal(await own.getByRole('listitem').filter({ hasText: /^conv1/ }).count(), 0, 'conv1 is not in __dict__');
  const [left, right] = [await own.boundingBox(), await registries.boundingBox()];
  assert.ok(left.x + left.width <= right.x + 1 && Math.abs(left.y - right.y) < 2, `side by side: ${JSON.stringify([left, right])}`);
  // On to its child by keys, whose hooks are there.
  await tabTo(page, /^listitem _parameters/);
  await down(page, /^conv1: Linear/);
  await page.keyboard.press('Enter');
  await registries.getByRole('listitem').filter({ hasText: /^_forward_pre_hooks/ }).first().waitFor();
  await tabTo(page, /^listitem _forward_pre_hooks/);
  await registries.getByRole('listitem').filter({ hasText: /^0: function hook/ }).first().waitFor();
  await own.getByRole('listitem').filter({ hasText: /^_parameters: dict of 2/ }).first().waitFor();
});
