// Measures the page in Chromium: node tests/web/measure.mjs [--rounds N] [--json FILE]. Prints a table; never a test.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { kSite, launch, openExplorer, skipWithoutBrowser, temporaryFolder } from './support/browser.mjs';
import { expertTensors, llamaTensors, tenThousandTensors, writeSafetensors, writeTorchZip } from './support/fixtures.mjs';
import { countFileBytes, median, rendererBytes, watchPage } from './support/measure.mjs';
import { serve } from './support/server.mjs';

skipWithoutBrowser();
const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '5' }, json: { type: 'string' } } });
const rounds = Number(options.rounds);
const results = [];
const note = (what, value, unit, goal) => results.push({ what, value: Math.round(value * 10) / 10, unit, goal });

// ---- size
const kilobytes = (bytes) => bytes / 1000;
let raw = 0;
const packed = { viewer: 0, core: 0, engine: 0 };  // page and style sheet belong to the viewer
for (const name of readdirSync(kSite)) {
  const bytes = readFileSync(join(kSite, name));
  if (name === 'licenses.txt') continue;  // nothing loads it
  raw += bytes.length;
  packed[/^(core|engine)\./.exec(name)?.[1] ?? 'viewer'] += gzipSync(bytes, { level: 9 }).length;
}
note('viewer, gzip', kilobytes(packed.viewer), 'KB', 400);
note('what the explorer loads, gzip', kilobytes(packed.viewer + packed.core), 'KB', 1200);
note('engine, gzip', kilobytes(packed.engine), 'KB');
note('whole site, raw', kilobytes(raw), 'KB');

const folder = temporaryFolder();
const files = {
  small: writeSafetensors(join(folder, 'llama_1138.safetensors'), llamaTensors({ layers: 126, width: 8, kv: 4, inner: 8, words: 16, rotary: true })),
  experts: writeSafetensors(join(folder, 'experts_91991.safetensors'), expertTensors()),
  gigabytes: writeSafetensors(join(folder, 'llama_2gb.safetensors'), llamaTensors({ layers: 33, width: 1024, kv: 1024, inner: 9216, words: 16000 })),
  huge: writeSafetensors(join(folder, 'llama_810gb.safetensors'), llamaTensors({ layers: 126, width: 16384, kv: 1024, inner: 53248, words: 128256, rotary: true })),
  torch: writeTorchZip(join(folder, 'gpt_10k.pt'), tenThousandTensors()),
};

const server = await serve({ '/': { folder: kSite } });
const browser = await launch();
const explorer = () => openExplorer(browser, `${server.address}/`, { prepare: watchPage });

// ---- start
const starts = [];
for (let round = 0; round < rounds; ++round) {
  server.requests.length = 0;
  const { page, context } = await explorer();
  starts.push(await page.evaluate(() => window.nnsWatch.firstControls));
  await page.waitForTimeout(500);
  if (round === 0) note('requests, core included', server.requests.length, '', 6);
  await context.close();
}
note('first picture, which answers to input', median(starts), 'ms', 300);

// ---- files
const megabytes = (bytes) => bytes / 2 ** 20;
async function measureFile(label, path, item, goal_ms, goal_mib) {
  const times = [];
  const growths = [];
  let bytesRead = 0;
  for (let round = 0; round < rounds; ++round) {
    const { page, context } = await explorer();
    await page.waitForTimeout(700);
    const bytes = await countFileBytes(page);
    const before = await rendererBytes(browser);
    await page.evaluate((wanted) => { window.nnsWatch.wanted = wanted; }, item);
    await page.locator('#file').setInputFiles(path);
    await page.waitForFunction(() => window.nnsWatch.drawn > 0, null, { timeout: 60_000 });
    times.push(await page.evaluate(() => window.nnsWatch.drawn - window.nnsWatch.given));
    await page.waitForTimeout(1000);
    growths.push(await rendererBytes(browser) - before);
    bytesRead = await bytes();
    await context.close();
  }
  note(`${label}: file to drawn tree`, median(times), 'ms', goal_ms);
  note(`${label}: renderer growth`, megabytes(median(growths)), 'MiB', goal_mib);
  note(`${label}: bytes read of ${(statSync(path).size / 1e9).toPrecision(3)} GB`, kilobytes(bytesRead), 'KB');
}
await measureFile('1,138 tensors', files.small, 'model', 60);
await measureFile('91,991 tensors', files.experts, 'model', 200, 150);
await measureFile('2.2 GB', files.gigabytes, 'model', 60, 50);
await measureFile('810 GB', files.huge, 'model', 60, 50);
await measureFile('.pt with 10,000 tensors', files.torch, 'transformer', 150);

// ---- frames
{
  const { page, context } = await explorer();
  await page.evaluate(() => { window.nnsWatch.wanted = 'model'; });
  await page.locator('#file').setInputFiles(files.experts);
  await page.waitForFunction(() => window.nnsWatch.drawn > 0);
  await page.getByRole('treeitem').first().click();
  await page.keyboard.press('*');
  await page.waitForTimeout(500);
  const box = await page.getByRole('tree').first().boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.evaluate(() => { window.nnsWatch.frames.length = 0; });
  for (let turn = 0; turn < 100; ++turn) await page.mouse.wheel(0, 300);
  const frames = (await page.evaluate(() => window.nnsWatch.frames)).sort((a, b) => a - b);
  note('frame while scrolling 91,991 tensors unfolded, median', median(frames), 'ms', 2);
  note('frame while scrolling 91,991 tensors unfolded, 95 %', frames[Math.floor(frames.length * 0.95)], 'ms');
  await page.waitForTimeout(1500);
  await page.evaluate(() => { window.nnsWatch.frames.length = 0; });
  await page.waitForTimeout(2000);
  note('frames in 2 s of rest', (await page.evaluate(() => window.nnsWatch.frames)).length, '', 0);
  await context.close();
}

const version = browser.version();
await browser.close();
await server.close();

const width = Math.max(...results.map(({ what }) => what.length));
console.log(`Chromium ${version} headless, SwiftShader; ${cpus()[0].model}, ${cpus().length} CPUs; ${new Date().toISOString().slice(0, 10)}; medians of ${rounds}`);
for (const { what, value, unit, goal } of results) {
  const verdict = goal === undefined ? '' : `  goal ≤ ${goal} ${unit} ${value <= goal ? '✓' : '✗'}`;
  console.log(`${what.padEnd(width)}  ${value.toFixed(1).padStart(9)} ${unit.padEnd(3)}${verdict}`);
}
if (options.json) {
  mkdirSync(dirname(options.json), { recursive: true });
  writeFileSync(options.json, `${JSON.stringify({ chromium: version, cpu: cpus()[0].model, cpus: cpus().length, date: new Date().toISOString(), rounds, results }, null, 2)}\n`);
}
