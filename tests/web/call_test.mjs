// One call of a module in the page, by the keyboard alone: five of our models run, are called and stepped through; what
// the panel says is what the command line prints.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { kTop } from './support/browser.mjs';
import { chooseFiles, line, pageTest, tabTo } from './support/suite.mjs';

const kModels = [
  { file: 'gpt2.py', module: 'model', call: 'GPT2()', inputs: '1,1024:long' },
  { file: 'resnet.py', module: 'model', call: 'resnet152()', inputs: '1,3,224,224' },
  { file: 'unet.py', module: 'model', call: 'UNet()', inputs: '1,1,572,572' },
  { file: 'char_lstm.py', module: 'model', call: 'CharLSTM(len(set(TEXT)), width=48)', inputs: '1,16:long' },
  { file: 'vae.py', module: 'model', call: 'VAE()', inputs: '1,784' },
];

// "1.24 G" as a number.
function spoken(text) {
  const [number, unit] = text.split(' ');
  return Number(number.replaceAll(',', '')) * { K: 1e3, M: 1e6, B: 1e9, T: 1e12 }[unit] || Number(number.replaceAll(',', ''));
}

// What the command line says of the same call.
function printed({ file, call, inputs }) {
  const program = process.env.NNSCOPE_PROGRAM;
  const out = execFileSync(program, ['summary', join(kTop, 'examples', file), '--call', call, '--input', inputs, '--json'], { maxBuffer: 1 << 26 });
  return JSON.parse(out);
}

async function fill(page, name, text) {
  await tabTo(page, new RegExp(`^textbox ${name}`));
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

for (const model of kModels) {
  pageTest(`${model.file}: called with shapes alone, and stepped through`, async ({ page }) => {
    await chooseFiles(page, join(kTop, 'examples', model.file));
    await line(page, model.module).waitFor({ timeout: 120_000 });
    await page.getByRole('progressbar').first().waitFor({ state: 'detached', timeout: 120_000 });
    await page.keyboard.press('Alt+i');
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Module to call');
    assert.equal(await page.evaluate(() => document.activeElement.value ?? document.activeElement.getAttribute('aria-valuetext') ?? ''), model.module, 'the first module is filled in');
    await fill(page, 'Inputs', model.inputs);
    await page.keyboard.press('Enter');
    const totals = page.getByRole('status').filter({ hasText: 'from shapes alone' }).first();
    await totals.waitFor({ timeout: 60_000 });
    const words = await totals.textContent() || await totals.getAttribute('aria-label');
    await page.getByRole('treeitem', { name: /, Input / }).first().waitFor();
    if (process.env.NNSCOPE_PROGRAM) {
      const expected = printed(model);
      const [, parameters] = /^([\d,]+) parameters/.exec(words);
      assert.equal(Number(parameters.replaceAll(',', '')), expected.parameters, words);
      const [, flops] = / · ([\d.,]+(?: [KMBT])?) FLOPs/.exec(words);
      assert.ok(Math.abs(spoken(flops) / expected.flops - 1) < 0.01, `${words}, but ${expected.flops}`);
    }
    await page.keyboard.press('Control+Shift+Enter');
    const slider = page.getByRole('slider', { name: 'Event' });
    await slider.waitFor({ timeout: 120_000 });
    // The first moment is shown: from there the keys lead on.
    await page.getByRole('listitem').filter({ hasText: /, runs: / }).first().waitFor({ timeout: 120_000 });
    const at = async () => Number(await slider.getAttribute('aria-valuenow'));
    const before = await at();
    await page.keyboard.press('.');
    await page.waitForFunction((from) => Number(document.querySelector('[role=slider][aria-label=Event]')?.getAttribute('aria-valuenow')) > from, before);
    await page.keyboard.press(',');
    await page.waitForFunction((from) => Number(document.querySelector('[role=slider][aria-label=Event]')?.getAttribute('aria-valuenow')) === from, before);
  });
}
