// Every file of NNSCOPE_TEST_DATA in a format that has a reader opens in the browser, or is refused where PyTorch refuses it.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import test from 'node:test';
import { openExplorer } from './support/browser.mjs';
import { chooseFiles, suite } from './support/suite.mjs';

const data = process.env.NNSCOPE_TEST_DATA && join(process.env.NNSCOPE_TEST_DATA, 'checkpoints');
if (!data || !existsSync(data)) {
  console.log('skipped: NNSCOPE_TEST_DATA names no folder with checkpoints/');
  process.exit(77);
}

const kContainers = new Set(['safetensors', 'safetensors index', 'torch zip', 'torch legacy', 'torchscript zip', 'plain zip', 'pt2 zip',
  'gguf', 'npz']);
const factsFiles = readdirSync(data, { recursive: true }).filter((name) => name.endsWith('.facts.json')).map((name) => join(data, name)).sort();
const cases = factsFiles.map((file) => ({ path: file.slice(0, -'.facts.json'.length), facts: JSON.parse(readFileSync(file, 'utf8')) }))
  .filter(({ path, facts }) => existsSync(path) && kContainers.has(facts.container));

// One page for all: files are opened beside each other and closed again, as a person does.
let opened = null;
async function explorer() {
  opened ??= await openExplorer(suite.browser, `${suite.server.address}/`);
  return opened;
}

for (const { path, facts } of cases) {
  const isRefused = facts.expect === 'refuse';
  test(`${relative(data, path)} is ${isRefused ? 'refused' : 'opened'}`, { timeout: 60_000 }, async () => {
    const { page, errors } = await explorer();
    const beside = facts.container === 'safetensors index'
      ? readdirSync(dirname(path)).filter((name) => name.endsWith('.safetensors')).map((name) => join(dirname(path), name)) : [];
    await chooseFiles(page, [path, ...beside]);
    const tab = page.getByRole('tab', { name: basename(path), exact: true });
    const alert = page.getByRole('alert').first();
    await tab.or(alert).first().waitFor();
    if (isRefused) {
      assert.equal(await tab.count(), 0, 'the file was opened');
      await page.getByRole('button', { name: 'Dismiss' }).first().click();
      await alert.waitFor({ state: 'detached' });
    } else {
      assert.equal(await alert.count(), 0, 'the file was refused');
      await page.getByRole('treeitem').first().waitFor();
      await page.getByRole('button', { name: `Close ${basename(path)}` }).click();
      await tab.waitFor({ state: 'detached' });
    }
    assert.deepEqual(errors.splice(0), []);
  });
}

test('there were files to open', () => assert.ok(cases.length > 20, `${cases.length} files`));
