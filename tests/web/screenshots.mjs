// Pictures of the main screens, both themes, four sizes: node tests/web/screenshots.mjs [FOLDER], into build/screenshots.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kSite, kTop, launch, openExplorer, skipWithoutBrowser, temporaryFolder } from './support/browser.mjs';
import { expertTensors, llamaTensors, writeSafetensors } from './support/fixtures.mjs';
import { serve } from './support/server.mjs';

skipWithoutBrowser();
const target = process.argv[2] ?? join(kTop, 'build/screenshots');
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

const server = await serve({ '/': { folder: kSite } });
const browser = await launch();
let failures = 0;
for (const colorScheme of ['dark', 'light']) {
  for (const [width, height, deviceScaleFactor] of sizes) {
    for (const [name, go] of Object.entries(screens)) {
      const { page, context, errors } = await openExplorer(browser, `${server.address}/`, { width, height, deviceScaleFactor, colorScheme });
      const file = `${name}_${colorScheme}_${width}x${height}.png`;
      try {
        page.setDefaultTimeout(10_000);
        await page.getByRole('button', { name: /CNN/ }).waitFor({ state: 'attached' });
        await go(page);
        await page.mouse.move(0, 0);
        await page.waitForTimeout(400);
      } catch (error) {
        failures += 1;
        console.error(`${file}: ${error.message.split('\n')[0]}`);
      }
      await page.screenshot({ path: join(target, file) });
      if (errors.length > 0) console.error(`${file}: ${errors.join(' | ')}`);
      await context.close();
    }
  }
}
await browser.close();
await server.close();
console.log(`${Object.keys(screens).length * sizes.length * 2} pictures in ${target}, ${failures} screens not reached`);
process.exitCode = failures === 0 ? 0 : 1;
