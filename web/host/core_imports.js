// Emscripten's library of the functions that web/host/core_imports.h declares: each hands on to Module.host (web/page/worker.mjs).
mergeInto(LibraryManager.library, {
  nns_core_send: function (bytes, length) { Module['host'].send(HEAPU8.slice(bytes, bytes + length)); },
  nns_core_cancelled: function () { return Module['host'].cancelled(); },
  nns_core_file_open: function (source, name, length) { return Module['host'].fileOpen(source, name, length); },
  nns_core_file_names: function (source) { Module['host'].fileNames(source); },
  nns_core_url_open: function (url, length) { return Module['host'].urlOpen(url, length); },
  nns_core_url_beside: function (handle, name, length) { return Module['host'].urlBeside(handle, name, length); },
  nns_core_url_beside_now: function (handle, name, length) { return Module['host'].urlBesideNow(handle, name, length); },
  nns_core_state: function (handle) { return Module['host'].state(handle); },
  nns_core_size: function (handle) { return Module['host'].size(handle); },
  nns_core_name: function (handle) { Module['host'].name(handle); },
  nns_core_error: function (handle) { Module['host'].error(handle); },
  nns_core_read: function (handle, offset, into, length) { return Module['host'].read(handle, offset, into, length) ? 1 : 0; },
  nns_core_close: function (handle) { Module['host'].close(handle); },
});
