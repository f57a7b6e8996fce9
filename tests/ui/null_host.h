#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ui/host/access_node.h"
#include "ui/host/glyph.h"
#include "ui/host/host.h"
#include "ui/host/save_file.h"

namespace nns::tests {

/// The platform of tests and benchmarks: no screen, no files; what the app asked of it is kept here.
struct NullHost {
  std::vector<host::PickedFile> dropped;
  std::vector<host::AccessAction> actions;
  std::map<std::string, std::string, std::less<>> settings;
  std::map<std::string, host::PickedFile, std::less<>> kept;  ///< files that reopen_file() gives
  bool asks_before_reopening = false;
  bool opens_paths = true;
  std::string link_base = "https://page/";
  std::optional<host::PickedFile> picked;  ///< what the picker gives; without it there is no picker
  int pickings = 0;
  std::vector<std::string> watched;
  std::vector<host::PickedFile> changed;
  std::string link;
  std::uint64_t visit = 0;  ///< the last one that was not 0
  std::string clipboard;
  std::map<std::string, std::string, std::less<>> saved;  ///< by name: the bytes, those of pictures unpacked
  std::map<char32_t, host::Glyph> glyphs;                 ///< what draw_glyph() gives, in every size
  std::vector<char32_t> asked_glyphs;
  std::string title;
  bool is_dark = true;
  bool is_drag_over = false;
  float scale = 1;
  int published = 0;  ///< how often the tree of controls was handed over
  bool wants_frame = false;
};
/// The one that ui/host's functions use.
NullHost& null_host();

}  // namespace nns::tests
