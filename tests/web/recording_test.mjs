// The recording of a training of another process, dropped on the page: its whole run by the slider, with the keyboard alone.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chooseFiles, folder, pageTest, tabTo } from './support/suite.mjs';

const program = process.env.NNSCOPE_PROGRAM;
const skip = program && existsSync(program) ? false : 'NNSCOPE_PROGRAM names no nnscope';
const recording = join(folder, 'spirals.nnscope');

const heading = (page, words) => page.getByRole('heading', { name: words }).waitFor({ state: 'attached' });

pageTest('a recording is gone through to its beginning, its end and back, and its metrics have curves', async ({ page }) => {
  execFileSync(program, ['train', 'spirals', '--headless', '--set', 'epochs=25', '--record', recording, '--json'], { cwd: folder, stdio: 'ignore' });
  await chooseFiles(page, recording);
  await page.getByRole('main', { name: 'Training' }).waitFor({ state: 'attached' });
  await heading(page, /Finished/);
  await tabTo(page, /^slider/);
  const end = await page.evaluate(() => Number(document.activeElement.getAttribute('aria-valuenow')));
  assert.ok(end > 10, `${end} events`);
  // At the beginning nothing has begun; from there it goes on.
  await page.keyboard.press('Home');
  await page.waitForFunction(() => Number(document.activeElement.getAttribute('aria-valuenow')) === 0);
  await page.getByRole('heading', { name: /Finished/ }).waitFor({ state: 'detached' });
  await page.getByRole('img', { name: /^Loss/ }).waitFor({ state: 'detached' });
  await page.keyboard.press('End');
  await heading(page, /Finished/);
  await page.getByRole('img', { name: /^Loss/ }).waitFor({ state: 'attached' });
  await tabTo(page, /^tab Loss/);
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('tab', { name: 'Metrics', selected: true }).waitFor();
  await page.waitForFunction(() => /accuracy/.test(document.querySelector('[role="img"][aria-label^="Metrics"]')?.getAttribute('aria-description') ?? ''));
}, { skip });
