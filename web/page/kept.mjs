// Files that can be opened again: their handles, in the browser's own storage, where it gives handles at all.

const kStore = 'files';
const kLook_ms = 1000;

const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/// The storage, or a rejected promise where the browser has none (private windows).
let opened = null;
function database() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('nnscope', 1);
    request.onupgradeneeded = () => request.result.createObjectStore(kStore);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

/// Keeps a group of files (files.mjs) whose entries have handles, or promises of them, under its name.
export async function keepFiles(name, files) {
  try {
    const kept = await Promise.all(files.map(async ({ path, handle }) => ({ path, handle: await handle })));
    if (kept.some(({ handle }) => handle?.kind !== 'file')) return;
    await done((await database()).transaction(kStore, 'readwrite').objectStore(kStore).put(kept, name));
  } catch {
    // Then it cannot be opened again, and the explorer asks for it.
  }
}

async function findFiles(name) {
  try {
    return await done((await database()).transaction(kStore).objectStore(kStore).get(name)) ?? null;
  } catch {
    return null;
  }
}

/// The files that were kept under a name: [{path, file, handle}], or null. `mayAsk`: the browser may ask the person, who has
/// just pressed something.
export async function reopenFiles(name, mayAsk) {
  const kept = await findFiles(name);
  if (!kept) return null;
  try {
    for (const { handle } of kept) {
      let state = await handle.queryPermission({ mode: 'read' });
      if (state !== 'granted' && mayAsk) state = await handle.requestPermission({ mode: 'read' });
      if (state !== 'granted') return null;
    }
    return await Promise.all(kept.map(async ({ path, handle }) => ({ path, handle, file: await handle.getFile() })));
  } catch {
    return null;
  }
}

/// Looks after files by their names, and calls `changed(name, files)` when one has changed and rests again.
export class Watcher {
  constructor(changed) {
    this.changed = changed;
    this.known = new Map();  // name -> {stamp, isChanging}
    this.timer = 0;
    this.isLooking = false;
  }

  watch(names) {
    for (const name of this.known.keys()) if (!names.includes(name)) this.known.delete(name);
    for (const name of names) if (!this.known.has(name)) this.known.set(name, { stamp: '', isChanging: false });
    clearTimeout(this.timer);
    if (names.length > 0) this.look();
  }

  async look() {
    // One look at a time: two would both tell of one change. A name that comes meanwhile is seen by the next.
    if (this.isLooking) return;
    this.isLooking = true;
    for (const [name, before] of this.known) {
      const files = await reopenFiles(name, false);
      const stamp = files?.map(({ file }) => `${file.size} ${file.lastModified}`).join(' ') ?? before.stamp;
      const isSame = stamp === before.stamp;
      if (before.isChanging && isSame && this.known.has(name)) this.changed(name, files);
      this.known.set(name, { stamp, isChanging: !isSame && before.stamp !== '' });
    }
    this.isLooking = false;
    clearTimeout(this.timer);
    if (this.known.size > 0) this.timer = setTimeout(() => this.look(), kLook_ms);
  }
}
