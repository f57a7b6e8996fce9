// Emscripten's library of the functions that web/host/viewer_imports.h declares: each hands on to Module.host (web/page/main.mjs).
mergeInto(LibraryManager.library, {
  nns_host_use_graphics__deps: ['$GL'],
  nns_host_use_graphics: function () {
    GL.makeContextCurrent(GL.registerContext(Module['context'], { majorVersion: 2, minorVersion: 0, enableExtensionsByDefault: 1 }));
  },
  nns_host_send: function (bytes, length) { Module['host'].send(0, HEAPU8.slice(bytes, bytes + length)); },
  nns_host_send_to_programs: function (bytes, length) { Module['host'].send(1, HEAPU8.slice(bytes, bytes + length)); },
  nns_host_cancel_program: function (request) { Module['host'].cancelProgram(request); },
  nns_host_send_live: function (bytes, length) { Module['host'].send(2, HEAPU8.slice(bytes, bytes + length)); },
  nns_host_attach: function (address, length) { Module['host'].attach(address, length); },
  nns_host_detach: function () { Module['host'].detach(); },
  nns_host_live_trouble: function () { Module['host'].liveTrouble(); },
  nns_host_pick_file: function () { Module['host'].pickFile(); },
  nns_host_copy: function (text, length) { return Module['host'].copy(text, length) ? 1 : 0; },
  nns_host_scale: function () { return Module['host'].scale(); },
  nns_host_is_dark: function () { return Module['host'].isDark() ? 1 : 0; },
  nns_host_is_still: function () { return Module['host'].isStill() ? 1 : 0; },
  nns_host_load: function (key, length) { return Module['host'].load(key, length) ? 1 : 0; },
  nns_host_save: function (key, keyLength, value, valueLength) { Module['host'].save(key, keyLength, value, valueLength); },
  nns_host_reopen: function (place, length, mayAsk, number) { Module['host'].reopen(place, length, mayAsk, number); },
  nns_host_watch: function (places, length) { Module['host'].watch(places, length); },
  nns_host_show_link: function (link, length, visit) { Module['host'].showLink(link, length, visit); },
  nns_host_go_in_history: function (steps) { Module['host'].goInHistory(steps); },
  nns_host_link_base: function () { Module['host'].linkBase(); },
  nns_host_save_start: function (name, length) { return Module['host'].saveStart(name, length); },
  nns_host_save_state: function (file) { return Module['host'].saveState(file); },
  nns_host_save_pending: function (file) { return Module['host'].savePending(file); },
  nns_host_save_write: function (file, bytes, length, mode) {
    Module['host'].saveWrite(file, HEAPU8.slice(bytes, bytes + length), mode);
  },
  nns_host_save_end: function (file, isWhole) { Module['host'].saveEnd(file, isWhole); },
  nns_host_set_title: function (text, length) { Module['host'].setTitle(text, length); },
  nns_host_request_frame: function (wait_ms) { Module['host'].requestFrame(wait_ms); },
  nns_host_set_cursor: function (cursor) {
    Module['host'].setCursor(['none', 'default', 'text', 'move', 'ns-resize', 'ew-resize', 'nesw-resize', 'nwse-resize',
      'pointer', 'wait', 'progress', 'not-allowed'][cursor]);
  },
  nns_host_draw_glyph: function (letter, style, em_px, metrics) {
    var drawn = Module['host'].drawGlyph(letter, style, em_px);
    if (!drawn) return 0;
    HEAPF32.set(drawn, metrics >> 2);
    return 1;
  },
  nns_host_take_glyph: function (pixels) { HEAPU8.set(Module['host'].takeGlyph(), pixels); },
  nns_host_publish: function (json, length) { Module['host'].publish(json, length); },

  // Dear ImGui asks for the state of the graphics in each frame, in order to put it back. The page's context is the viewer's
  // alone, and a question makes the page wait until everything drawn so far is done: these answer with the state in which a
  // frame begins.
  glGetIntegerv__deps: ['$GL'],
  glGetIntegerv: function (name, into) {
    var at = into >> 2;
    switch (name) {
      case 0x0BA2: // GL_VIEWPORT
      case 0x0C10: // GL_SCISSOR_BOX
        HEAP32[at] = HEAP32[at + 1] = 0;
        HEAP32[at + 2] = GLctx.drawingBufferWidth;
        HEAP32[at + 3] = GLctx.drawingBufferHeight;
        return;
      case 0x84E0: // GL_ACTIVE_TEXTURE
        HEAP32[at] = 0x84C0;
        return;
      case 0x8B8D: // GL_CURRENT_PROGRAM
      case 0x8069: // GL_TEXTURE_BINDING_2D
      case 0x8919: // GL_SAMPLER_BINDING
      case 0x8894: // GL_ARRAY_BUFFER_BINDING
      case 0x8895: // GL_ELEMENT_ARRAY_BUFFER_BINDING
      case 0x85B5: // GL_VERTEX_ARRAY_BINDING
      case 0x88EF: // GL_PIXEL_UNPACK_BUFFER_BINDING
      case 0x80C8: // GL_BLEND_DST_RGB
      case 0x80CA: // GL_BLEND_DST_ALPHA
      case 0x821C: // GL_MINOR_VERSION
      case 0x821D: // GL_NUM_EXTENSIONS
        HEAP32[at] = 0;
        return;
      case 0x80C9: // GL_BLEND_SRC_RGB
      case 0x80CB: // GL_BLEND_SRC_ALPHA
        HEAP32[at] = 1;
        return;
      case 0x8009: // GL_BLEND_EQUATION_RGB
      case 0x883D: // GL_BLEND_EQUATION_ALPHA
        HEAP32[at] = 0x8006;
        return;
      case 0x821B: // GL_MAJOR_VERSION
        HEAP32[at] = 3;
        return;
      default:
        HEAP32[at] = GLctx.getParameter(name);
    }
  },
  glIsEnabled: function (capability) { return 0; },
  glGetString__deps: ['$GL', '$stringToNewUTF8'],
  glGetString: function (name) {
    if (!GL.nnsVersion) GL.nnsVersion = stringToNewUTF8('OpenGL ES 3.0');
    return GL.nnsVersion;
  },
});
