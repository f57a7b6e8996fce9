// Measures training steps in Chromium, in a worker as the page's engine is one:
//   node tests/web/measure_training.mjs [--seconds N] [--json FILE] [LINE...]
// LINE is one of those of tests/bench/web_steps.cpp (limit/fma, train/mlp, train/mlp_captured, ...); without, all. Prints a
// table with the part of limit/fma, the most that the browser's vectors can do, in the same run; never a test.
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { kTop, launch, skipWithoutBrowser } from './support/browser.mjs';
import { serve } from './support/server.mjs';

skipWithoutBrowser();
const { values: options, positionals: lines } = parseArgs({
  options: { seconds: { type: 'string', default: '2' }, json: { type: 'string' } }, allowPositionals: true });
if (lines.length > 0 && !lines.includes('limit/fma')) lines.unshift('limit/fma');

/// Milliseconds a step: goals E1 to E3 of the machine on which jax-js was measured.
const kGoals = { 'train/mlp': 6.3, 'train/cnn': 6, 'train/tinymlp_captured': 0.006 };

const folder = process.env.NNSCOPE_WEB_BENCH ?? join(kTop, 'build/web/bin/bench');
const server = await serve({ '/': { folder } });
const browser = await launch();
const page = await browser.newPage();
await page.goto(`${server.address}/web_steps.js`);  // shown as a text: a page of that origin
const { status, printed } = await page.evaluate(({ address, words }) => new Promise((resolve, reject) => {
  const body = `importScripts('${address}/web_steps.js');
create_web_steps({ print: (text) => postMessage({ text }), locateFile: (file) => '${address}/' + file })
  .then((steps) => postMessage({ status: steps.callMain(${JSON.stringify(words)}) }))
  .catch((error) => postMessage({ error: String(error) }));`;
  const worker = new Worker(URL.createObjectURL(new Blob([body], { type: 'text/javascript' })));
  const printed = [];
  worker.onerror = (event) => reject(new Error(event.message));
  worker.onmessage = ({ data }) => {
    if (data.text !== undefined) printed.push(data.text);
    else if (data.error !== undefined) reject(new Error(data.error));
    else resolve({ status: data.status, printed });
  };
}), { address: server.address, words: [options.seconds, ...lines] });
const version = browser.version();
await browser.close();
await server.close();
if (status !== 0) throw new Error(printed.join('\n'));
const results = printed.map((text) => JSON.parse(text));

const limit = results.find(({ name }) => name === 'limit/fma').giga_flops;
console.log(`Chromium ${version} headless, one worker; ${cpus()[0].model}; ${new Date().toISOString().slice(0, 10)}; medians (the least)`);
for (const { name, steps, milliseconds, least, giga_flops } of results) {
  const time = name === 'limit/fma' ? '' : `${milliseconds.toPrecision(4)} (${least.toPrecision(4)}) ms`;
  const goal = kGoals[name] === undefined ? '' : `  goal ${kGoals[name]} ms`;
  console.log(`${name.padEnd(24)} ${time.padStart(24)} ${giga_flops.toFixed(2).padStart(8)} GF/s ${(100 * giga_flops / limit).toFixed(0).padStart(4)} %  ${steps} steps${goal}`);
}
if (options.json) writeFileSync(options.json, `${JSON.stringify({ chromium: version, date: new Date().toISOString(), results }, null, 2)}\n`);
