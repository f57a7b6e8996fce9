#pragma once

#include <string>
#include <string_view>

#include "core/capture/capture.h"
#include "native/cli/json_writer.h"

namespace nns::cli {

/// The frames of a capture as text: what each was compiled to, or exported as.
void print_frames(const capture::Capture& capture);
/// The same as a list of objects.
void write_frames(JsonWriter& out, const capture::Capture& capture);

/// Whether the file has a name of those that print_capture_file() tells of.
bool is_capture_file(std::string_view file);
/// Tells what PyTorch wrote of its compiler: of a log of TORCH_TRACE for each compilation its graphs, breaks, guards,
/// recompile reasons and times; of a package of torch.export its programs with signature, graphs and constraints.
/// Returns 0, or kBadInput where it is neither or cannot be read.
int print_capture_file(const std::string& file, bool json);

}  // namespace nns::cli
