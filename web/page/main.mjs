// The page: starts the viewer at once and the core beside it, and lets the two, the browser and the person talk.
import { AccessTree } from './access.mjs';
import { embed } from './embed.mjs';
import { droppedAddress, droppedFiles, groupFiles, looksLikeProgram } from './files.mjs';
import { Hosts, kFiles, kPrograms } from './hosts.mjs';
import { listen } from './input.mjs';
import { Live } from './live.mjs';
import { programLoader } from './loader.mjs';
import { FramePump } from './frames.mjs';
import { Glyphs } from './glyphs.mjs';
import { keepFiles, reopenFiles, Watcher } from './kept.mjs';
import { copyText, Settings } from './system.mjs';
import { kSave, SavedFile } from './save.mjs';
import { kNoWebGl2, missingFeature, showTrouble } from './trouble.mjs';

const canvas = document.getElementById('picture');
const fileInput = document.getElementById('file');
const settings = new Settings();
const kQuiet_ms = 3000;
const kReload = 'Reload the page. If it happens again, tell us what you opened.';

let viewer = null;

const hosts = new Hosts([kSite.core, kSite.engine], (host, buffer) => {
  const bytes = new Uint8Array(buffer);
  const place = viewer._nns_inbox(host, bytes.length);
  viewer.HEAPU8.set(bytes, place);
  viewer._nns_deliver(host);
  pump.soon();
}, (host, why) => {
  callWithText(viewer._nns_core_stopped, `${host === kPrograms ? 'What ran the programs' : 'The reader'} stopped: ${why}`, host);
  pump.changed();
});

const kLive = 2;
const live = new Live((buffer) => {
  const bytes = new Uint8Array(buffer);
  const place = viewer._nns_inbox(kLive, bytes.length);
  viewer.HEAPU8.set(bytes, place);
  viewer._nns_deliver(kLive);
  pump.soon();
}, () => pump.changed());

// ---- the viewer
const waiting = [];
function whenViewer(action) {
  if (viewer) action();
  else waiting.push(action);
}

const utf8 = new TextEncoder();
const fromUtf8 = new TextDecoder();

/// Puts `text` where the viewer finds it: [address, length].
function give(text) {
  const bytes = utf8.encode(text);
  const place = viewer._nns_text_place(bytes.length);
  viewer.HEAPU8.set(bytes, place);
  return [place, bytes.length];
}

const callWithText = (entry, text, ...rest) => entry(...give(text), ...rest);

const darkQuery = matchMedia('(prefers-color-scheme: dark)');
const motionQuery = matchMedia('(prefers-reduced-motion: reduce)');
const textAt = (place, length) => fromUtf8.decode(viewer.HEAPU8.subarray(place, place + length));

/// The files that were begun, by their numbers.
const saved = [];
const glyphs = new Glyphs();

/// What the viewer's program calls (web/host/viewer_imports.js).
const host = {
  send: (to, bytes) => (to === kLive ? live.send(bytes) : hosts.send(to, bytes.buffer, [bytes.buffer])),
  cancelProgram: (request) => hosts.cancelProgram(request),
  attach: (place, length) => live.attach(textAt(place, length)),
  detach: () => live.close(),
  liveTrouble: () => give(live.trouble),
  pickFile: () => pickFiles(),
  async reopen(place, length, mayAsk, number) {
    const name = textAt(place, length);
    const files = await reopenFiles(name, mayAsk);
    if (files) offer({ name, files }, (text, size, source) => viewer._nns_reopened(text, size, number, source));
    else callWithText(viewer._nns_reopened, '', number, 0);
    pump.now();
  },
  watch: (place, length) => watcher.watch(textAt(place, length).split('\n').filter(Boolean)),
  showLink(place, length, visit) {
    const link = textAt(place, length);
    const address = location.pathname + (link ? `#${link}` : '');
    // Browsers refuse a page that makes history in a loop, as somebody does who walks through a tree with a key held.
    const now = performance.now();
    while (pushes.length > 0 && now - pushes[0] > kPushes_ms) pushes.shift();
    const isNew = visit > 0 && pushes.length < kMostPushes;
    if (isNew) pushes.push(now);
    const state = { visit: visit || (ownState()?.visit ?? 0), load: performance.timeOrigin };
    if (isNew) history.pushState(state, '', address);
    else history.replaceState(state, '', address);
  },
  goInHistory: (steps) => history.go(steps),
  linkBase: () => give(location.origin + location.pathname),
  copy: (place, length) => copyText(textAt(place, length)),
  scale: () => pump.scale,
  isDark: () => darkQuery.matches,
  isStill: () => motionQuery.matches,
  load(place, length) {
    const value = settings.load(textAt(place, length));
    if (value === null) return false;
    give(value);
    return true;
  },
  save: (key, keyLength, value, valueLength) => settings.save(textAt(key, keyLength), textAt(value, valueLength)),
  saveStart(place, length) {
    return saved.push(new SavedFile(textAt(place, length), () => pump.changed())) - 1;
  },
  saveState(file) {
    if (saved[file].state === kSave.failed) give(saved[file].error);
    return saved[file].state;
  },
  savePending: (file) => saved[file].pending,
  saveWrite(file, bytes, mode) {
    if (mode === 0) saved[file].write(bytes);
    else saved[file].pack(bytes, mode === 2);
  },
  saveEnd: (file, isWhole) => saved[file].end(Boolean(isWhole)),
  setTitle(place, length) {
    document.title = textAt(place, length);
  },
  requestFrame(wait_ms) {
    if (wait_ms > 0) setTimeout(() => pump.changed(), wait_ms);
    else pump.changed();
  },
  setCursor(name) {
    if (document.body.style.cursor !== name) document.body.style.cursor = name;
  },
  drawGlyph: (letter, style, em_px) => glyphs.draw(letter, style, em_px),
  takeGlyph: () => glyphs.take(),
  publish(place, length) {
    access.apply(JSON.parse(textAt(place, length)));
    tellParent();
  },
};

/// By the numbers of AccessAction::Kind (ui/host/access_node.h).
const kActions = { focus: 0, activate: 1, text: 4 };
const access = new AccessTree(document.getElementById('controls'), (id, kind, text) => {
  callWithText(viewer._nns_access_action, text, id, kActions[kind]);
  pump.changed();
}, () => viewer._nns_is_focus_under_way());

const pump = new FramePump(canvas, (seconds, width, height, scale) => {
  viewer._nns_frame(seconds, width, height, scale);
  access.moveFocus(false);
});

const picture = {
  pointer: (x, y) => viewer._nns_pointer(x, y),
  leave: () => viewer._nns_pointer(-1e9, -1e9),
  button: (which, down) => viewer._nns_button(which, down),
  wheel: (right, down) => viewer._nns_wheel(right, down),
  key: (name, down) => callWithText(viewer._nns_key, name, down),
  modifiers: (ctrl, shift, alt, meta) => viewer._nns_modifiers(ctrl, shift, alt, meta),
  text: (characters) => callWithText(viewer._nns_typed, characters),
  focus: (has) => viewer._nns_focus(has),
};

const tellParent = embed(document.getElementById('controls'), ({ key, link }) => whenViewer(() => {
  if (link) {
    callWithText(viewer._nns_go_to, link, 0);
  } else {
    picture.key(key, true);
    picture.key(key, false);
  }
  pump.now();
}));

/// A finger that touches one of these moves it, anywhere else it scrolls.
const dragsAt = (element) => Boolean(element.closest?.('[role="slider"], [role="img"], [role="separator"]'));

const isModal = () => document.querySelector('#controls [role="dialog"]') !== null;

// ---- files
let nextSource = 1;
const kMostPushes = 60;
const kPushes_ms = 15_000;
const pushes = [];

/// The state of the present entry of the history, if this page made it and not one before it was loaded anew.
const ownState = () => (history.state?.load === performance.timeOrigin ? history.state : null);

/// Gives files to the core under a number, and that number to the viewer.
function offer(group, tell) {
  const source = nextSource++;
  hosts.give(source, group.files.map(({ path, file }) => ({ path, file })));
  const isKept = group.files.every(({ handle }) => handle);
  if (isKept) keepFiles(group.name, group.files);
  // The name under which it is found again stands behind the file's own.
  callWithText(tell, isKept ? `${group.name}\n${group.name}` : group.name, source);
}

function openFiles(entries) {
  whenViewer(async () => {
    for (const group of await groupFiles(entries)) offer(group, viewer._nns_dropped);
    pump.now();
  });
}

function answerPicker(entries) {
  whenViewer(async () => {
    // The first answers the viewer's question; more of them come as if they had been dropped.
    (await groupFiles(entries)).forEach((group, i) => offer(group, i === 0 ? viewer._nns_picked : viewer._nns_dropped));
    pump.now();
  });
}

/// Where the browser has a picker that gives handles, what is chosen can be opened again later.
async function pickFiles() {
  try {
    const handles = await showOpenFilePicker({ multiple: true });
    answerPicker(await Promise.all(handles.map(async (handle) => ({ path: handle.name, file: await handle.getFile(), handle }))));
  } catch (error) {
    if (error.name === 'AbortError') {
      viewer._nns_pick_cancelled();
      return;
    }
    fileInput.value = '';
    fileInput.click();
  }
}

const watcher = new Watcher((name, files) => {
  offer({ name, files }, viewer._nns_changed);
  pump.now();
});

addEventListener('popstate', () => whenViewer(() => {
  callWithText(viewer._nns_go_to, location.hash.slice(1), ownState()?.visit ?? 0);
  pump.now();
}));

fileInput.addEventListener('change', () => {
  answerPicker([...fileInput.files].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
});
fileInput.addEventListener('cancel', () => whenViewer(() => {
  viewer._nns_pick_cancelled();
  pump.changed();
}));

let dragDepth = 0;
function showDrag(depth) {
  dragDepth = Math.max(0, depth);
  whenViewer(() => {
    viewer._nns_drag(dragDepth > 0);
    pump.changed();
  });
}
addEventListener('dragenter', (event) => {
  event.preventDefault();
  showDrag(dragDepth + 1);
});
addEventListener('dragleave', () => showDrag(dragDepth - 1));
addEventListener('dragover', (event) => {
  event.preventDefault();
  event.dataTransfer.dropEffect = 'copy';
});
addEventListener('drop', async (event) => {
  event.preventDefault();
  showDrag(0);
  const address = droppedAddress(event.dataTransfer);
  const files = droppedFiles(event.dataTransfer);
  if (files instanceof Promise) {
    try {
      openFiles(await files);
    } catch (error) {
      whenViewer(() => callWithText(viewer._nns_trouble, `The folder cannot be read: ${error.message}`));
      pump.changed();
    }
  } else if (files.length > 0) {
    openFiles(files);
  } else if (address) {
    whenViewer(() => callWithText(viewer._nns_open_url, address));
    pump.changed();
  }
});

/// A program that was copied from somewhere is opened when it is pasted outside of a text field.
addEventListener('paste', (event) => {
  const text = event.clipboardData?.getData('text/plain') ?? '';
  if (!looksLikeProgram(text) || viewer?._nns_is_typing()) return;
  event.preventDefault();
  event.stopImmediatePropagation();  // it is not typed as well
  openFiles([{ path: 'pasted.py', file: new File([text], 'pasted.py') }]);
});

// ---- start
async function start() {
  const missing = missingFeature();
  if (missing) return showTrouble(...missing);
  const failed = (error) => showTrouble(`The viewer did not start: ${error.message}`, kReload);
  // The program is fetched and compiled beside what follows.
  const instantiateWasm = programLoader(new URL(kSite.viewer, import.meta.url).href, failed);
  const context = canvas.getContext('webgl2', { alpha: false, antialias: false, depth: false, stencil: false, powerPreference: 'low-power' });
  if (!context) return showTrouble(...kNoWebGl2);
  canvas.addEventListener('webglcontextlost', (event) => {
    event.preventDefault();
    pump.stop();
  });
  canvas.addEventListener('webglcontextrestored', () => {
    viewer._nns_graphics_restored();
    pump.resume();
  });

  try {
    const onAbort = (why) => {
      pump.stop();
      showTrouble(`The viewer stopped: ${why}`, kReload);
    };
    viewer = await create_viewer({ canvas, host, context, instantiateWasm, onAbort });
    const isMac = /Mac|iPhone|iPad/.test(navigator.userAgentData?.platform ?? navigator.platform);
    viewer._nns_start(isMac);
    listen(canvas, picture, (now) => (now ? pump.now() : pump.changed()), {
      dragsAt,
      isModal,
      catchUp: () => pump.settle(() => viewer._nns_is_input_under_way()),
    });
    for (const query of [darkQuery, motionQuery]) query.addEventListener('change', () => pump.changed());
    waiting.splice(0).forEach((action) => action());
    const addresses = new URLSearchParams(location.search).getAll('url');
    let link = location.hash.slice(1);
    // `?url=…#select=…` is one link.
    if (addresses.length > 0 && !/^(file|url|sample|attach|code)=/.test(link)) link = `url=${encodeURIComponent(addresses.shift())}&${link}`;
    for (const address of addresses) callWithText(viewer._nns_open_url, address);
    callWithText(viewer._nns_restore, link);
    pump.start();
    hosts.start(kFiles);
  } catch (error) {
    failed(error);
  }
}

start();

// Offline after the first visit. The picture does not wait for it, and a page without it works as well.
if ('serviceWorker' in navigator && isSecureContext) {
  addEventListener('load', () => navigator.serviceWorker.register('offline.js').catch(() => {}));
  const keepPrograms = () => navigator.serviceWorker.ready.then(({ active }) => active.postMessage('keep programs'));
  // What runs programs was perhaps loaded before there was anybody to keep it. Who did not need it yet gets it when all else
  // has come and nothing happens, but not where data are to be saved.
  hosts.whenHeard(kPrograms).then(keepPrograms);
  if (!navigator.connection?.saveData) {
    hosts.whenHeard(kFiles).then(() => setTimeout(() => (self.requestIdleCallback ?? setTimeout)(keepPrograms), kQuiet_ms));
  }
}
