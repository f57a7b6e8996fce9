#pragma once

#include <cstddef>

/// What the core's program calls in its worker. Bodies: core_imports.js, which hands on to `host` in
/// web/page/worker.mjs. Texts are UTF-8 and go as address and length; a text that comes back is put where
/// nns_text_place() gave room.
extern "C" {
/// Sends one message of the stream to the viewer.
void nns_core_send(const void* bytes, std::size_t length);
/// The request that the page wants cancelled while no message can come, because this program has not returned for a
/// while; 0: none.
double nns_core_cancelled();
/// A handle of the file of that name in a group that the person gave; 0: there is none.
int nns_core_file_open(double source, const char* name, std::size_t length);
/// Text: the names of a group's files, each on a line.
void nns_core_file_names(double source);
/// A handle of what is at an address; it is on its way at first.
int nns_core_url_open(const char* url, std::size_t length);
/// A handle of a file beside the one at the address that `handle` was opened with.
int nns_core_url_beside(int handle, const char* name, std::size_t length);
/// The same, not on its way any more: blocks until the server has answered.
int nns_core_url_beside_now(int handle, const char* name, std::size_t length);
/// 0 on its way, 1 ready, 2 failed (see nns_core_error).
int nns_core_state(int handle);
double nns_core_size(int handle);
/// Text: file name or address.
void nns_core_name(int handle);
/// Text: what was found, and on the next line what was expected.
void nns_core_error(int handle);
/// Fills `into`; false: failed, the text is as nns_core_error's.
bool nns_core_read(int handle, double offset, void* into, std::size_t length);
void nns_core_close(int handle);
}
