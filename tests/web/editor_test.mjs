// The editor of programs in the page, by the keyboard alone: edited and run, errors where they are, breakpoints, a link
// that carries the program into another profile, a hundred thousand lines, a run that is stopped while it is edited, what is
// taken back and what is saved.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { openExplorer } from './support/browser.mjs';
import { chooseFiles, line, pageTest, suite, writeProgram } from './support/suite.mjs';

const written = (page, text) => page.getByRole('listitem').filter({ hasText: text }).first().waitFor({ timeout: 60_000 });
const said = (page, text) => page.getByRole('status').filter({ hasText: text }).first().waitFor({ state: 'attached', timeout: 60_000 });
const source = (page) => page.evaluate(() => ({
  line: document.activeElement?.value,
  told: document.activeElement?.getAttribute('aria-description') ?? '',
}));

async function edit(page, name) {
  await page.keyboard.press('Alt+e');
  await page.waitForFunction((label) => document.activeElement?.getAttribute('aria-label') === label, `Source of ${name}`, { timeout: 60_000 });
}

// How many points of the screen are of the theme's colour for what is wrong, in the caret's line.
async function redPoints(page) {
  const box = await page.evaluate(() => {
    const { x, y, width, height } = document.activeElement.getBoundingClientRect();
    return { x, y, width, height };
  });
  const picture = (await page.screenshot({ clip: box })).toString('base64');
  return page.evaluate(async (png) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0))]));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) count += data[i] > 150 && data[i + 1] < 120 && data[i + 2] < 120 ? 1 : 0;
    return count;
  }, picture);
}

pageTest('a program is edited and run: its tree, its output and its errors are those of the new text', async ({ page }) => {
  await chooseFiles(page, writeProgram('net.py', 'import torch\nnet = torch.nn.Linear(3, 2)\nprint("one")\n'));
  await line(page, 'net').waitFor({ timeout: 60_000 });
  await written(page, /^one$/);
  await edit(page, 'net.py');
  await page.keyboard.press('Control+End');
  await page.keyboard.type('second = torch.nn.Conv2d(1, 2, 3');
  await said(page, "Line 4: SyntaxError: '(' was never closed");
  assert.match((await source(page)).told, /Line 4 of 4.*error: SyntaxError/);
  await page.keyboard.type(')');
  await said(page, 'No problems');
  await page.keyboard.press('Enter');
  await page.keyboard.type('print(second.missing)');
  await page.keyboard.press('Control+Enter');
  await said(page, "Line 5: AttributeError: 'Conv2d' object has no attribute 'missing'");
  await line(page, 'second').waitFor();
  await page.waitForTimeout(300);
  const wrong = await redPoints(page);
  // The rest of the line behind the dot is taken back, and it runs to its end.
  await page.keyboard.press('Control+Backspace');
  await page.keyboard.press('Control+Backspace');
  await page.keyboard.type('stride)');
  await page.keyboard.press('Control+Enter');
  await written(page, '(1, 1)');
  await said(page, 'No problems');
  await page.waitForTimeout(300);
  const right = await redPoints(page);
  assert.ok(wrong > right + 20, `the squiggle is drawn below the line and goes with the error: ${wrong}, ${right}`);
});

pageTest('a breakpoint that is set in the editor stops the recording, moves with its line, and is taken away in the studio', async ({ page }) => {
  await chooseFiles(page, writeProgram('stops.py', 'total = 0\nfor i in range(3):\n    total += i\nprint(total)\n'));
  await written(page, /^3$/);
  await edit(page, 'stops.py');
  await page.keyboard.press('Control+Home');
  for (let i = 0; i < 2; ++i) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('F9');
  await page.waitForFunction(() => document.activeElement.getAttribute('aria-description').includes('breakpoint'));
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('import sys\n');
  for (let i = 0; i < 2; ++i) await page.keyboard.press('ArrowDown');
  await page.waitForFunction(() => document.activeElement.getAttribute('aria-description').startsWith('Line 4 of 6'));
  assert.match((await source(page)).told, /breakpoint/, 'it went down with its line');
  await page.keyboard.press('Control+Shift+Enter');
  await page.getByRole('listitem').filter({ hasText: /^1, runs: import sys/ }).waitFor({ timeout: 120_000 });
  for (const sum of [/^total: 0/, /^total: 0/, /^total: 1/]) {
    await page.keyboard.press('c');
    await page.getByRole('listitem').filter({ hasText: '4, breakpoint, runs:     total += i' }).waitFor();
    await page.getByRole('listitem').filter({ hasText: sum }).first().waitFor();
  }
  // The keyboard is in the source, at the line that runs.
  await page.keyboard.press('F9');
  await page.getByRole('listitem').filter({ hasText: '4, runs:     total += i' }).waitFor();
  await page.keyboard.press('Alt+t');
  await edit(page, 'stops.py');
  assert.doesNotMatch((await source(page)).told, /breakpoint/);
});

pageTest('a link with the program is opened in a profile that never saw it, and an edit outlives a reload', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await chooseFiles(page, writeProgram('shared.py', 'print("as it was")\n'));
  await written(page, 'as it was');
  await edit(page, 'shared.py');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('import torch\nshared = torch.nn.Linear(7, 5)\nprint("edited", shared.weight.shape)');
  await page.waitForFunction(() => document.activeElement.value === 'print("edited", shared.weight.shape)');
  // The link is of a text that was looked through.
  let link = '';
  for (let tries = 0; tries < 50 && !link.includes('#code='); ++tries) {
    await page.waitForTimeout(200);
    await page.keyboard.press('Alt+l');
    link = await page.evaluate(() => navigator.clipboard.readText());
  }
  const fresh = await openExplorer(suite.browser, link);
  try {
    await line(fresh.page, 'shared').waitFor({ timeout: 60_000 });
    await written(fresh.page, 'edited torch.Size([5, 7])');
    await edit(fresh.page, 'shared.py');
    await fresh.page.keyboard.press('Control+End');
    await fresh.page.keyboard.type('\nprint("kept", 6 * 7)');
    // What is typed is kept a moment after the page has it, which a busy machine takes a while for.
    await fresh.page.waitForFunction(() => document.activeElement.value === 'print("kept", 6 * 7)', undefined, { timeout: 60_000 });
    await fresh.page.waitForTimeout(1500);
    await fresh.page.reload();
    await written(fresh.page, 'kept 42');
    assert.deepEqual(fresh.errors, []);
  } finally {
    await fresh.context.close();
  }
});

pageTest('a hundred thousand lines are gone to, searched, changed and run; a run that does not end is stopped while they are edited', async ({ page }) => {
  const lines = Array.from({ length: 100_000 }, (_, i) => `v = ${i}  # line ${i + 1}`);
  await chooseFiles(page, writeProgram('long.py', `${lines.join('\n')}\nprint("last", v)\n`));
  await written(page, 'last 99999');
  await edit(page, 'long.py');
  await page.keyboard.press('Control+g');
  await page.keyboard.type('90000');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement.value === 'v = 89999  # line 90000');
  await page.keyboard.press('Control+f');
  await page.keyboard.type('line 100000');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.activeElement.value === 'v = 99999  # line 100000');
  await page.keyboard.press('End');
  await page.keyboard.type('\nwhile v: v += 1');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: 'Stop' }).first().waitFor();
  await page.keyboard.type('  # edited while it runs');
  await page.waitForFunction(() => document.activeElement.value.endsWith('# edited while it runs'));
  // Out of the text with Escape, then to the button with the keyboard.
  await page.keyboard.press('Escape');
  for (let stop = 0; stop < 40; ++stop) {
    await page.keyboard.press('Shift+Tab');
    if (await page.evaluate(() => document.activeElement?.getAttribute('aria-label')) === 'Stop') break;
  }
  await page.keyboard.press('Enter');
  await written(page, 'KeyboardInterrupt');
});

pageTest('what was typed is taken back and done again, and what runs is what is seen', async ({ page }) => {
  await chooseFiles(page, writeProgram('undo.py', 'value = 1\nprint("is", value)\n'));
  await written(page, /^is 1$/);
  await edit(page, 'undo.py');
  const shows = (text) => page.waitForFunction((wanted) => document.activeElement?.value === wanted, text);
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('End');
  await shows('value = 1');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('22');
  await shows('value = 22');
  // Two lines become one, and that is taken back, too.
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Control+Shift+End');
  await page.keyboard.press('Delete');
  await shows('');
  await page.keyboard.press('Control+z');
  await page.waitForFunction(() => document.activeElement.getAttribute('aria-description')?.includes(' of 3'));
  await page.keyboard.press('Control+Home');
  await shows('value = 22');
  await page.keyboard.press('Control+Enter');
  await written(page, /^is 22$/);
  for (let i = 0; i < 12 && (await source(page)).line !== 'value = 1'; ++i) {
    await page.keyboard.press('Control+z');
    await page.waitForTimeout(100);
  }
  await shows('value = 1');
  await page.keyboard.press('Control+Enter');
  await written(page, /^is 1$/);
  for (let i = 0; i < 12 && (await source(page)).line !== 'value = 22'; ++i) {
    await page.keyboard.press(i % 2 === 0 ? 'Control+y' : 'Control+Shift+Z');
    await page.waitForTimeout(100);
  }
  await shows('value = 22');
});

pageTest('the text is saved as a file by Ctrl+S, as it is edited', async ({ page }) => {
  await chooseFiles(page, writeProgram('kept.py', 'print("as it was, ü")\n'));
  await written(page, 'as it was, ü');
  await edit(page, 'kept.py');
  await page.keyboard.press('Control+End');
  await page.keyboard.type('print("more", 1)');
  await page.waitForFunction(() => document.activeElement.value === 'print("more", 1)');
  const [download] = await Promise.all([page.waitForEvent('download', { timeout: 60_000 }), page.keyboard.press('Control+s')]);
  assert.equal(download.suggestedFilename(), 'kept.py');
  assert.equal(readFileSync(await download.path(), 'utf8'), 'print("as it was, ü")\nprint("more", 1)');
  assert.equal((await source(page)).line, 'print("more", 1)', 'the keyboard stays in the text');
}, {
  // The dialog of the browser cannot be driven here: without it files are downloads.
  prepare: () => {
    delete window.showSaveFilePicker;
  },
});
