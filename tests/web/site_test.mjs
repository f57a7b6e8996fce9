// What the site weighs: what a browser loads to open a file must stay small.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { gzipSync } from 'node:zlib';

const site = process.env.NNSCOPE_SITE;
const kMost_bytes = 1_200_000;

test('all that the explorer loads is at most 1.2 MB, packed', { skip: !site && 'NNSCOPE_SITE names no site' }, () => {
  const sizes = readdirSync(site).map((name) => ({ name, size: gzipSync(readFileSync(join(site, name)), { level: 9 }).length }));
  // The engine runs samples and programs; who looks at files never loads it.
  const loaded = sizes.filter(({ name }) => !name.startsWith('engine.') && name !== 'licenses.txt');
  assert.ok(['index.html', 'page.js', 'core.js', 'core.wasm', 'viewer.wasm', 'style.css'].every((name) => loaded.some((file) => file.name === name)));
  const total = loaded.reduce((sum, { size }) => sum + size, 0);
  assert.ok(total <= kMost_bytes, `${total} bytes: ${loaded.map(({ name, size }) => `${name} ${size}`).join(', ')}`);
});

test('the licences of what the site contains lie beside it', { skip: !site && 'NNSCOPE_SITE names no site' }, () => {
  const text = readFileSync(join(site, 'licenses.txt'), 'utf8');
  for (const name of ['Dear ImGui', 'tree-sitter', 'simdjson', 'Inter', 'JetBrains Mono', 'musl']) assert.ok(text.includes(name), name);
  assert.ok(!text.includes('was not on the machine'), 'a text is missing');
});
