// Addresses of files as people have them, turned into addresses that answer with the file's bytes.

/// The address of the bytes behind a link to a page about a file (Hugging Face or GitHub `blob`), otherwise the link itself.
/// Throws: not an address, or not http(s).
export function bytesAddress(text, base) {
  let url;
  try {
    url = new URL(text.trim(), base);
  } catch {
    throw new Error(`“${text}” is not an address`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error(`${url.protocol} addresses cannot be opened`);
  const parts = url.pathname.split('/');
  if (url.hostname === 'huggingface.co' || url.hostname === 'hf.co') {
    // /ORG/NAME/blob/REVISION/PATH, with "datasets" or "spaces" in front of it for those.
    const kind = parts[1] === 'datasets' || parts[1] === 'spaces' ? 1 : 0;
    if (parts[3 + kind] === 'blob') parts[3 + kind] = 'resolve';
    url.pathname = parts.join('/');
  } else if (url.hostname === 'github.com' && (parts[3] === 'blob' || parts[3] === 'raw')) {
    // /OWNER/NAME/blob/REVISION/PATH
    url.hostname = 'raw.githubusercontent.com';
    parts.splice(3, 1);
    url.pathname = parts.join('/');
    url.search = '';
  }
  url.hash = '';
  return url.href;
}

/// The address of `name`, a file beside the one at `address`.
export function besideAddress(address, name) {
  const url = new URL(address);
  const search = url.search;
  url.pathname = url.pathname.replace(/[^/]*$/, '') + name.split('/').map(encodeURIComponent).join('/');
  url.search = search;
  return url.href;
}
