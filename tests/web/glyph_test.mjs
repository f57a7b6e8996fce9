// Names in letters that the page's own typefaces lack: the browser draws them into the picture.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { writeSafetensors } from './support/fixtures.mjs';
import { chooseFiles, folder, line, pageTest } from './support/suite.mjs';

const russian = writeSafetensors(join(folder, 'модель.safetensors'),
  [['слой', 'F32', [2, 2]], ['????', 'F32', [2, 2]], ['слои', 'F32', [2, 2]]], { metadata: { автор: 'Ада' } });
const latin = writeSafetensors(join(folder, 'modèle.safetensors'), [['couche α', 'F32', [2, 2]]]);

/// Notes what the browser is asked to draw: nothing else of the page writes on a canvas.
const prepare = () => {
  window.nnsLetters = [];
  const draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    window.nnsLetters.push({ text, font: this.font });
    return draw.call(this, text, ...rest);
  };
};
const drawn = (page) => page.evaluate(() => window.nnsLetters);
const letters = async (page) => (await drawn(page)).map(({ text }) => text);

/// What a line of the tree looks like where its name begins: for each pixel how far it is from the background.
async function look(page, name) {
  const box = await line(page, name).boundingBox();
  const shot = await page.screenshot({ clip: { x: box.x + 48, y: box.y + 2, width: 60, height: box.height - 4 } });
  return page.evaluate(async (bytes) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0))]));
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    return Array.from({ length: data.length / 4 }, (_, i) => Math.abs(data[4 * i] - data[0]));
  }, shot.toString('base64'));
}
const inked = (pixels) => pixels.filter((far) => far > 60).length;
const different = (a, b) => a.filter((far, i) => Math.abs(far - b[i]) > 60).length;

for (const size of [{ width: 1280, height: 800, colorScheme: 'dark' }, { width: 360, height: 740, colorScheme: 'light', deviceScaleFactor: 2 }]) {
  pageTest(`a name in another script is drawn with its letters, ${size.width} px wide`, async ({ page }) => {
    await chooseFiles(page, russian);
    await line(page, 'слой').waitFor();
    await page.keyboard.press('Home');
    await page.mouse.move(1, 1);
    await page.waitForTimeout(300);
    const asked = await letters(page);
    for (const letter of 'модельслойи') assert.ok(asked.includes(letter), letter);
    assert.ok(!asked.includes('s') && !asked.includes('?'), 'the page has those itself');
    const [word, marks, other] = [await look(page, 'слой'), await look(page, '????'), await look(page, 'слои')];
    assert.ok(inked(word) > 40, `there is something to be seen: ${inked(word)}`);
    assert.ok(different(word, marks) > 40, 'it is no row of question marks');
    assert.ok(different(word, other) < different(word, marks) / 2, 'words of the same letters look alike');
    // Once drawn they stay, in each size and style in which they were seen, wherever the walk leads.
    for (const key of ['ArrowDown', 'Home', 'ArrowDown', 'Home']) {
      await page.keyboard.press(key);
      await page.waitForTimeout(100);
    }
    const seen = (await drawn(page)).map(({ text, font }) => `${font} ${text}`);
    assert.deepEqual(seen.filter((one, i) => seen.indexOf(one) !== i), [], 'nothing is drawn twice');
  }, { prepare, ...size });
}

pageTest('a page without such letters asks the browser for none', async ({ page }) => {
  await chooseFiles(page, latin);
  await line(page, 'couche α').waitFor();
  await page.keyboard.press('End');
  await page.getByRole('heading', { name: 'couche α' }).waitFor({ state: 'attached' });
  assert.deepEqual(await letters(page), []);
}, { prepare });
