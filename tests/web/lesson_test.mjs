// Lessons in the page, by the keyboard alone: each that is built in to its end with a question answered wrong and right,
// one that a teacher wrote, with modules and data of its own, one in a frame of another page, and without a network.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dropPaths } from './support/browser.mjs';
import { chooseFiles, folder, pageTest, suite, tabTo, writeProgram } from './support/suite.mjs';

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
  ['Where did conv1 go?', 8, 3, 'False'],
  ['A Module in a dozen lines, and what they miss', 8, 3, 'False'],
  ["Why 'module' is not in ddp.__dict__", 7, 2, 'True'],
  ['DataParallel: what reaches the model', 9, 3, '3'],
  ['How DDP hides communication in backward', 7, 2, '6'],
  ['Module.__init__, twice', 10, 3, '0'],
  ['What model(x) does beyond forward', 11, 2, '3'],
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

/// A lesson with a module and data beside it: the folder, and the files in it.
const own = join(folder, 'lessonfolder');
mkdirSync(join(own, 'parts'), { recursive: true });
const ownFiles = Object.entries({
  'README.md': '# How to use this\n\n```python\nimport helper\n```\n',
  'data.csv': 'a,b\n1,2\n3,4\n',
  'helper.py': "from parts.sums import total\n\ndef read(name):\n    return [line.strip().split(',') for line in open(name)][1:]\n",
  'own.md': `# Own data
Words.
\`\`\`python
import helper

rows = helper.read('data.csv')
total = helper.total(rows)
print('total', total)
\`\`\`
## Read
stop: end
question: What is the sum of all numbers?
answer: total
`,
}).map(([name, text]) => {
  writeFileSync(join(own, name), text);
  return join(own, name);
});
writeFileSync(join(own, 'parts', 'sums.py'), 'def total(rows):\n    return sum(int(one) for row in rows for one in row)\n');

async function answersOwn(page) {
  await step(page, 'Step 1 of 2: Own data');
  await page.keyboard.press('PageDown');
  await step(page, 'Step 2 of 2: Read');
  await page.getByRole('listitem').filter({ hasText: /^total 10$/ }).first().waitFor({ state: 'attached', timeout: 60_000 });
  await answer(page, '10', 'Right');
  assert.equal(await page.getByRole('alert').count(), 0, 'nothing is told as not opened');
  assert.equal(await page.getByRole('button', { name: /^Close / }).count(), 1, 'the lesson is the only document');
}

pageTest('a folder with a lesson, its module and its data is dropped: it imports and reads what lies beside it', async ({ page }) => {
  await dropPaths(page, [own]);
  await answersOwn(page);
});

pageTest('a lesson, its module and its data are chosen together, or dropped together with a folder', async ({ page }) => {
  const flat = writeProgram('helper.py', 'import csv\n\ndef read(name):\n    return list(csv.reader(open(name)))[1:]\n\ndef total(rows):\n    return sum(int(one) for row in rows for one in row)\n');
  await chooseFiles(page, [ownFiles[1], flat, ownFiles[3]]);
  await answersOwn(page);
  await page.goto('about:blank');
  await page.goto(`${suite.server.address}/`);
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await page.getByRole('button', { name: 'Choose a file' }).waitFor();
  await dropPaths(page, [...ownFiles, join(own, 'parts')]);
  await answersOwn(page);
});

pageTest('a lesson that is dropped by itself', async ({ page }) => {
  const path = join(folder, 'alone.md');
  writeFileSync(path, '# Alone\nWords.\n```python\nvalue = 6 * 7\n```\n## After\nstop: end\nquestion: How much?\nanswer: value\n');
  await dropPaths(page, [path]);
  await step(page, 'Step 1 of 2: Alone');
  await page.keyboard.press('PageDown');
  await step(page, 'Step 2 of 2: After');
  await answer(page, '42', 'Right');
});

pageTest('a lesson at an address, at one of its stops', async ({ page }) => {
  writeFileSync(join(folder, 'far.md'), '# Far away\nWords.\n```python\nvalue = 6 * 7\n```\n## Then\nstop: end\nMore.\n\n## At the end\nstop: end\nquestion: How much?\nanswer: value\n');
  const address = encodeURIComponent(`${suite.files}/files/far.md`);
  await page.goto('about:blank');
  await page.goto(`${suite.server.address}/?url=${address}`);
  await step(page, 'Step 1 of 3: Far away');
  await page.goto('about:blank');
  await page.goto(`${suite.server.address}/?url=${address}#stop=3`);
  await step(page, 'Step 3 of 3: At the end');
  await answer(page, '42', 'Right');
  await page.keyboard.press('PageUp');
  await step(page, 'Step 2 of 3: Then');
  await page.waitForFunction(() => /^#url=.*far\.md.*&stop=2$/.test(location.hash));
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
  await heard('"stop":1,"stops":8');
  await page.evaluate(() => document.querySelector('iframe').contentWindow.postMessage({ nnscope: 'next' }, '*'));
  await heard('"stop":2,"stops":8');
  await page.evaluate(() => document.querySelector('iframe').contentWindow.postMessage({ nnscope: 'go', stop: 5 }, '*'));
  await heard('"stop":5,"stops":8');
  await page.evaluate(() => document.querySelector('iframe').contentWindow.postMessage({ nnscope: 'back' }, '*'));
  await heard('"stop":4,"stops":8');
}, {
  prepare: () => {
    if (location.pathname.endsWith('embed.html')) {
      window.heard = [];
      addEventListener('message', ({ data }) => window.heard.push(data));
    }
  },
});

/// Once the service worker has kept what runs programs: then nobody needs the network any more.
async function isKept(page) {
  const kept = () => page.evaluate(async () => (await (await caches.open('nnscope-site')).keys()).map(({ url }) => url.slice(url.lastIndexOf('/') + 1).split('?')[0]));
  const wanted = ['', 'core.js', 'core.wasm', 'engine.js', 'engine.wasm', 'page.js', 'style.css', 'viewer.wasm'];
  for (let found = []; wanted.some((name) => !found.includes(name)); found = await kept()) await page.waitForTimeout(100);
}
const asked = (folder, from = 0) => suite.server.requests.slice(from).map(({ path }) => path).filter((path) => path.startsWith(`${folder}engine.`));

pageTest('without a network, after a first visit of the start page alone: a lesson runs', async ({ page, context }) => {
  await page.getByRole('button', { name: 'Where did conv1 go?' }).waitFor({ state: 'attached' });
  assert.deepEqual(asked('/some/sub/path/'), [], 'the start page comes without what runs programs');
  await isKept(page);
  assert.deepEqual(asked('/some/sub/path/').sort(), ['/some/sub/path/engine.js', '/some/sub/path/engine.wasm'], 'each is loaded once');
  await context.setOffline(true);
  // In the page that is open, and in one that is opened later.
  await tabTo(page, /^button Where did conv1 go\?/);
  await page.keyboard.press('Enter');
  await step(page, 'Step 1 of ');
  await page.goto('about:blank');
  await page.goto(`${suite.server.address}/some/sub/path/#sample=lesson/ddp&stop=2`);
  await step(page, 'Step 2 of ');
  await answer(page, 'True', 'Right');
  await page.reload();
  await step(page, 'Step 2 of ');
}, { serviceWorkers: 'allow', path: '/some/sub/path/' });

pageTest('without a network, after a first visit by a link to a lesson', async ({ page, context }) => {
  await step(page, 'Step 2 of ');
  await isKept(page);
  await context.setOffline(true);
  await page.reload();
  await step(page, 'Step 2 of ');
  await answer(page, 'True', 'Right');
  await page.goto('about:blank');
  await page.goto(`${suite.server.address}/#sample=lesson/conv1&stop=2`);
  await step(page, 'Step 2 of ');
}, { serviceWorkers: 'allow', path: '/#sample=lesson/ddp&stop=2' });

pageTest('who saves data loads nothing that is not asked for', async ({ page }) => {
  const from = suite.server.requests.length;
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForTimeout(6000);
  assert.deepEqual(asked('/', from), []);
  await page.goto(`${suite.server.address}/#sample=lesson/ddp&stop=2`);
  await step(page, 'Step 2 of ');
  await isKept(page);
}, { serviceWorkers: 'allow', prepare: () => Object.defineProperty(navigator, 'connection', { value: { saveData: true } }) });
