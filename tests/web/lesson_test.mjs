// Lessons in the page, by the keyboard alone: each that is built in to its end with a question answered wrong and right,
// one that a teacher wrote, one in a frame of another page.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chooseFiles, folder, pageTest, suite, tabTo } from './support/suite.mjs';

/// Waits for a status with that text; what stands there instead is part of the error.
async function step(page, text) {
  const statuses = page.getByRole('status');
  try {
    await statuses.filter({ hasText: text }).first().waitFor({ state: 'attached', timeout: 60_000 });
  } catch (error) {
    const focused = await page.evaluate(() => document.activeElement.getAttribute('aria-label'));
    throw new Error(`no status says "${text}", but: ${JSON.stringify(await statuses.allTextContents())}; the focus is on "${focused}"`, { cause: error });
  }
}

async function answer(page, words, told) {
  await tabTo(page, /^textbox Answer/);
  await page.keyboard.press('Control+a');
  await page.keyboard.type(words);
  await page.keyboard.press('Enter');
  await step(page, told);
}

/// Number of stops, the first stop with a question, and what PyTorch says.
const lessons = [
  ['Where did conv1 go?', 7, 3, 'False'],
  ["Why 'module' is not in ddp.__dict__", 7, 2, 'True'],
  ['DataParallel: what reaches the model', 9, 3, '3'],
  ['How DDP hides communication in backward', 7, 2, '6'],
  ['Module.__init__, twice', 8, 3, '0'],
  ['What model(x) does beyond forward', 8, 2, '1'],
  ['Parameters, buffers and plain tensors', 7, 2, '2'],
  ['One model, four variable classes', 9, 3, 'call_module'],
  ['Why a hook stops Sequential from being unrolled', 10, 2, '6'],
  ['What a guard protects, and what it misses', 9, 3, '11.0'],
  ['Three graph breaks and their cures', 9, 2, '2'],
];
for (const [title, stops, asked, right] of lessons) {
  const size = asked === 3 ? { width: 1280, height: 800, colorScheme: 'dark' } : { width: 800, height: 900, colorScheme: 'light' };
  pageTest(`the lesson "${title}"`, async ({ page }) => {
    await page.getByRole('button', { name: title }).waitFor({ state: 'attached' });
    await tabTo(page, new RegExp(`^button ${title.replace(/[().?]/g, '\\$&')}`));
    await page.keyboard.press('Enter');
    for (let stop = 1; stop <= stops; ++stop) {
      await step(page, `Step ${stop} of ${stops}: `);
      if (stop === asked) {
        await answer(page, 'nothing', 'Not so.');
        await answer(page, right, 'Right: Python says the same.');
      }
      await page.keyboard.press('PageDown');
    }
    assert.equal(await page.getByText('The recording has no such moment.').count(), 0);
    await page.keyboard.press('PageUp');
    await step(page, `Step ${stops - 1} of ${stops}: `);
    await page.waitForFunction((wanted) => location.hash.includes(`stop=${wanted}`), stops - 1);
  }, size);
}

pageTest('a lesson that a teacher wrote, at a link to one of its stops', async ({ page }) => {
  const path = join(folder, 'own.md');
  writeFileSync(path, `# Mine
Words.
\`\`\`python
values = [1, 2]
values.append(3)
\`\`\`
## After
stop: end
hide: controls
question: How many?
answer: len(values)
`);
  await chooseFiles(page, path);
  await step(page, 'Step 1 of 2: Mine');
  await page.keyboard.press('PageDown');
  await step(page, 'Step 2 of 2: After');
  await answer(page, '3', 'Right');
});

pageTest('an answer that was given while the program still runs', async ({ page }) => {
  const path = join(folder, 'slow.md');
  writeFileSync(path, `# Slow
Words.
\`\`\`python
values = []
for i in range(50):
    values.append(sum(range(1_500_000)))
\`\`\`
## Now
stop: line \`values.append(sum(range(1_500_000)))\` 3
show: chosen values
question: How many in the end?
answer: len(values)
`);
  await chooseFiles(page, path);
  await step(page, 'Step 1 of 2: Slow');
  await page.keyboard.press('PageDown');
  await step(page, 'Step 2 of 2: Now');
  await answer(page, '3', 'Checked when the program has ended.');
  await step(page, 'Not so.');
  await answer(page, '50', 'Right');
});

/// A page of another origin, with the explorer in a frame.
function writeEmbed() {
  writeFileSync(join(folder, 'embed.html'), `<!doctype html><title>A course</title><link rel="icon" href="data:,">
<iframe title="lesson" style="width: 1200px; height: 700px" src="${suite.server.address}/#sample=lesson/conv1&stop=1"></iframe>`);
}

pageTest('a lesson in a frame: the page around it goes to stops and hears of them', async ({ page }) => {
  writeEmbed();
  await page.goto(`${suite.files}/files/embed.html`);
  const heard = (wanted) => page.waitForFunction((text) => window.heard.some((one) => JSON.stringify(one).includes(text)), wanted, { timeout: 60_000 });
  await heard('"stop":1,"stops":7');
  await page.evaluate(() => document.querySelector('iframe').contentWindow.postMessage({ nnscope: 'next' }, '*'));
  await heard('"stop":2,"stops":7');
  await page.evaluate(() => document.querySelector('iframe').contentWindow.postMessage({ nnscope: 'go', stop: 5 }, '*'));
  await heard('"stop":5,"stops":7');
  await page.evaluate(() => document.querySelector('iframe').contentWindow.postMessage({ nnscope: 'back' }, '*'));
  await heard('"stop":4,"stops":7');
}, {
  prepare: () => {
    if (location.pathname.endsWith('embed.html')) {
      window.heard = [];
      addEventListener('message', ({ data }) => window.heard.push(data));
    }
  },
});

pageTest('a lesson without a network, after a first visit', async ({ page, context }) => {
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  // The second time the files come through the service worker, also those that run programs.
  await page.goto(`${suite.server.address}/#sample=lesson/ddp&stop=2`);
  await page.reload();
  await step(page, 'Step 2 of 7: ');
  await context.setOffline(true);
  await page.reload();
  await step(page, 'Step 2 of 7: ');
  await answer(page, 'True', 'Right');
}, { serviceWorkers: 'allow' });
