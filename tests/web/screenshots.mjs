// Pictures of the main screens, both themes, several sizes: node tests/web/screenshots.mjs [FOLDER [PATTERN]], into
// build/screenshots. PATTERN: a regular expression; only screens and walks whose names match it.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kSite, kTop, launch, openExplorer, skipWithoutBrowser, temporaryFolder } from './support/browser.mjs';
import { expertTensors, llamaTensors, writeSafetensors } from './support/fixtures.mjs';
import { serve } from './support/server.mjs';

skipWithoutBrowser();
const target = process.argv[2] ?? join(kTop, 'build/screenshots');
const wanted = new RegExp(process.argv[3] ?? '');
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });

const folder = temporaryFolder();
const wave = (_, i) => Math.sin(i / 37) * Math.cos(i / 911) + (i % 97) / 970;
const files = {
  llama: writeSafetensors(join(folder, 'llama-7b-layout.safetensors'), llamaTensors({ layers: 32, width: 4096, kv: 1024, inner: 11008, words: 32000, rotary: true })),
  experts: writeSafetensors(join(folder, 'experts-91991.safetensors'), expertTensors()),
  values: writeSafetensors(join(folder, 'values.safetensors'), [['block.0.weight', 'F32', [256, 384]], ['block.0.bias', 'F32', [256]], ['block.1.weight', 'F32', [64, 256]]], { fill: wave }),
  tuned: writeSafetensors(join(folder, 'tuned.safetensors'), [['block.0.weight', 'F32', [256, 384]], ['block.0.bias', 'F32', [256]], ['block.2.weight', 'F32', [64, 256]]],
    { fill: (name, i) => wave(name, i) + (name.endsWith('weight') ? Math.sin(i / 5) / 10 : 0) }),
  broken: join(folder, 'small.txt'),
};
writeFileSync(files.broken, 'this is no checkpoint');

const choose = (page, path) => page.locator('#file').setInputFiles(path);
const item = (page, name) => page.locator(`[role="treeitem"][aria-label^="${name}"]`).first();
const sample = async (page) => {
  await page.getByRole('button', { name: /CNN/ }).click();
  await page.getByRole('treeitem').first().click();
};
const tab = async (page, name) => {
  await page.getByRole('tab', { name }).click();
};

const compare = async (page) => {
  await choose(page, [files.values, files.tuned]);
  await page.getByRole('tab', { name: 'tuned.safetensors' }).waitFor({ state: 'attached' });
  await page.keyboard.press('Alt+c');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('table', { name: 'Differences' }).waitFor();
};

/// Name of the picture -> how to get there.
const screens = {
  start: async () => {},
  sample_summary: sample,
  sample_registries: async (page) => {
    await sample(page);
    await tab(page, /Registries/);
    await page.getByRole('row', { name: /^_buffers/ }).click();
  },
  sample_hooks: async (page) => {
    await sample(page);
    await tab(page, /Hooks/);
  },
  llama: async (page) => {
    await choose(page, files.llama);
    await item(page, 'model').click();
  },
  experts: async (page) => {
    await choose(page, files.experts);
    await item(page, 'model').click();
    await page.keyboard.press('*');
  },
  tensor: async (page) => {
    await choose(page, files.values);
    await item(page, 'weight').click();
    await tab(page, /^Tensor$/);
    await page.getByRole('button', { name: 'Compute statistics' }).click({ timeout: 3000 }).catch(() => {});
    await page.getByText('Quantiles').first().waitFor({ state: 'attached', timeout: 5000 }).catch(() => {});
  },
  filter: async (page) => {
    await choose(page, files.llama);
    await page.getByRole('searchbox', { name: 'Filter' }).fill('q_proj');
  },
  error: async (page) => {
    await choose(page, files.broken);
    await page.getByRole('alert').first().waitFor();
  },
  compared: async (page) => {
    await compare(page);
  },
  compared_trees: async (page) => {
    await compare(page);
    await page.getByRole('button', { name: 'Trees' }).click();
  },
  map: async (page) => {
    await choose(page, files.llama);
    await item(page, 'model').click();
    await page.keyboard.press('Alt+m');
  },
  statistics: async (page) => {
    await choose(page, files.values);
    await item(page, 'block').click();
    await page.keyboard.press('Alt+s');
  },
  search: async (page) => {
    await choose(page, files.experts);
    await item(page, 'model').click();
    await page.keyboard.press('/');
    await page.keyboard.type('experts.1 up_proj');
  },
  commands: async (page) => {
    await page.keyboard.press('Control+p');
  },
  asked_for: async (page) => {
    await choose(page, files.values);
    await item(page, 'block').click();
    await page.reload();
    await page.getByRole('button', { name: /^Forget values/ }).waitFor();
  },
  keys: async (page) => {
    await page.getByRole('button', { name: 'Keys and help' }).click();
  },
};
const sizes = [[1600, 1000, 1], [800, 600, 1], [360, 740, 3], [3840, 2160, 1]];

// ---- programs: several pictures on one way through a page

const listed = (page, text) => page.getByRole('listitem').filter({ hasText: text }).first().waitFor({ state: 'attached', timeout: 120_000 });
const said = (page, text) => page.getByRole('status').filter({ hasText: text }).first().waitFor({ state: 'attached', timeout: 120_000 });
const hasFocus = (page, label) => page.waitForFunction((text) => document.activeElement?.getAttribute('aria-label')?.startsWith(text), label);
const runs = (page) => page.getByRole('progressbar').first().waitFor({ state: 'detached', timeout: 180_000 });
/// Whatever stands above or below is brought into sight first.
const press = async (page, role, name) => {
  await page.getByRole(role, { name, exact: typeof name === 'string' }).first().focus();
  await page.waitForTimeout(300);  // where it is drawn slowly, the picture has to hear of it first
  await page.keyboard.press(role === 'checkbox' ? 'Space' : 'Enter');
};
const kEvents = 20_000;

/// Records until there are enough events, and goes three quarters of the way.
async function record(page) {
  await page.keyboard.press('Control+Shift+Enter');
  const events = () => page.evaluate(() => Number(document.querySelector('[role=slider][aria-label=Event]')?.getAttribute('aria-valuemax') ?? 0));
  const again = page.getByRole('button', { name: 'Record again' });
  await page.getByRole('slider', { name: 'Event' }).waitFor({ timeout: 120_000 });
  await listed(page, /, runs: /);
  while (await again.count() === 0) {
    if (await events() > kEvents) await press(page, 'button', 'Stop').catch(() => {});  // it may have ended by itself
    await page.waitForTimeout(200);
  }
  await page.keyboard.press('Control+g');
  await hasFocus(page, 'Go to event');
  await page.keyboard.type(String(Math.floor(await events() * 0.75)));
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => Number(document.querySelector('[role=slider][aria-label=Event]').getAttribute('aria-valuenow')) > 1);
}

/// What is looked at of each of our models: [file, inputs of one call].
const models = { gpt2: '1,1024:long', resnet: '1,3,224,224', unet: '1,1,572,572', char_lstm: '1,16:long', vae: '1,784' };
const walks = Object.fromEntries(Object.entries(models).map(([name, inputs]) => [`program_${name}`, async (page, shot) => {
  await choose(page, join(kTop, 'examples', `${name}.py`));
  await item(page, 'model').waitFor({ timeout: 180_000 });
  await runs(page);
  await shot('tree');
  await page.keyboard.press('Alt+e');
  await hasFocus(page, 'Source of');
  await shot('source');
  await page.keyboard.press('Alt+i');
  await hasFocus(page, 'Module to call');
  await page.getByRole('textbox', { name: 'Inputs' }).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type(inputs);
  await page.keyboard.press('Enter');
  await said(page, 'from shapes alone');
  await shot('call');
  await record(page);
  await shot('studio');
  await tab(page, 'Modules');
  await shot('studio_modules');
  await page.getByRole('list', { name: 'Modules of this moment' }).getByRole('listitem').first().focus();
  await page.waitForTimeout(300);
  await page.keyboard.press('Enter');
  await tab(page, 'Chosen object');
  await shot('studio_chosen');
  await tab(page, 'Lookup');
  await shot('studio_lookup');
}]));

const kBroken = `import torch
from torch import nn


class Net(nn.Module):
    '''Two layers.'''

    def __init__(self, width=3):
        super().__init__()
        self.conv1 = nn.Linear(width, 2)  # the first

    def forward(self, x):
        return self.conv1(x).relu()


net = Net()
handle = net.conv1.register_forward_pre_hook(lambda module, args: None)
out = net(torch.ones(1, 3))
print(f'{out.shape = }', 0x10, 1.5e-3)
net.missing
`;

Object.assign(walks, {
  editor: async (page, shot) => {
    const path = join(folder, 'broken.py');
    writeFileSync(path, kBroken);
    await choose(page, path);
    await listed(page, 'AttributeError');
    await runs(page);
    await shot('program');
    await page.keyboard.press('Alt+e');
    await hasFocus(page, 'Source of');
    await said(page, 'AttributeError');
    await shot('error_of_the_run');
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('F9');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('print((1, "open');
    await said(page, 'SyntaxError');
    await shot('error');
    await page.keyboard.press('Control+h');
    await page.getByRole('textbox', { name: 'Replace' }).first().waitFor({ state: 'attached' });
    await page.keyboard.type('net');
    await shot('find');
    await page.keyboard.press('Escape');
    // What does not run is taken back.
    await hasFocus(page, 'Source of');
    for (let i = 0; i < 12; ++i) await page.keyboard.press('Control+z');
    await said(page, 'AttributeError');
    await page.keyboard.press('Control+Backquote');
    await hasFocus(page, 'Python');
    await page.keyboard.type('net.');
    await page.keyboard.press('Control+Space');
    await said(page, / completions: /);
    await shot('console');
    await page.keyboard.press('Alt+i');
    await hasFocus(page, 'Module to call');
    await page.getByRole('textbox', { name: 'Inputs' }).focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('1,4');
    await page.keyboard.press('Enter');
    await page.getByText(/Error/).nth(1).waitFor({ state: 'attached' });
    await shot('call_that_fails');
    await page.keyboard.press('Alt+t');
    await page.getByRole('button', { name: 'Record', exact: true }).waitFor({ state: 'attached' });
    await shot('studio_empty');
    await page.keyboard.press('Control+Shift+Enter');
    await page.getByRole('button', { name: 'Record again' }).waitFor({ state: 'attached', timeout: 60_000 });
    await listed(page, /, runs: /);
    await shot('studio_first');
    for (const stop of ['Hook', 'Registry']) await press(page, 'checkbox', `Stop at: ${stop}`);
    for (let i = 0; i < 4; ++i) await page.keyboard.press('c');
    await shot('studio_registry');
    await page.keyboard.press('Control+g');
    await shot('studio_goto');
    await page.keyboard.type('9999');
    await page.keyboard.press('Enter');
    await shot('studio_last');
  },
  paused: async (page, shot) => {
    const path = join(folder, 'counts.py');
    writeFileSync(path, 'n = 0\nwhile True:\n    n += 1\n    work = sum(range(20000))\n    if n % 10 == 0: print("at", n)\n');
    await choose(page, path);
    await page.getByRole('button', { name: 'Pause run' }).first().waitFor({ state: 'attached' });
    await listed(page, /^at /);
    await page.keyboard.press('Alt+p');
    await page.getByRole('button', { name: 'Resume run' }).first().waitFor({ state: 'attached' });
    await shot('run');
    await page.keyboard.press('Alt+e');
    await page.waitForTimeout(500);
    await shot('editor');
    await press(page, 'button', 'Stop');
    await page.keyboard.press('Control+Shift+Enter');
    await page.waitForFunction(() => Number(document.querySelector('[role=slider][aria-label=Event]')?.getAttribute('aria-valuemax')) > 200);
    await page.keyboard.press('Alt+p');
    await page.getByRole('button', { name: 'Resume run' }).first().waitFor({ state: 'attached' });
    await page.waitForFunction(() => Number(document.querySelector('[role=slider][aria-label=Event]')?.getAttribute('aria-valuenow')) > 200);
    await page.waitForTimeout(300);
    await shot('studio');
  },
  lesson: async (page, shot) => {
    await press(page, 'button', 'Where did conv1 go?');
    await said(page, 'Step 1 of ');
    await shot('1');
    for (let stop = 2; stop <= 7; ++stop) {
      await page.keyboard.press('PageDown');
      await said(page, `Step ${stop} of `);
      if (stop === 2) await shot('2');
      if (stop === 4) await shot('4');
      if (stop === 3) {
        await shot('3');
        for (const words of ['nothing', 'False']) {
          await page.getByRole('textbox', { name: 'Answer' }).focus();
          await page.keyboard.press('Control+a');
          await page.keyboard.type(words);
          await page.keyboard.press('Enter');
          await said(page, words === 'False' ? 'Right' : 'Not so.');
          await shot(words === 'False' ? '3_right' : '3_wrong');
        }
      }
    }
    await shot('7');
  },
  lesson_others: async (page, shot) => {
    for (const [name, stop] of [['dataparallel', 4], ['overlap', 3], ['breaks', 3]]) {
      await page.evaluate((hash) => { location.hash = hash; }, `sample=lesson/${name}&stop=${stop}`);
      await said(page, `Step ${stop} of `);
      await page.getByRole('button', { name: 'Record again' }).waitFor({ state: 'attached', timeout: 120_000 });
      await page.waitForFunction(() => Number(document.querySelector('[role=slider][aria-label=Event]')?.getAttribute('aria-valuenow')) > 0);
      await shot(name);
    }
  },
  start_below: async (page, shot) => {
    await page.getByRole('button', { name: 'diffusion.py' }).focus();
    await shot('examples');
    await page.getByRole('button', { name: 'Where did conv1 go?' }).focus();
    await shot('lessons');
  },
});
const walkSizes = [[1440, 900, 1], [900, 640, 1], [360, 740, 3]];

const server = await serve({ '/': { folder: kSite } });
let browser = null;
let pictures = 0;
let failures = 0;
/// One page at one size: `go(page, shot)`, with shot(part) for each picture.
async function visit(name, colorScheme, [width, height, deviceScaleFactor], go) {
  const { page, context, errors } = await openExplorer(browser, `${server.address}/`, { width, height, deviceScaleFactor, colorScheme });
  const look = `${colorScheme}_${width}x${height}.png`;
  const shot = async (part) => {
    await page.mouse.move(0, 0);
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(target, `${name}${part ? `_${part}` : ''}_${look}`) });
    pictures += 1;
  };
  try {
    page.setDefaultTimeout(10_000);
    await page.getByRole('button', { name: /CNN/ }).waitFor({ state: 'attached' });
    await go(page, shot);
  } catch (error) {
    failures += 1;
    console.error(`${name}_${look}: ${error.message.split('\n').slice(0, 3).join(' ')}`);
    await shot('not_reached').catch(() => {});
  }
  if (errors.length > 0) console.error(`${name}_${look}: ${errors.join(' | ')}`);
  await context.close().catch(() => {});
}
const all = [
  ...Object.entries(screens).map(([name, go]) => [name, sizes, async (page, shot) => {
    await go(page);
    await shot('');
  }]),
  ...Object.entries(walks).map(([name, go]) => [name, walkSizes, go]),
].filter(([name]) => wanted.test(name));
// A browser for each: one that runs out of memory takes no other pictures along.
for (const [name, its, go] of all) {
  browser = await launch();
  for (const colorScheme of ['dark', 'light']) {
    for (const size of its) await visit(name, colorScheme, size, go);
  }
  await browser.close();
}
await server.close();
console.log(`${pictures} pictures in ${target}, ${failures} screens not reached`);
process.exitCode = failures === 0 ? 0 : 1;
