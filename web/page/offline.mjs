// The service worker: after the first visit the explorer works without a network, and with what runs programs once that
// was used. It answers for the site's own files only; each has its hash in its address, so that what is kept can never
// be old. What people open is never kept.
const kCache = 'nnscope-site';
// kSite.files: the addresses of this version, put before this text by build_site.mjs.
/// Nobody who only looks at files has to load these.
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

/// The page has loaded what runs programs: the browser has it still, so that nothing is loaded twice.
self.addEventListener('message', (event) => {
  if (event.data !== 'keep programs') return;
  event.waitUntil((async () => {
    const cache = await caches.open(kCache);
    for (const file of kSite.files.filter(isLarge)) {
      if (!await cache.match(own(file))) await cache.add(own(file));
    }
  })());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const address = request.url.split('#')[0];
  const isPage = request.mode === 'navigate' && new URL(address).href.replace(/\?.*$/, '') === own('./');
  if (request.method !== 'GET' || (!isPage && !kSite.files.some((file) => own(file) === address))) return;
  event.respondWith((async () => {
    const cache = await caches.open(kCache);
    if (!isPage) {
      const kept = await cache.match(address);
      if (kept) return kept;
      const answer = await fetch(request);
      if (answer.ok && answer.status === 200) await cache.put(address, answer.clone());
      return answer;
    }
    // The page itself is asked for first: a newer version names newer files.
    try {
      return await fetch(request);
    } catch (error) {
      const kept = await cache.match(own('./'));
      if (kept) return kept;
      throw error;
    }
  })());
});
