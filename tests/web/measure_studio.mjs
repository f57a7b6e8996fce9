// Measures the studio in Chromium: a million events recorded beside the plain run of the same program, and jumps between
// them: node tests/web/measure_studio.mjs [JUMPS]. A jump is from the key that asks for it to the names of that moment
// among the page's controls.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kSite, launch, openExplorer, skipWithoutBrowser, temporaryFolder } from './support/browser.mjs';
import { median } from './support/measure.mjs';
import { serve } from './support/server.mjs';

skipWithoutBrowser();
const jumps = Number(process.argv[2] ?? 25);
const path = join(temporaryFolder(), 'million.py');
// Calls, attributes, lists and dicts, as programs have them; what it prints is how long it took.
writeFileSync(path, `import time
class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y
    def moved(self, dx, dy):
        return Point(self.x + dx, self.y + dy)
def run(count):
    seen = {}
    path = []
    here = Point(0, 0)
    for i in range(count):
        here = here.moved(i % 7, -1)
        key = 'row ' + str(i % 10)
        seen[key] = seen.get(key, 0) + here.x
        path.append(here)
        if len(path) > 20:
            path.pop(0)
took = []
for part in range(3):  # the least: browsers compile what runs better while it runs
    began = time.perf_counter()
    run(24000)
    took.append(time.perf_counter() - began)
print('took', round(min(took) * 1000), 'ms')
`);
const server = await serve({ '/': { folder: kSite } });
const browser = await launch();
const { page } = await openExplorer(browser, server.address, { width: 1440, height: 900 });
const took = async (count) => {
  const lines = page.getByRole('listitem').filter({ hasText: /^took \d+ ms$/ });
  await lines.nth(count - 1).waitFor({ state: 'attached', timeout: 300_000 });
  return Number(/\d+/.exec(await lines.last().textContent())[0]);
};
await page.locator('#file').setInputFiles(path);
const plain = await took(1);
await page.keyboard.press('Control+Shift+Enter');
await page.getByRole('button', { name: 'Record again' }).waitFor({ state: 'attached', timeout: 300_000 });
const events = await page.evaluate(() => Number(document.querySelector('[role=slider][aria-label=Event]').getAttribute('aria-valuemax')));
await page.getByRole('slider', { name: 'Event' }).focus();
await page.keyboard.press('End');
await page.waitForFunction((end) => Number(document.querySelector('[role=slider][aria-label=Event]').getAttribute('aria-valuenow')) === end, events);
const recorded = await took(1);
await page.keyboard.press('PageDown');  // into the loop, where `i` has a value
await page.getByRole('listitem').filter({ hasText: /^i: \d+$/ }).first().waitFor({ state: 'attached', timeout: 60_000 });

/// From a key on the slider, which jumps by a tenth of all events, to the names of that moment. Units: ms.
await page.evaluate(() => {
  const told = () => [...document.querySelectorAll('#controls [role=listitem]')].map((one) => one.textContent).filter((text) => /^(i|self|x|dx): /.test(text)).join(' ');
  const jump = { began: 0, took: 0, last: told() };
  window.nnsJump = jump;
  addEventListener('keydown', () => Object.assign(jump, { began: performance.now(), took: 0 }), true);
  new MutationObserver(() => {
    const now = told();
    if (now === '' || now === jump.last) return;
    jump.last = now;
    jump.took = performance.now() - jump.began;
  }).observe(document.querySelector('#controls'), { subtree: true, childList: true, characterData: true });
});
async function jump(key) {
  await page.keyboard.press(key);
  await page.waitForFunction(() => window.nnsJump.took > 0, undefined, { timeout: 20_000 });
  return page.evaluate(() => window.nnsJump.took);
}
console.log(`${events} events: plain ${plain} ms, recorded ${recorded} ms, ratio ${(recorded / plain).toFixed(2)}`);
const times = [];
for (let i = 0; i < jumps; ++i) times.push(await jump(i % 16 < 8 ? 'PageDown' : 'PageUp'));
console.log(`jump: median ${median(times).toFixed(1)} ms, longest ${Math.max(...times).toFixed(1)} ms of ${jumps}`);
await browser.close();
await server.close();
