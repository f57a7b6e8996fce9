// What the page writes: by the keyboard alone, as downloads that other parsers read.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { expertTensors, writeSafetensors } from './support/fixtures.mjs';
import { chooseFiles, eachLook, folder, pageTest, tabTo } from './support/suite.mjs';

const small = writeSafetensors(join(folder, 'small.safetensors'), [['fc.weight', 'F32', [2, 3]], ['fc.bias', 'F32', [2]]]);
const many = writeSafetensors(join(folder, 'experts.safetensors'), [...expertTensors(), ['zz.big.weight', 'F32', [4_000, 4_000]]]);

// The dialog of the browser cannot be driven here: without it files are downloads.
const prepare = () => {
  delete window.showSaveFilePicker;
};

async function saved(page, action) {
  const [download] = await Promise.all([page.waitForEvent('download', { timeout: 120_000 }), action()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

async function command(page, words) {
  await page.keyboard.press('Control+p');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type(words);
  await page.keyboard.press('Enter');
}

/// Width, height and the unpacked rows of a PNG, whose checksums must hold.
function readPng(bytes) {
  assert.equal(bytes.toString('latin1', 1, 4), 'PNG');
  const data = [];
  let width, height;
  for (let at = 8; at < bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IHDR') [width, height] = [bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12)];
    if (type === 'IDAT') data.push(bytes.subarray(at + 8, at + 8 + length));
    let crc = ~0;
    for (let i = at + 4; i < at + 8 + length; ++i) {
      crc ^= bytes[i];
      for (let bit = 0; bit < 8; ++bit) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
    assert.equal(~crc >>> 0, bytes.readUInt32BE(at + 8 + length), type);
    at += length + 12;
  }
  const rows = inflateSync(Buffer.concat(data));
  assert.equal(rows.length, height * (3 * width + 1));
  return { width, height };
}

for (const [width, height] of [[1280, 800], [360, 740]]) {
  pageTest(`tree, map and tensor are saved by keys at ${width} x ${height}`, async ({ page }) => {
    await chooseFiles(page, small);
    await page.getByRole('treeitem').first().waitFor();
    const text = await saved(page, () => page.keyboard.press('Control+s'));
    assert.equal(text.name, 'small.txt');
    assert.match(text.bytes.toString(), /Total params: 8\n/);
    const svg = await saved(page, () => page.keyboard.press('Control+Alt+e'));
    assert.match(svg.bytes.toString(), /^<\?xml[^]*<\/svg>\n$/);
    const wellFormed = await page.evaluate((xml) =>
      new DOMParser().parseFromString(xml, 'image/svg+xml').querySelector('parsererror') === null,
      svg.bytes.toString().replace(/ style="[^"]*"/, ''));
    assert.ok(wellFormed);
    const png = await saved(page, () => page.keyboard.press('Control+Shift+E'));
    assert.equal(png.name, 'small.png');
    assert.ok(readPng(png.bytes).height > 100);
    await page.keyboard.press('Alt+m');
    await page.getByRole('tab', { name: 'Map', selected: true }).waitFor();
    const map = await saved(page, () => page.keyboard.press('Control+Shift+E'));
    assert.equal(map.name, 'small.map.png');
    assert.deepEqual(readPng(map.bytes), { width: 1600, height: 1000 });
    const json = await saved(page, () => command(page, 'tree as json'));
    assert.equal(JSON.parse(json.bytes.toString()).parameters, 8);
    await tabTo(page, /^treeitem/);
    await page.keyboard.press('End');
    await page.getByRole('heading', { name: 'weight' }).waitFor();
    const npy = await saved(page, () => page.keyboard.press('Control+s'));
    assert.equal(npy.name, 'small.fc.weight.npy');
    assert.equal(npy.bytes.length, 128 + 24);
  }, { width, height, prepare });
}

eachLook('the heat map and the values that are looked at are saved', async ({ page }) => {
  await chooseFiles(page, small);
  await page.getByRole('treeitem').first().waitFor();
  await tabTo(page, /^treeitem/);
  await page.keyboard.press('End');
  await page.getByRole('heading', { name: 'weight' }).waitFor();
  await page.locator('[role="img"][aria-label^="Heat map of"]').waitFor({ state: 'attached' });
  const png = await saved(page, () => page.keyboard.press('Control+Shift+E'));
  assert.equal(png.name, 'small.fc.weight.png');
  assert.ok(readPng(png.bytes).width >= 420);
  await tabTo(page, /^textbox Part of the tensor/);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('[1, 1:]');
  await page.locator('[role="img"][aria-label*="1 rows, 2 columns"]').waitFor({ state: 'attached' });
  const svg = await saved(page, () => page.keyboard.press('Control+Alt+e'));
  assert.match(svg.bytes.toString(), /^<\?xml[^]*fc\.weight\[1, 1:\][^]*<\/svg>\n$/);
  // A browser shows the picture with its cells.
  const drawn = await page.evaluate(async (bytes) => {
    const image = new Image();
    image.src = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type: 'image/svg+xml' }));
    await image.decode();
    return [image.naturalWidth, image.naturalHeight];
  }, [...svg.bytes]);
  assert.ok(drawn[0] >= 420 && drawn[1] > 100, String(drawn));
  const csv = await saved(page, () => command(page, 'values looked csv'));
  assert.equal(csv.name, 'small.fc.weight[1,1_].csv');
  assert.equal(csv.bytes.toString(), '0,0\n');
}, { prepare });

pageTest('92,000 rows are saved, and not if one cancels in the middle', async ({ page }) => {
  await chooseFiles(page, many);
  await page.getByRole('treeitem').first().waitFor();
  await page.keyboard.press('Control+Alt+e');
  await page.getByRole('progressbar', { name: /Saving/ }).waitFor({ state: 'attached' });
  await tabTo(page, /^button Cancel Saving/);
  await page.keyboard.press('Enter');
  await page.getByText('Saving was cancelled').first().waitFor({ state: 'attached' });
  const csv = await saved(page, () => command(page, 'tree as csv'));
  assert.ok(csv.bytes.toString().split('\n').length > 92_000);
}, { prepare });
