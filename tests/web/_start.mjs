import { serve } from './support/server.mjs';
import { launch, openExplorer, kSite } from './support/browser.mjs';
import { watchPage, median } from './support/measure.mjs';
const server = await serve({ '/': { folder: kSite } });
const browser = await launch();
const all = [];
for (let i = 0; i < 7; ++i) {
  const { page, context } = await openExplorer(browser, server.address + '/', { prepare: watchPage });
  await page.waitForTimeout(300);
  const r = await page.evaluate(() => ({ fcp: performance.getEntriesByName('first-contentful-paint')[0]?.startTime, inter: nnsWatch.firstControls, res: performance.getEntriesByType('resource').map(e => `${e.name.replace(/.*\//, '').replace(/\?.*/, '')} ${e.startTime.toFixed(0)}-${e.responseEnd.toFixed(0)}`).join(', '), marks: performance.getEntriesByType('mark').map(m => `${m.name} ${m.startTime.toFixed(0)}`).join(', '), frames: nnsWatch.frames.map(x => x.toFixed(1)).join(' ') }));
  all.push(r); console.log(JSON.stringify(r));
  await context.close();
}
console.log(median(all.map(a => a.fcp)), median(all.map(a => a.inter)));
await browser.close(); await server.close();
