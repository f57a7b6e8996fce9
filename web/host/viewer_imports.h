#pragma once

#include <cstddef>
#include <cstdint>

/// What the viewer's program calls in the page. Bodies: viewer_imports.js, which hands on to `host` in
/// web/page/main.mjs. Texts are UTF-8 and go as address and length.
extern "C" {
/// Makes the page's WebGL 2 context the current one.
void nns_host_use_graphics();
/// Sends one message of the stream to the core.
void nns_host_send(const void* bytes, std::size_t length);
/// The same to the host that runs programs, which is started for the first of them.
void nns_host_send_to_programs(const void* bytes, std::size_t length);
/// Tells that host which request is to be cancelled, even while it takes no message.
void nns_host_cancel_program(double request);
/// The same to the host that the page is attached to (web/page/live.mjs).
void nns_host_send_live(const void* bytes, std::size_t length);
/// Connects to the stream at that address, which takes the place of another.
void nns_host_attach(const char* address, std::size_t length);
void nns_host_detach();
/// Puts what is wrong with the connection where nns_text_place() gave it; nothing while all is well.
void nns_host_live_trouble();
void nns_host_pick_file();
bool nns_host_copy(const char* text, std::size_t length);
double nns_host_scale();
bool nns_host_is_dark();
bool nns_host_is_still();
/// True: the value was put where nns_text_place() gave it (PageState::text).
bool nns_host_load(const char* key, std::size_t length);
void nns_host_save(const char* key, std::size_t key_length, const char* value, std::size_t value_length);
/// nns_reopened() follows, with `number`.
void nns_host_reopen(const char* place, std::size_t length, bool may_ask, std::uint32_t number);
/// Places, one a line.
void nns_host_watch(const char* places, std::size_t length);
void nns_host_show_link(const char* link, std::size_t length, double visit);
void nns_host_go_in_history(int steps);
/// Puts the text where nns_text_place() gave it.
void nns_host_link_base();
/// Begins a file of that name (web/page/save.mjs); gives its number.
int nns_host_save_start(const char* name, std::size_t length);
/// 0 not open yet, 1 open, 2 cancelled, 3 written, 4 failed: then why is PageState::text.
int nns_host_save_state(int file);
double nns_host_save_pending(int file);
/// `mode`: 0 as they are, 1 packed, 2 packed and the last of these.
void nns_host_save_write(int file, const void* bytes, std::size_t length, int mode);
/// false: nothing of it stays.
void nns_host_save_end(int file, bool is_whole);
void nns_host_set_title(const char* text, std::size_t length);
void nns_host_request_frame(double wait_ms);
/// A CSS cursor by its number: 0 none, 1 default, 2 text, 3 move, 4 ns-resize, 5 ew-resize, 6 nesw-resize, 7
/// nwse-resize, 8 pointer, 9 wait, 10 progress, 11 not-allowed.
void nns_host_set_cursor(int cursor);
/// Draws a letter (ui/host/glyph.h). False: nothing can be drawn. Otherwise `metrics` gets width, height, left, top,
/// advance, and 1 if it is coloured.
bool nns_host_draw_glyph(std::uint32_t letter, int style, float em_px, float* metrics);
/// Copies the pixels of the letter that was drawn last: width x height x 4 bytes.
void nns_host_take_glyph(void* pixels);
/// A change of the controls (web/host/access_update.h).
void nns_host_publish(const char* json, std::size_t length);
}
