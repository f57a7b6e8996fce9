// A static server for tests: the site, and folders of files with or without byte ranges.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const kTypes = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8',
  '.wasm': 'application/wasm', '.json': 'application/json',
};

/// Serves `mounts` ({'/path/': {folder, ranges, cors, hideSize, redirect}}) on a free port of this machine.
/// Gives {address, requests, close()}: `requests` holds {method, path, range, status, bytes} of every request.
export async function serve(mounts) {
  const requests = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://host').pathname);
    const entry = { method: request.method, path, range: request.headers.range ?? null, status: 0, bytes: 0 };
    requests.push(entry);
    const end = (status, headers = {}, text = '') => {
      entry.status = status;
      response.writeHead(status, headers);
      response.end(text);
    };
    const prefix = Object.keys(mounts).filter((mount) => path.startsWith(mount)).sort((a, b) => b.length - a.length)[0];
    if (!prefix) return end(404);
    const mount = mounts[prefix];
    const headers = { 'Cache-Control': 'no-store' };
    if (mount.cors !== false) {
      headers['Access-Control-Allow-Origin'] = '*';
      headers['Access-Control-Allow-Headers'] = 'Range';
      if (!mount.hideSize) headers['Access-Control-Expose-Headers'] = 'Content-Range';
    }
    if (request.method === 'OPTIONS') return end(204, headers);
    const rest = path.slice(prefix.length) || 'index.html';
    if (mount.redirect) return end(302, { ...headers, Location: mount.redirect + rest });
    const file = normalize(join(mount.folder, rest));
    if (!file.startsWith(normalize(mount.folder))) return end(403, headers);
    let size;
    try {
      const stat = statSync(file);
      if (!stat.isFile()) return end(404, headers);
      size = stat.size;
    } catch {
      return end(404, headers);
    }
    headers['Content-Type'] = kTypes[extname(file)] ?? 'application/octet-stream';
    const range = mount.ranges === false ? null : /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
    if (!range) {
      headers['Content-Length'] = size;
      entry.status = 200;
      response.writeHead(200, headers);
      const stream = createReadStream(file);
      stream.on('data', (chunk) => {
        entry.bytes += chunk.length;
      });
      stream.pipe(response);
      response.on('close', () => stream.destroy());
      return;
    }
    const begin = Number(range[1]);
    const last = range[2] === '' ? size - 1 : Math.min(Number(range[2]), size - 1);
    if (begin > last) return end(416, { ...headers, 'Content-Range': `bytes */${size}` });
    headers['Content-Range'] = `bytes ${begin}-${last}/${size}`;
    headers['Content-Length'] = last - begin + 1;
    entry.status = 206;
    entry.bytes = last - begin + 1;
    response.writeHead(206, headers);
    createReadStream(file, { start: begin, end: last }).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    requests,
    close: () => new Promise((resolve) => {
      server.closeAllConnections();
      server.close(resolve);
    }),
  };
}
