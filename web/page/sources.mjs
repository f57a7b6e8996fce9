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

/// Asks the server at `address` for one byte: {size, address} with the address that answered in the end.
/// Throws: no answer, an error status, an answer without ranges (its body is not read), a size that is hidden from pages.
export async function probe(address) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), kWait_ms);
  try {
    const response = await fetch(address, { headers: { Range: 'bytes=0-0' }, signal: abort.signal, credentials: 'omit' });
    const size = sizeOfContentRange(response.headers.get('Content-Range'));
    // An empty file has no first byte.
    if (response.status === 416 && size === 0) return { size, address: response.url };
    if (response.status === 200) {
      throw problem('the server sends the whole file where a part was asked for',
        'a server that answers byte ranges (status 206); or download the file and open it from the disk');
    }
    if (response.status !== 206) {
      const remedy = response.status === 401 || response.status === 403 ? 'a file that anyone may read' : 'a file at this address';
      throw problem(`the server answered ${response.status} ${response.statusText}`.trim(), remedy);
    }
    if (size === null) {
      throw problem('the server does not tell pages how large the file is',
        'a server with “Access-Control-Expose-Headers: Content-Range”; or download the file and open it from the disk');
    }
    return { size, address: response.url };
  } catch (error) {
    if (error.expected !== undefined) throw error;
    if (error.name === 'AbortError') throw problem(`the server did not answer within ${kWait_ms / 1000} seconds`, 'a server that answers');
    throw problem('the server cannot be reached, or does not allow pages of other sites to read this file',
      'an address that answers with “Access-Control-Allow-Origin”; or download the file and open it from the disk');
  } finally {
    clearTimeout(timer);
    abort.abort();  // whatever body there is, it is not wanted
  }
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
    this.open = new Map();    // handle -> {state, size, name, error, file | address}
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
