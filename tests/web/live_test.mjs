// A training of another process, watched in the page and steered by the keyboard alone: curve, learning rate, pause and
// checkpoint; one who may only watch; a run that goes away.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { folder, pageTest, suite, tabTo } from './support/suite.mjs';

const program = process.env.NNSCOPE_PROGRAM;
const skip = program && existsSync(program) ? false : 'NNSCOPE_PROGRAM names no program';

/// Starts `nnscope train spirals --serve` and gives its addresses; `end()` ends it.
async function train(name, ...more) {
  const child = spawn(program, ['train', 'spirals', '--set', 'epochs=1000000', '--checkpoint-every', '0', '--run',
    join(folder, name), '--serve', ...(more.includes('--port') ? [] : ['--port', '0']), ...more], { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, DISPLAY: '' } });
  let told = '';
  await new Promise((resolve, reject) => {
    child.stderr.on('data', (data) => {
      told += data;
      if (/to control: \S+\n/.test(told)) resolve();
    });
    child.on('exit', () => reject(new Error(`the training ended: ${told}`)));
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const end = async (signal = 'SIGKILL') => {
    child.kill(signal);
    await ended;
  };
  return { watch: /to watch:\s+(\S+)/.exec(told)[1], control: /to control:\s+(\S+)/.exec(told)[1], end };
}

/// The page that the training itself gives out, attached.
async function attach(page, address) {
  await page.goto(address);
  await page.getByRole('main', { name: 'Training' }).waitFor({ state: 'attached' });
}
const chart = (page, name) => page.getByRole('img', { name: new RegExp(`^${name}`) });
const shown = (page, text) => page.locator('#controls').getByText(text).first().waitFor({ state: 'attached' });

for (const size of [{ width: 1280, height: 800, colorScheme: 'dark' }, { width: 1024, height: 700, colorScheme: 'light' }]) {
  pageTest(`a run is watched and its learning rate is set by keys at ${size.width} x ${size.height}`, async ({ page }) => {
    const name = `run-${size.width}`;
    const run = await train(name);
    try {
      await attach(page, run.control);
      await page.getByRole('heading', { name: /spirals/ }).waitFor({ state: 'attached' });
      await shown(page, /step [1-9][\d,]*/);
      await chart(page, 'Loss').waitFor({ state: 'attached' });
      await tabTo(page, /^textbox Learning rate/);
      await page.keyboard.press('Control+a');
      await page.keyboard.type('0.125');
      await page.keyboard.press('Enter');
      // The program tells what it learns with from then on, and the curve shows it.
      await tabTo(page, /^tab Loss/);
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await page.getByRole('tab', { name: 'Learning rate', selected: true }).waitFor({ state: 'attached' });
      await page.waitForFunction(() => /0\.125/.test(document.querySelector('[role="img"][aria-label^="Learning rate"]')?.getAttribute('aria-description') ?? ''));
      await page.keyboard.press('p');
      await page.getByRole('heading', { name: /Paused/ }).waitFor({ state: 'attached' });
      const at = await page.getByRole('heading', { name: /Paused/ }).getAttribute('aria-label')
        ?? await page.getByRole('heading', { name: /Paused/ }).textContent();
      await page.keyboard.press('.');
      await page.waitForFunction((before) => {
        const heading = [...document.querySelectorAll('[role="heading"]')].find((one) => /Paused/.test(one.getAttribute('aria-label') ?? one.textContent));
        return heading && (heading.getAttribute('aria-label') ?? heading.textContent) !== before;
      }, at);
      await page.keyboard.press('c');
      await page.keyboard.press('p');
      await page.getByRole('heading', { name: /Running/ }).waitFor({ state: 'attached' });
      for (let i = 0; i < 200 && !readdirSync(join(folder, name, 'checkpoints')).some((file) => file.endsWith('.pt')); ++i) await page.waitForTimeout(50);
      assert.ok(readdirSync(join(folder, name, 'checkpoints')).some((file) => file.endsWith('.pt')), 'a checkpoint was taken');
    } finally {
      await run.end();
    }
  }, { ...size, skip, expected: [/WebSocket/] });
}

pageTest('a weight is watched while it changes, then all that touches it, by keys', async ({ page }) => {
  const run = await train('weights');
  try {
    await attach(page, run.control);
    await page.getByRole('row', { name: /^2, Linear/ }).waitFor({ state: 'attached' });
    await tabTo(page, /^row /);
    for (let i = 0; i < 3; ++i) await page.keyboard.press('ArrowDown');
    await tabTo(page, /^tab Step$/, { back: true });
    for (let i = 0; i < 2; ++i) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^2\.weight/ }).waitFor({ state: 'attached' });
    const map = page.getByRole('img', { name: /^Parameters after step/ });
    await map.waitFor({ state: 'attached' });
    const before = await map.getAttribute('aria-label');
    await page.waitForFunction((told) => document.querySelector('[role="img"][aria-label^="Parameters after step"]').getAttribute('aria-label') !== told, before);
    await page.keyboard.press('}');
    await page.getByRole('heading', { name: /^2\.bias/ }).waitFor({ state: 'attached' });
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    const touch = (text) => page.getByRole('listitem').filter({ hasText: text }).first().waitFor({ state: 'attached' });
    await touch(/^step \d+: Gradient, norm /);
    await touch(/^step \d+: Written: change, norm /);
    await touch(/^step \d+: Gradient cleared/);
  } finally {
    await run.end();
  }
}, { skip, expected: [/WebSocket/] });

pageTest('the parts of a step and the statistics of modules are heard', async ({ page }) => {
  const run = await train('heard');
  try {
    await attach(page, run.control);
    await page.getByRole('list', { name: /^Timeline of step [\d,]+, / }).waitFor({ state: 'attached' });
    await page.getByRole('listitem').filter({ hasText: /^Forward, [\d.e-]+ ms from / }).first().waitFor({ state: 'attached' });
    await page.keyboard.press(')');
    await page.getByRole('heading', { name: 'Modules by Update norm' }).waitFor({ state: 'attached' });
    await page.keyboard.press(']');
    await page.getByRole('heading', { name: 'Modules by Update over weight' }).waitFor({ state: 'attached' });
    await page.getByRole('row', { name: /^0, Linear, [\d.e-]+/ }).waitFor({ state: 'attached' });
  } finally {
    await run.end();
  }
}, { skip, expected: [/WebSocket/] });

for (const size of [{ width: 1280, height: 800, colorScheme: 'light' }, { width: 420, height: 800, colorScheme: 'dark' }]) {
  pageTest(`two ranks that train together have a lane each, reached by keys at ${size.width} x ${size.height}`, async ({ page }) => {
    const run = await train(`ranks-${size.width}`, '--nproc', '2');
    try {
      await attach(page, run.control);
      await page.getByRole('tab', { name: /^Ranks/ }).waitFor({ state: 'attached' });
      await tabTo(page, /^tab Step$/);
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('Enter');
      await page.getByRole('tab', { name: /^Ranks/, selected: true }).waitFor({ state: 'attached' });
      const listed = (text) => page.getByRole('listitem').filter({ hasText: text }).first().waitFor({ state: 'attached' });
      await listed(/^All 2 ranks: step \d+/);
      await listed(/^step: .*\(rank [01]\) to .* on average/);
      await tabTo(page, /^listitem /);
      for (let i = 0; i < 11; ++i) await page.keyboard.press('ArrowDown');
      await listed(/^Rank 1: step \d+ of 2 ranks/);
    } finally {
      await run.end();
    }
  }, { ...size, skip, expected: [/WebSocket/] });
}

pageTest('who may only watch sees the run and is told why nothing can be pressed; a run that is gone is said', async ({ page }) => {
  const run = await train('watched');
  try {
    await attach(page, run.watch);
    await shown(page, /step [1-9][\d,]*/);
    const pause = page.getByRole('button', { name: 'Pause' });
    await pause.waitFor({ state: 'attached' });
    assert.equal(await pause.getAttribute('aria-disabled'), 'true');
    // The page comes from the run: all of it has to be here before that goes.
    await page.waitForLoadState('networkidle');
  } finally {
    await run.end();
  }
  await page.getByRole('status').filter({ hasText: /trying again/ }).first().waitFor({ state: 'attached' });
}, { skip, expected: [/WebSocket/] });

/// A way to `port` that can be cut and mended.
async function openLine(port) {
  const ends = new Set();
  let isCut = false;
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [one, other] of [[near, far], [far, near]]) {
      ends.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => { ends.delete(one); other.destroy(); });
    }
    if (isCut) near.destroy();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    cut: () => { isCut = true; ends.forEach((one) => one.destroy()); },
    mend: () => { isCut = false; },
    close: () => { ends.forEach((one) => one.destroy()); server.close(); },
  };
}
const portOf = (address) => Number(new URL(address).port);
/// What the training printed, for a page of another origin; by another port.
const fromElsewhere = (address, port = portOf(address)) => `${suite.server.address}/${new URL(address).hash.replace(/:\d+\/live/, `:${port}/live`)}`;
const status = (page, text) => page.getByRole('status').filter({ hasText: text }).first().waitFor({ state: 'attached' });
const steps = async (page) => {
  await shown(page, /step [1-9][\d,]*/);
  return Number(/step ([\d,]+)/.exec(await page.locator('#controls').getByText(/step [1-9][\d,]*/).first().textContent())[1].replaceAll(',', ''));
};

pageTest('a page of another origin is let in when it was named, loses the line, and comes back by itself', async ({ page }) => {
  const run = await train('elsewhere', '--allow-origin', suite.server.address);
  const line = await openLine(portOf(run.watch));
  try {
    await page.goto(fromElsewhere(run.control, line.port));
    await page.getByRole('main', { name: 'Training' }).waitFor({ state: 'attached' });
    const before = await steps(page);
    line.cut();
    await status(page, /the connection was lost.*trying again/);
    // What was told stays on the screen.
    await page.getByRole('main', { name: 'Training' }).waitFor({ state: 'attached' });
    assert.ok(await steps(page) >= before);
    line.mend();
    await page.waitForFunction(() => ![...document.querySelectorAll('[role="status"]')].some((one) => /trying again/.test(one.getAttribute('aria-label') ?? one.textContent)));
    const after = await steps(page);
    for (let i = 0; i < 100 && await steps(page) <= after; ++i) await page.waitForTimeout(50);
    assert.ok(await steps(page) > after, 'the run is followed again');
    await chart(page, 'Loss').waitFor({ state: 'attached' });
  } finally {
    line.close();
    await run.end();
  }
}, { skip, expected: [/WebSocket/] });

pageTest('a page of an origin that was not named is kept out, and says what would let it in', async ({ page }) => {
  const run = await train('closed');
  try {
    await page.goto(fromElsewhere(run.control));
    await status(page, new RegExp(`--allow-origin ${suite.server.address}`));
    assert.equal(await page.getByRole('main', { name: 'Training' }).count(), 0);
  } finally {
    await run.end();
  }
}, { skip, expected: [/WebSocket/] });

/// Whether nobody listens there.
const isFree = (port) => new Promise((resolve) => {
  const server = createServer();
  server.on('error', () => resolve(false));
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
});

pageTest('one press finds a training at the usual port where the page came from another one', async ({ page }) => {
  assert.ok(await isFree(7373), 'port 7373 is taken: this test needs it');
  const run = await train('usual-port', '--port', '7373', '--allow-origin', suite.server.address);
  try {
    await tabTo(page, /^button Attach to a training on this machine/);
    await page.keyboard.press('Enter');
    await page.getByRole('main', { name: 'Training' }).waitFor({ state: 'attached' });
    await shown(page, /step [1-9][\d,]*/);
  } finally {
    await run.end();
  }
}, { skip, expected: [/WebSocket/] });

pageTest("what the program serves runs no script but its own, and works under that rule", async ({ page }) => {
  const run = await train('policy');
  try {
    const answer = await page.goto(run.control);
    assert.match(answer.headers()['content-security-policy'] ?? '', /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; /);
    await page.getByRole('main', { name: 'Training' }).waitFor({ state: 'attached' });
    await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.wasRun = true';
      document.body.append(script);
    });
    assert.equal(await page.evaluate(() => window.wasRun), undefined);
    await shown(page, /step [1-9][\d,]*/);
  } finally {
    await run.end();
  }
}, { skip, expected: [/WebSocket/, /Content Security Policy/] });
