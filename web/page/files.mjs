// Files that a person picks or drops: which of them is to be opened, and which lie beside it.

const kCheckpoint = /\.(safetensors|pt|pt2|pth|ckpt|bin|th|tar|model|zip|jit|pkl|mar|npz|npy|gguf|nnscope|index\.json)$|(^|\/)(quantize_)?config\.json$/i;
/// Files of data sets, which a training takes together: MNIST's layout.
const kDataSet = /-idx[13]-ubyte(\.gz)?$/;
/// Weights as Hugging Face's libraries name them, which read the config.json beside them.
const kWeights = /(^|\/)(model|pytorch_model|diffusion_pytorch_model|adapter_model|gptq_model-[^/]+?)(-\d{5}-of-\d{5})?\.(safetensors|bin)(\.index\.json)?$/;
const kShard = /-\d{5}-of-\d{5}\.[^/]+$/;

/// One thing to open: the file's path, and all files beside it under paths relative to its folder.
/// `entries`: [{path, file, handle?}], `path` as the person sees it ("folder/model.safetensors").
/// Rules: an index brings its folder along; a folder of shards without an index is opened once, and so is a config.json
/// with its weights; everything else is opened one by one. Out of a folder only what looks like a checkpoint is opened, or
/// a data set once; what was dropped by itself, always. A folder in which nothing looks so is opened as a whole: then the
/// core says what it would take.
export function groupFiles(entries) {
  const folderOf = (path) => path.slice(0, path.lastIndexOf('/') + 1);
  const folders = new Map();
  for (const entry of entries) {
    const folder = folderOf(entry.path);
    if (!folders.has(folder)) folders.set(folder, []);
    folders.get(folder).push(entry);
  }
  const groups = [];
  for (const [folder, inside] of folders) {
    inside.sort((a, b) => a.path.localeCompare(b.path, 'en', { numeric: true }));
    const beside = entries
      .filter((entry) => entry.path.startsWith(folder))
      .map((entry) => ({ ...entry, path: entry.path.slice(folder.length) }));
    const open = (entry) => groups.push({ name: entry.path.slice(folder.length), files: beside });
    const indexes = inside.filter((entry) => entry.path.endsWith('.index.json'));
    indexes.forEach(open);
    const rest = inside.filter((entry) => !entry.path.endsWith('.index.json'));
    const shards = rest.filter((entry) => kShard.test(entry.path));
    if (shards.length > 0 && indexes.length === 0) open(shards[0]);
    const isOfWeights = ({ path }) => path.endsWith('config.json') && inside.some((other) => kWeights.test(other.path));
    for (const entry of rest) {
      if (kShard.test(entry.path) || isOfWeights(entry)) continue;
      if (folder === '' || kCheckpoint.test(entry.path)) open(entry);
    }
    const data = folder === '' ? undefined : rest.find(({ path }) => kDataSet.test(path));
    if (data) open(data);
  }
  if (groups.length === 0 && entries.length > 0) groups.push({ name: entries[0].path.split('/')[0], files: entries });
  return groups;
}

function readEntries(reader) {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}

/// Gives each name that was given before another one: "run", "run (2)". What is dropped together may come from several places.
function distinctNames() {
  const given = new Set();
  return (name, isFolder) => {
    const end = isFolder ? '' : /(\.[^.]+)?$/.exec(name)[0];
    let made = name;
    for (let number = 2; given.has(made); ++number) made = `${name.slice(0, name.length - end.length)} (${number})${end}`;
    given.add(made);
    return made;
  };
}

async function walk(entry, path, into) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    into.push({ path, file });
    return;
  }
  // A reader gives at most 100 entries a call, and an empty list at the end.
  const reader = entry.createReader();
  for (let some = await readEntries(reader); some.length > 0; some = await readEntries(reader)) {
    for (const child of some) await walk(child, `${path}/${child.name}`, into);
  }
}

/// All files of a drop, those inside of folders too. Must be called inside the drop event: afterwards the browser forgets them.
export function droppedFiles(transfer) {
  const entries = [];
  const plain = [];
  const distinct = distinctNames();
  for (const item of transfer.items) {
    if (item.kind !== 'file') continue;
    const entry = item.webkitGetAsEntry?.();
    if (entry?.isDirectory) {
      entries.push(entry);
    } else {
      const file = item.getAsFile();
      // A promise: it has to be asked for inside of the event.
      const handle = item.getAsFileSystemHandle?.();
      handle?.catch(() => {});
      if (file) plain.push({ path: distinct(file.name, false), file, handle });
    }
  }
  if (entries.length === 0) return plain;
  return (async () => {
    for (const entry of entries) await walk(entry, distinct(entry.name, true), plain);
    return plain;
  })();
}

/// The address that was dropped instead of files (a link out of another page), or null.
export function droppedAddress(transfer) {
  const text = transfer.getData('text/uri-list').split(/\r?\n/).find((line) => line && !line.startsWith('#'));
  return text && /^https?:/.test(text) ? text : null;
}

/// Whether a text is source of Python: several lines, one of which begins as only a program's do.
export function looksLikeProgram(text) {
  return text.includes('\n') && /^(import \w|from \w[\w.]* import |class \w+.*:|def \w+\(|@\w)/m.test(text);
}
