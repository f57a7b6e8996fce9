// The service worker: after the first visit all works without a network. What runs programs is large: it comes last, when the
// page asks for it. It answers for the site's own files only; each has its hash in its address, so that what is kept can never
// be old. What people open is never kept.
const kCache = 'nnscope-site';
// kSite.files: the addresses of this version, put before this text by build_site.mjs.
/// Nobody who only looks at files has to wait for these.
const isLarge = (file) => file.startsWith('engine.');
const own = (address) => new URL(address, self.registration.scope).href;

self.addEventListener('install', (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(kCache);
    await cache.addAll(kSite.files.filter((file) => !isLarge(file)).map((file) => new Request(own(file), { cache: file === './' ? 'no-cache' : 'default' })));
    await self.skipWaiting();
  })());
});

self.addEventListener('activate', (event) => {
  event.waitUntil((async () => {
    const wanted = new Set(kSite.files.map(own));
    const cache = await caches.open(kCache);
    for (const request of await cache.keys()) {
      if (!wanted.has(request.url)) await cache.delete(request);
    }
    await self.clients.claim();
  })());
});

/// What is on its way to be kept, by its address: two who want it at a time load it once.
const onItsWay = new Map();

async function find(address) {
  await onItsWay.get(address);
  return (await caches.open(kCache)).match(address);
}

/// Keeps what `answer` promises; done also when that does not come.
function keep(address, answer) {
  const kept = (async () => {
    const found = await answer;
    if (found.status === 200) await (await caches.open(kCache)).put(address, found);
  })().catch(() => {}).finally(() => onItsWay.delete(address));
  onItsWay.set(address, kept);
  return kept;
}

/// What is not there yet, behind all that somebody waits for. If the page has loaded it already, the browser has it still, so
/// that nothing is loaded twice.
self.addEventListener('message', (event) => {
  if (event.data !== 'keep programs') return;
  event.waitUntil((async () => {
    for (const address of kSite.files.filter(isLarge).map(own)) {
      if (!await find(address)) await keep(address, fetch(address, { priority: 'low' }));
    }
  })());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const address = request.url.split('#')[0];
  const isPage = request.mode === 'navigate' && new URL(address).href.replace(/\?.*$/, '') === own('./');
  if (request.method !== 'GET' || (!isPage && !kSite.files.some((file) => own(file) === address))) return;
  event.respondWith((async () => {
    if (!isPage) {
      const kept = await find(address);
      if (kept) return kept;
      const answer = fetch(request);
      event.waitUntil(keep(address, answer.then((found) => found.clone())));
      return answer;
    }
    // The page itself is asked for first: a newer version names newer files.
    try {
      return await fetch(request);
    } catch (error) {
      const kept = await find(own('./'));
      if (kept) return kept;
      throw error;
    }
  })());
});
