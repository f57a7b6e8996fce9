#pragma once

#include <cstddef>

/// What the viewer's program calls in the page. Bodies: viewer_imports.js, which hands on to `host` in
/// web/page/main.mjs. Texts are UTF-8 and go as address and length.
extern "C" {
/// Makes the page's WebGL 2 context the current one.
void nns_host_use_graphics();
/// Sends one message of the stream to the core.
void nns_host_send(const void* bytes, std::size_t length);
void nns_host_pick_file();
bool nns_host_copy(const char* text, std::size_t length);
double nns_host_scale();
bool nns_host_is_dark();
bool nns_host_is_still();
/// True: the value was put where nns_text_place() gave it (PageState::text).
bool nns_host_load(const char* key, std::size_t length);
void nns_host_save(const char* key, std::size_t key_length, const char* value, std::size_t value_length);
void nns_host_set_title(const char* text, std::size_t length);
void nns_host_request_frame(double wait_ms);
/// A CSS cursor by its number: 0 none, 1 default, 2 text, 3 move, 4 ns-resize, 5 ew-resize, 6 nesw-resize, 7
/// nwse-resize, 8 pointer, 9 wait, 10 progress, 11 not-allowed.
void nns_host_set_cursor(int cursor);
/// A change of the controls (web/host/access_update.h).
void nns_host_publish(const char* json, std::size_t length);
}
