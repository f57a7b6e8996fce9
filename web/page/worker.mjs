// The worker: runs the core in slices and returns to its event loop between them, so that commands arrive while it works.
import { CancelReader } from './cancels.mjs';
import { programLoader } from './loader.mjs';
import { Sources } from './sources.mjs';

const kSlice_ms = 8;
const utf8 = new TextEncoder();
const fromUtf8 = new TextDecoder();

let core = null;
const early = [];
const turn = new MessageChannel();
let isTurnAsked = false;

function fail(error) {
  self.postMessage({ failed: String(error?.message ?? error) });
  self.close();
}

/// Lets the core work once the messages that have come by then are delivered.
function askForTurn() {
  if (isTurnAsked) return;
  isTurnAsked = true;
  turn.port2.postMessage(null);
}

const cancels = new CancelReader();

turn.port1.onmessage = () => {
  isTurnAsked = false;
  cancels.listen();
  try {
    if (core._nns_run(kSlice_ms)) askForTurn();
  } catch (error) {
    fail(error);
  }
};

const sources = new Sources(() => {
  if (core) askForTurn();
});

function take(data) {
  if (data instanceof ArrayBuffer) {
    const bytes = new Uint8Array(data);
    const place = core._nns_inbox(bytes.length);
    core.HEAPU8.set(bytes, place);
    core._nns_deliver();
  } else if (data.cancels) {
    cancels.take(data.cancels);
  } else {
    sources.add(data.source, data.files);
  }
}

self.onmessage = ({ data }) => {
  if (!core) {
    early.push(data);
    return;
  }
  try {
    take(data);
    askForTurn();
  } catch (error) {
    fail(error);
  }
};

const textAt = (place, length) => fromUtf8.decode(core.HEAPU8.subarray(place, place + length));

function give(text) {
  const bytes = utf8.encode(text);
  const place = core._nns_text_place(bytes.length);
  core.HEAPU8.set(bytes, place);
}

/// What the core's program calls (web/host/core_imports.js).
const host = {
  send: (bytes) => self.postMessage(bytes.buffer, [bytes.buffer]),
  cancelled: () => cancels.request(),
  fileOpen: (source, place, length) => sources.openFile(source, textAt(place, length)),
  fileNames: (source) => give(sources.names(source).join('\n')),
  urlOpen: (place, length) => sources.openAddress(textAt(place, length)),
  urlBeside: (handle, place, length) => sources.openBeside(handle, textAt(place, length)),
  urlBesideNow: (handle, place, length) => sources.openBesideNow(handle, textAt(place, length)),
  state: (handle) => sources.state(handle),
  size: (handle) => sources.size(handle),
  name: (handle) => give(sources.name(handle)),
  error: (handle) => give(sources.error(handle)),
  read(handle, offset, place, length) {
    try {
      core.HEAPU8.set(sources.read(handle, offset, length), place);
      return true;
    } catch (error) {
      give(`${error.message}\n${error.expected ?? ''}`);
      return false;
    }
  },
  close: (handle) => sources.close(handle),
};

createProgram({
  host,
  instantiateWasm: programLoader(new URL(kSite.program, import.meta.url).href, fail),
  onAbort: (why) => fail(new Error(String(why).includes('memory') ? 'there is not enough memory' : why)),
}).then((program) => {
  core = program;
  core._nns_start();
  early.splice(0).forEach(take);
  askForTurn();
}).catch(fail);
