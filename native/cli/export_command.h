#pragma once

#include <string>
#include <string_view>

#include "native/cli/terminal.h"

namespace nns::cli {

struct ExportOptions {
  std::string input;   ///< path, folder, web address
  std::string format;  ///< text, json, csv, markdown, svg, png, pdf, npy
  std::string filter;  ///< of the text formats: only what the search box would find; empty: everything
  std::string view = "tree";
  std::string tensor;               ///< its name, for npy and csv of values and pictures of a heat map
  std::string slice;                ///< a part of it, in PyTorch's indexing; empty: all
  std::string against;              ///< another file: the heat map is of the tensor minus that of this file
  std::string against_tensor;       ///< its name there; empty: the same name
  std::string range = "symmetric";  ///< of a heat map's colours: symmetric, full, 1-99 or LOW:HIGH
  std::string output;               ///< empty: standard output for text, else a name after the file's in this folder
  int width = 0;                    ///< the box of a picture; 0: its own size
  int height = 0;
  std::string metric = "parameters";
  std::string colour = "kind";
  bool is_dark = false;
  bool force = false;
};

/// Whether it is the format of a picture.
bool is_picture_format(std::string_view format);

/// Writes what the explorer's "Save" commands write, without a window.
/// Returns an ExitStatus: kBadInput for input that cannot be read and an output that is there already, kFound if the
/// filter matches nothing (then no file is written), kStopped after Ctrl+C, which leaves no file behind.
int run_export(const ExportOptions& options, const Terminal& terminal);

}  // namespace nns::cli
