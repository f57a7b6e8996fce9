// Puts the site together: node build_site.mjs <folder of the programs> <licenses.txt> <site>.
// The modules of the page and the viewer's glue become page.js, those of the worker with the glue of each host core.js and
// engine.js, so that the first picture needs few requests. Every address carries a hash of what it names: a browser never mixes two versions.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [programs, licenses, site] = process.argv.slice(2);
if (!site) throw new Error('usage: node build_site.mjs <folder of the programs> <licenses.txt> <site>');

/// One script out of a module and all that it imports. What it does not declare (kSite, the glue's functions) is before it.
const bundle = (entry) => execFileSync('esbuild',
  [join(here, entry), '--bundle', '--minify', '--format=esm', '--target=es2022', '--charset=utf8', '--log-level=warning'],
  { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

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
/// The glue of a program, as small as it gets without changing a name that others know.
const glue = (name) => execFileSync('esbuild', ['--minify', '--target=es2022', '--charset=utf8', '--log-level=warning'],
  { encoding: 'utf8', input: program(`${name}.js`), stdio: ['pipe', 'pipe', 'inherit'] });
const constants = (value) => `const kSite = ${JSON.stringify(value)};\n`;

for (const name of ['core', 'engine', 'viewer']) put(`${name}.wasm`, program(`${name}.wasm`));
put('style.css', readFileSync(join(here, 'style.css'), 'utf8').replace(/\/\*[^]*?\*\/\n?/g, '').replace(/\n\s*/g, '\n'));
for (const name of ['core', 'engine']) {
  put(`${name}.js`, `${constants({ program: written.get(`${name}.wasm`) })}${glue(name)}const createProgram = create_${name};\n${bundle('worker.mjs')}`);
}
put('page.js', constants({ core: written.get('core.js'), engine: written.get('engine.js'), viewer: written.get('viewer.wasm') }) + glue('viewer') + bundle('main.mjs'));
// Nothing loads it: it is there for who passes the site on, and who wants to know.
writeFileSync(join(site, 'licenses.txt'), readFileSync(licenses));
const index = readFileSync(join(here, 'index.html'), 'utf8').replace(/\{\{([^}]+)\}\}/g, (_, name) => {
  if (!written.has(name)) throw new Error(`index.html names ${name}, which is not there`);
  return written.get(name);
});
writeFileSync(join(site, 'index.html'), index);
// Its own address has no hash: browsers look there for a newer one.
writeFileSync(join(site, 'offline.js'), constants({ files: ['./', ...written.values()] }) + bundle('offline.mjs'));
