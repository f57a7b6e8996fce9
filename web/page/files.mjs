// Files that a person picks or drops: which of them is to be opened, and which lie beside it.

const kCheckpoint = /\.(safetensors|pt|pt2|pth|ckpt|bin|th|tar|model|zip|jit|pkl|mar|npz|npy|gguf|nnscope|index\.json)$|(^|\/)(quantize_)?config\.json$/i;
/// Files of data sets, which a training takes together: MNIST's layout.
const kDataSet = /-idx[13]-ubyte(\.gz)?$/;
/// Weights as Hugging Face's libraries name them, which read the config.json beside them.
const kWeights = /(^|\/)(model|pytorch_model|diffusion_pytorch_model|adapter_model|gptq_model-[^/]+?)(-\d{5}-of-\d{5})?\.(safetensors|bin)(\.index\.json)?$/;
const kShard = /-\d{5}-of-\d{5}\.[^/]+$/;

/// What a program may read as its data as well: beside one it is not opened by itself.
const kData = /\.(bin|tar|zip|pkl|np[yz])$|config\.json$/i;
/// What people do not mean by a program, although it is source: tests, packages, what libraries import.
const kNoProgram = /(^|\/)(test_[^/]*|[^/]*_test|setup|conftest|__init__|(modeling|configuration|tokenization)_[^/]*)\.py$/;
const kMostText_bytes = 1 << 20;

const nameOf = (path) => path.slice(path.lastIndexOf('/') + 1);
const folderOf = (path) => path.slice(0, path.lastIndexOf('/') + 1);
const topOf = (path) => path.slice(0, path.indexOf('/') + 1);

/// Whether one program imports another by its name, of the same folder.
const imports = (text, name) => /^\w+$/.test(name) &&
  new RegExp(`^[ \\t]*(from[ \\t]+\\.*|(from[ \\t]+\\.+[ \\t]+)?import[ \\t]+([^#\\n]*,[ \\t]*)?)${name}\\b`, 'm').test(text);

/// What of `inside`, files of one folder, is to be run: {all, isLesson}. Its lessons; else the programs that no other one imports.
async function runnable(inside, isProgram) {
  const read = async ({ file }) => (file.size > kMostText_bytes ? '' : file.text().catch(() => ''));
  const lessons = [];
  for (const entry of inside) {
    if (!entry.path.endsWith('.md')) continue;
    const text = await read(entry);
    if (/^\s*```\s*python\s*$/m.test(text) && /^(stop|show|hide|question):/m.test(text)) lessons.push(entry);
  }
  if (lessons.length > 0) return { all: lessons, isLesson: true };
  const programs = [];
  for (const entry of inside) {
    if (entry.path.endsWith('.py') && isProgram(entry.path)) programs.push({ entry, name: nameOf(entry.path).slice(0, -3), text: await read(entry) });
  }
  const first = programs.filter((one) => !programs.some((other) => other !== one && imports(other.text, one.name)));
  const rank = ({ name, text }) => 4 * /^(__)?main(__)?$/.test(name) + 2 * /^if __name__/m.test(text) + (name === 'train');
  return { all: (first.length > 0 ? first : programs).sort((a, b) => rank(b) - rank(a)).map(({ entry }) => entry), isLesson: false };
}

/// One thing to open: the file's path, and all files beside it under paths relative to its folder.
/// `entries`: [{path, file, handle?}], `path` as the person sees it ("folder/model.safetensors").
/// Rules: an index brings its folder along; a folder of shards without an index is opened once, and so is a config.json
/// with its weights; everything else is opened one by one. Out of a folder only what looks like a checkpoint is opened, or
/// a data set once; what was dropped by itself, always. A folder in which nothing looks so is opened as a whole: then the
/// core says what it would take.
/// A lesson is opened alone, and the rest lies beside it; so does what lies beside a program, but for weights. Out of a folder
/// the first lesson is opened, or, where there are no weights, the program that one begins with.
export async function groupFiles(entries) {
  const folders = new Map();
  for (const entry of entries) {
    const folder = folderOf(entry.path);
    if (!folders.has(folder)) folders.set(folder, []);
    folders.get(folder).push(entry);
  }
  for (const inside of folders.values()) inside.sort((a, b) => a.path.localeCompare(b.path, 'en', { numeric: true }));
  const isCheckpoint = (path, isBeside) => kCheckpoint.test(path) && (!isBeside || kWeights.test(path) || !kData.test(path));
  const none = { all: [], isLesson: false };
  const loose = entries.length > 1 ? await runnable(folders.get('') ?? [], () => true) : none;
  /// Of a folder that was given, what runs that lies least deep in it.
  const runOf = new Map();
  for (const top of new Set(entries.map(({ path }) => topOf(path)))) {
    runOf.set(top, loose);
    if (top === '' || loose.all.length > 0) continue;
    const isFree = !entries.some(({ path }) => path.startsWith(top) && isCheckpoint(path, true));
    const inTop = [...folders.keys()].filter((folder) => folder.startsWith(top)).sort((a, b) => a.split('/').length - b.split('/').length);
    for (const folder of inTop) {
      const { all, isLesson } = await runnable(folders.get(folder), (path) => isFree && !kNoProgram.test(path));
      if (all.length === 0) continue;
      runOf.set(top, { all: [all[0]], isLesson, isAlone: true });
      break;
    }
  }
  const groups = [];
  for (const [folder, inside] of folders) {
    const beside = entries
      .filter((entry) => entry.path.startsWith(folder))
      .map((entry) => ({ ...entry, path: entry.path.slice(folder.length) }));
    const open = (entry) => groups.push({ name: entry.path.slice(folder.length), files: beside });
    const run = runOf.get(topOf(folder));
    if (run.isLesson || run.isAlone) {
      inside.filter((entry) => run.all.includes(entry)).forEach(open);
      continue;
    }
    const isBeside = run.all.length > 0;
    const indexes = inside.filter((entry) => entry.path.endsWith('.index.json'));
    indexes.forEach(open);
    const rest = inside.filter((entry) => !entry.path.endsWith('.index.json'));
    const shards = rest.filter((entry) => kShard.test(entry.path));
    if (shards.length > 0 && indexes.length === 0) open(shards[0]);
    const isOfWeights = ({ path }) => path.endsWith('config.json') && inside.some((other) => kWeights.test(other.path));
    for (const entry of rest) {
      if (kShard.test(entry.path) || isOfWeights(entry)) continue;
      if ((folder === '' && !isBeside) || run.all.includes(entry) || isCheckpoint(entry.path, isBeside)) open(entry);
    }
    const data = folder === '' || isBeside ? undefined : rest.find(({ path }) => kDataSet.test(path));
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
