// axe-core on a page: no rule of accessibility may be broken.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const kScript = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/// `where` is told if something is wrong. Colours are in the picture, where axe cannot see them: the theme's own test holds
/// their contrast.
export async function axe(page, where = '') {
  if (!await page.evaluate(() => Boolean(window.axe))) await page.evaluate(kScript);
  const { violations } = await page.evaluate(() => window.axe.run(document, { rules: { 'color-contrast': { enabled: false } } }));
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html).join('  ')}`), [], where);
}
