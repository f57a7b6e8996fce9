// Puts the site together: node build_site.mjs <folder of the programs> <site>.
// The modules of the page and the viewer's glue become page.js, those of the worker and the core's glue core.js, so that
// the first picture needs few requests. Every address carries a hash of what it names: a browser never mixes two versions.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [programs, site] = process.argv.slice(2);
if (!site) throw new Error('usage: node build_site.mjs <folder of the programs> <site>');

/// One script out of a module and all that it imports. Modules import by `import { a, b } from './x.mjs'` alone and export
/// declarations alone, and no two of them declare the same name.
function bundle(entry) {
  const done = new Set();
  const declared = new Map();
  const parts = [];
  const visit = (path) => {
    if (done.has(path)) return;
    done.add(path);
    let text = readFileSync(path, 'utf8');
    text = text.replace(/^import \{[^}]*\} from '(\.\/[^']+)';\n/gm, (_, other) => {
      visit(resolve(dirname(path), other));
      return '';
    });
    if (/^(import|export (default|\{|\*))/m.test(text)) throw new Error(`${path}: an import or export of a form that the bundle does not know`);
    text = text.replace(/^export /gm, '');
    for (const [, name] of text.matchAll(/^(?:async )?(?:function|class|const|let) (\w+)/gm)) {
      if (declared.has(name)) throw new Error(`${name} is declared in ${declared.get(name)} and in ${path}`);
      declared.set(name, path);
    }
    parts.push(text);
  };
  visit(resolve(here, entry));
  return parts.join('\n');
}

/// Without comments that fill a line, empty lines and indentation.
const slim = (text) => text.split('\n').map((line) => line.trim()).filter((line) => line && !line.startsWith('//')).join('\n') + '\n';

const hash = (bytes) => createHash('sha256').update(bytes).digest('hex').slice(0, 12);
const written = new Map();
/// Writes a file of the site; gives the address under which the others name it.
function put(name, bytes) {
  writeFileSync(join(site, name), bytes);
  written.set(name, `${name}?v=${hash(bytes)}`);
  return written.get(name);
}

rmSync(site, { recursive: true, force: true });
mkdirSync(site, { recursive: true });
const program = (name) => readFileSync(join(programs, name));
const constants = (value) => `const kSite = ${JSON.stringify(value)};\n`;

put('core.wasm', program('core.wasm'));
put('viewer.wasm', program('viewer.wasm'));
put('style.css', readFileSync(join(here, 'style.css'), 'utf8').replace(/\/\*[^]*?\*\/\n?/g, '').replace(/\n\s*/g, '\n'));
put('core.js', constants({ coreProgram: written.get('core.wasm') }) + program('core.js') + slim(bundle('worker.mjs')));
put('page.js', constants({ core: written.get('core.js'), viewer: written.get('viewer.wasm') }) + program('viewer.js') + slim(bundle('main.mjs')));
const index = readFileSync(join(here, 'index.html'), 'utf8').replace(/\{\{([^}]+)\}\}/g, (_, name) => {
  if (!written.has(name)) throw new Error(`index.html names ${name}, which is not there`);
  return written.get(name);
});
writeFileSync(join(site, 'index.html'), index);
