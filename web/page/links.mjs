// Addresses of files as people have them, turned into addresses that answer with the file's bytes.

/// What from_pretrained looks for in a repository, in this order.
const kWeights = ['model.safetensors.index.json', 'model.safetensors', 'pytorch_model.bin.index.json', 'pytorch_model.bin'];
/// First parts of paths on Hugging Face that are no owners of models.
const kNotOwners = new Set(['blog', 'chat', 'collections', 'docs', 'join', 'learn', 'login', 'models', 'new',
  'organizations', 'papers', 'pricing', 'settings', 'tasks']);

/// Hugging Face's addresses for a page about a file or a repository: /[datasets|spaces/][OWNER/]NAME[/blob|tree/REVISION/PATH].
/// null: neither.
function huggingFaceAddresses(url) {
  const parts = url.pathname.split('/').filter((part) => part !== '');
  const kind = parts[0] === 'datasets' || parts[0] === 'spaces' ? 1 : 0;
  if (kNotOwners.has(parts[0])) return null;
  const at = [1 + kind, 2 + kind].find((index) => ['blob', 'tree', 'resolve'].includes(parts[index]));
  const address = (path) => new URL(`/${path.join('/')}${url.search}`, url.origin).href;
  if (at === undefined) {
    const isRepository = parts.length === 1 + kind || parts.length === 2 + kind;
    return isRepository && !kind ? kWeights.map((name) => address([...parts, 'resolve', 'main', name])) : null;
  }
  const place = [...parts.slice(0, at), 'resolve', ...parts.slice(at + 1)];
  if (parts[at] === 'tree') return place.length > at + 1 ? kWeights.map((name) => address([...place, name])) : null;
  return parts[at] === 'blob' && place.length > at + 2 ? [address(place)] : null;
}

/// The addresses of the bytes behind a link, to be tried in this order: of a page about a file (Hugging Face or GitHub
/// `blob`) or about a repository of Hugging Face (its index, else its only file), otherwise the link itself.
/// Throws: not an address, or not http(s).
export function bytesAddresses(text, base) {
  let url;
  try {
    url = new URL(text.trim(), base);
  } catch {
    throw new Error(`“${text}” is not an address`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error(`${url.protocol} addresses cannot be opened`);
  url.hash = '';
  const parts = url.pathname.split('/');
  if (['huggingface.co', 'www.huggingface.co', 'hf.co'].includes(url.hostname)) {
    const addresses = huggingFaceAddresses(url);
    if (addresses) return addresses;
  } else if (['github.com', 'www.github.com'].includes(url.hostname) && (parts[3] === 'blob' || parts[3] === 'raw')) {
    // /OWNER/NAME/blob/REVISION/PATH
    url.hostname = 'raw.githubusercontent.com';
    parts.splice(3, 1);
    url.pathname = parts.join('/');
    url.search = '';
  }
  return [url.href];
}

/// The address of `name`, a file beside the one at `address`.
export function besideAddress(address, name) {
  const url = new URL(address);
  const search = url.search;
  url.pathname = url.pathname.replace(/[^/]*$/, '') + name.split('/').map(encodeURIComponent).join('/');
  url.search = search;
  return url.href;
}
