// Emscripten's library of the functions that web/host/viewer_imports.h declares: each hands on to Module.host (web/page/main.mjs).
mergeInto(LibraryManager.library, {
  nns_host_use_graphics__deps: ['$GL'],
  nns_host_use_graphics: function () {
    GL.makeContextCurrent(GL.registerContext(Module['context'], { majorVersion: 2, minorVersion: 0, enableExtensionsByDefault: 1 }));
  },
  nns_host_send: function (bytes, length) { Module['host'].send(HEAPU8.slice(bytes, bytes + length)); },
  nns_host_pick_file: function () { Module['host'].pickFile(); },
  nns_host_copy: function (text, length) { return Module['host'].copy(text, length) ? 1 : 0; },
  nns_host_scale: function () { return Module['host'].scale(); },
  nns_host_is_dark: function () { return Module['host'].isDark() ? 1 : 0; },
  nns_host_is_still: function () { return Module['host'].isStill() ? 1 : 0; },
  nns_host_load: function (key, length) { return Module['host'].load(key, length) ? 1 : 0; },
  nns_host_save: function (key, keyLength, value, valueLength) { Module['host'].save(key, keyLength, value, valueLength); },
  nns_host_set_title: function (text, length) { Module['host'].setTitle(text, length); },
  nns_host_request_frame: function () { Module['host'].requestFrame(); },
  nns_host_set_cursor: function (cursor) {
    Module['host'].setCursor(['none', 'default', 'text', 'move', 'ns-resize', 'ew-resize', 'nesw-resize', 'nwse-resize',
      'pointer', 'wait', 'progress', 'not-allowed'][cursor]);
  },
  nns_host_publish: function (json, length) { Module['host'].publish(json, length); },
});
