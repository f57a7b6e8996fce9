// Where the core's bytes come from: files that the person gave, and servers that answer ranges. Inside of the worker only.
import { besideAddress, bytesAddresses } from './links.mjs';

export const kPending = 0;
export const kReady = 1;
export const kFailed = 2;

const kWait_ms = 30_000;

function problem(found, expected = '') {
  return Object.assign(new Error(found), { expected });
}

/// Size of the whole file out of "bytes 0-0/1234", or null.
export function sizeOfContentRange(header) {
  const match = /^bytes (?:\d+-\d+|\*)\/(\d+)$/.exec(header?.trim() ?? '');
  const size = match ? Number(match[1]) : NaN;
  return Number.isSafeInteger(size) ? size : null;
}

/// A file of at most this size may come whole from a server without ranges.
const kWhole_bytes = 4 << 20;

const unreachable = () => problem('the server cannot be reached, or does not allow pages of other sites to read this file',
  'an address that answers with “Access-Control-Allow-Origin”; or download the file and open it from the disk');
const tooLargeWithoutRanges = () => problem('the server sends the whole file where a part was asked for',
  'a server that answers byte ranges (status 206); or download the file and open it from the disk');

/// The size that an answer to a question for the first byte tells; null: the server answers with the whole file.
/// Throws: an error status, a size that is hidden from pages.
function toldSize(status, statusText, contentRange) {
  const size = sizeOfContentRange(contentRange);
  // An empty file has no first byte.
  if (status === 416 && size === 0) return size;
  if (status === 200) return null;
  if (status !== 206) {
    const remedy = status === 401 || status === 403 ? 'a file that anyone may read' : 'a file at this address';
    throw problem(`the server answered ${status} ${statusText}`.trim(), remedy);
  }
  if (size === null) {
    throw problem('the server does not tell pages how large the file is',
      'a server with “Access-Control-Expose-Headers: Content-Range”; or download the file and open it from the disk');
  }
  return size;
}

/// The body of an answer, if it is small: otherwise null, and the rest is not read.
async function smallBody(response) {
  if (Number(response.headers.get('Content-Length')) > kWhole_bytes) return null;
  const parts = [];
  let size = 0;
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    size += part.value.length;
    if (size > kWhole_bytes) return null;
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/// Asks the server at `address` for one byte: {size, address, bytes} with the address that answered in the end, and all
/// bytes if a server without ranges sent a small file.
/// Throws: no answer, an error status, a large file without ranges (its body is not read), a size that is hidden.
export async function probe(address) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), kWait_ms);
  try {
    const response = await fetch(address, { headers: { Range: 'bytes=0-0' }, signal: abort.signal, credentials: 'omit' });
    const size = toldSize(response.status, response.statusText, response.headers.get('Content-Range'));
    if (size !== null) return { size, address: response.url };
    const bytes = await smallBody(response);
    if (bytes === null) throw tooLargeWithoutRanges();
    return { size: bytes.length, address: response.url, bytes };
  } catch (error) {
    if (error.expected !== undefined) throw error;
    if (error.name === 'AbortError') throw problem(`the server did not answer within ${kWait_ms / 1000} seconds`, 'a server that answers');
    throw unreachable();
  } finally {
    clearTimeout(timer);
    abort.abort();  // whatever body there is, it is not wanted
  }
}

/// One request that blocks the worker until it is answered. Throws: no answer.
function askNow(method, address, range) {
  const request = new XMLHttpRequest();
  request.open(method, address, false);
  request.responseType = 'arraybuffer';
  request.timeout = kWait_ms;
  if (range) request.setRequestHeader('Range', range);
  try {
    request.send();
  } catch {
    throw unreachable();
  }
  return request;
}

/// probe() for who cannot come back later. A body that blocks cannot be broken off: where the server has
/// them, the head is asked for first.
export function probeNow(address) {
  let answer = askNow('HEAD', address, 'bytes=0-0');
  const hasNoHead = answer.status === 405 || answer.status === 501;
  if (hasNoHead) answer = askNow('GET', address, 'bytes=0-0');
  const size = toldSize(answer.status, answer.statusText, answer.getResponseHeader('Content-Range'));
  const found = { address: answer.responseURL || address };
  if (size !== null) return { ...found, size };
  const length = answer.getResponseHeader('Content-Length');
  if (length === null || Number(length) > kWhole_bytes) throw tooLargeWithoutRanges();
  if (!hasNoHead) answer = askNow('GET', address);
  if (answer.status !== 200) throw problem(`the server answered ${answer.status} ${answer.statusText}`.trim(), 'a file at this address');
  const bytes = new Uint8Array(answer.response);
  return { ...found, size: bytes.length, bytes };
}

/// probe() of the first address that answers: {size, address, original, name}.
/// Throws: what the first one said if all fail; with several, what was looked for.
async function probeFirst(addresses) {
  let first;
  for (const original of addresses) {
    try {
      return { ...await probe(original), original, name: original };
    } catch (error) {
      first ??= error;
    }
  }
  if (addresses.length === 1) throw first;
  const names = addresses.map((address) => new URL(address).pathname.split('/').pop());
  throw problem(`this repository could not be opened: ${first.message}`, `a repository that anyone may read, with one of ${names.join(', ')}`);
}

/// Files by the numbers that the page gave them, and open files and addresses by the handles that the core uses.
export class Sources {
  /// `arrived()` is called when an address that was on its way is ready or has failed.
  constructor(arrived) {
    this.arrived = arrived;
    this.groups = new Map();  // source -> Map(path -> File)
    this.open = new Map();    // handle -> {state, size, name, error, file | address | bytes}
    this.nextHandle = 1;
  }

  add(source, files) {
    this.groups.set(source, new Map(files.map(({ path, file }) => [path, file])));
  }

  names(source) {
    return [...(this.groups.get(source)?.keys() ?? [])];
  }

  keep(entry) {
    const handle = this.nextHandle++;
    this.open.set(handle, entry);
    return handle;
  }

  /// A handle, or 0: there is no such file in the group.
  openFile(source, name) {
    const file = this.groups.get(source)?.get(name);
    return file ? this.keep({ state: kReady, size: file.size, name, file }) : 0;
  }

  openAddress(text) {
    try {
      return this.ask(bytesAddresses(text));
    } catch (error) {
      return this.keep({ state: kFailed, size: 0, name: text, error: problem(error.message, 'an http or https address of a file') });
    }
  }

  openBeside(handle, name) {
    return this.ask([besideAddress(this.open.get(handle).original, name)]);
  }

  /// openBeside() whose state is known when it returns.
  openBesideNow(handle, name) {
    const original = besideAddress(this.open.get(handle).original, name);
    const entry = { state: kFailed, size: 0, name: original, original, address: original };
    try {
      Object.assign(entry, probeNow(original), { state: kReady });
    } catch (error) {
      entry.error = error;
    }
    return this.keep(entry);
  }

  /// The first of the addresses that answers.
  ask(addresses) {
    const entry = { state: kPending, size: 0, name: addresses[0], original: addresses[0], address: addresses[0] };
    const handle = this.keep(entry);
    probeFirst(addresses).then((answer) => Object.assign(entry, answer, { state: kReady }), (error) => Object.assign(entry, { state: kFailed, error }))
      .then(() => this.arrived());
    return handle;
  }

  state(handle) {
    return this.open.get(handle).state;
  }
  size(handle) {
    return this.open.get(handle).size;
  }
  name(handle) {
    return this.open.get(handle).name;
  }
  error(handle) {
    const { error } = this.open.get(handle);
    return `${error.message}\n${error.expected ?? ''}`;
  }
  close(handle) {
    this.open.delete(handle);
  }

  /// Throws: the file changed or is gone; the network failed.
  read(handle, offset, length) {
    const entry = this.open.get(handle);
    if (entry.bytes) return entry.bytes.subarray(offset, offset + length);
    return entry.file ? readFile(entry.file, offset, length) : readRange(entry, offset, length);
  }
}

function readFile(file, offset, length) {
  try {
    return new Uint8Array(new FileReaderSync().readAsArrayBuffer(file.slice(offset, offset + length)));
  } catch {
    throw problem('the file can no longer be read: it was changed, moved or removed since it was opened', 'the file as it was; open it again');
  }
}

function readRange(entry, offset, length) {
  const ask = (address) => {
    const request = new XMLHttpRequest();
    request.open('GET', address, false);
    request.responseType = 'arraybuffer';
    request.setRequestHeader('Range', `bytes=${offset}-${offset + length - 1}`);
    try {
      request.send();
    } catch {
      return null;
    }
    return request;
  };
  let request = ask(entry.address);
  // An address that a redirection led to may have expired: the original one leads to a new one.
  if (request?.status !== 206 && entry.address !== entry.original) request = ask(entry.original);
  if (!request) throw problem('the connection to the server failed', 'the network as it was; open the file again');
  if (request.status !== 206) throw problem(`the server answered ${request.status} ${request.statusText}`.trim(), 'status 206, as before');
  const bytes = new Uint8Array(request.response);
  if (bytes.length !== length) throw problem(`the server sent ${bytes.length} bytes`, `${length} bytes`);
  return bytes;
}
