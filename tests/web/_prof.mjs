import { serve } from './support/server.mjs';
import { launch, kSite } from './support/browser.mjs';
import { watchPage } from './support/measure.mjs';
const server = await serve({ '/': { folder: kSite } });
const browser = await launch();
for (let k = 0; k < 2; ++k) {
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
const page = await context.newPage();
await page.addInitScript(watchPage);
const cdp = await context.newCDPSession(page);
await cdp.send('Profiler.enable'); await cdp.send('Profiler.setSamplingInterval', { interval: 500 });
await cdp.send('Profiler.start');
await page.goto(server.address + '/');
await page.locator('#controls [data-id]').first().waitFor({ state: 'attached' });
await page.waitForTimeout(1000);
const { profile } = await cdp.send('Profiler.stop');
const self = new Map(); const names = new Map(profile.nodes.map(n => [n.id, n]));
profile.samples.forEach((id, i) => { const n = names.get(id); const key = `${n.callFrame.functionName || '(anon)'} ${n.callFrame.url.replace(/.*\//, '').slice(0, 20)}:${n.callFrame.lineNumber}`; self.set(key, (self.get(key) ?? 0) + profile.timeDeltas[i]); });
console.log([...self].sort((a, b) => b[1] - a[1]).slice(0, 18).map(([k, v]) => `${(v / 1000).toFixed(1)} ms ${k}`).join('\n'), '\n', await page.evaluate(() => [nnsWatch.firstControls, nnsWatch.frames.map(x => x.toFixed(0)).join(' ')]));
await context.close();
}
await browser.close(); await server.close();
