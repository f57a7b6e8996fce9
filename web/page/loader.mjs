// Fetching and compiling a WebAssembly program.

/// Starts to fetch and compile the program at `url`; gives what Emscripten's factory wants as `instantiateWasm`.
/// A server that does not know the type of .wasm files is no obstacle. `failed(error)` hears of a program that did not come.
export function programLoader(url, failed) {
  const compiled = compile(url);
  compiled.catch(failed);
  return (imports, done) => {
    compiled.then((module) => WebAssembly.instantiate(module, imports).then((instance) => done(instance, module))).catch(failed);
    return {};
  };
}

async function compile(url) {
  const response = await fetch(url, { credentials: 'same-origin' });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  if (/^application\/wasm\b/.test(response.headers.get('Content-Type') ?? '')) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}
