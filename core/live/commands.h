#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor_slice.h"
#include "core/live/bytes.h"
#include "core/live/protocol_generated.h"

/// The messages that a viewer sends to a host, ready for Endpoint::send(). `request` numbers are the viewer's choice,
/// each used once; the host's answers carry them.
namespace nns::live {

Bytes open_source(std::uint64_t request, std::uint64_t source, std::string_view name, std::string_view url);
Bytes open_sample(std::uint64_t request, std::string_view name);
Bytes close_document(std::uint32_t document);
Bytes inspect(std::uint64_t request, std::uint32_t document, std::uint32_t node);
Bytes inspect_tensor(std::uint64_t request, std::uint32_t document, std::uint32_t tensor, bool with_values);
Bytes cancel(std::uint64_t request);
Bytes hold_job(std::uint64_t request, bool held);

/// The part of a tensor's matrix that a tile shows, and how many cells it is to have.
struct TileRequest {
  std::uint64_t row_begin = 0;
  std::uint64_t row_end = 0;
  std::uint64_t column_begin = 0;
  std::uint64_t column_end = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  bool for_file = false;  ///< one exact tile that Mirror::file_tile() gives, instead of those of Mirror::tile()
};
Bytes request_tile(std::uint64_t request, std::uint32_t document, std::uint32_t tensor, const base::TensorSlice& slice,
                   const TileRequest& tile);
/// The rectangle of `part`, whose width and height say nothing here.
Bytes request_values(std::uint64_t request, std::uint32_t document, std::uint32_t tensor,
                     const base::TensorSlice& slice, const TileRequest& part);
Bytes inspect_view(std::uint64_t request, std::uint32_t document, std::uint32_t tensor, const base::TensorSlice& slice);
Bytes find_value(std::uint64_t request, std::uint32_t document, std::uint32_t tensor, const base::TensorSlice& slice,
                 wire::FindWhat what, std::uint64_t from);
Bytes request_model_statistics(std::uint64_t request, std::uint32_t document, std::uint32_t first);
/// At most so many values are answered at once.
inline constexpr std::uint64_t kMostValues = 65'536;
Bytes scan_document(std::uint64_t request, std::uint32_t document);
Bytes read_tensor_file(std::uint64_t request, std::uint32_t document, std::uint32_t tensor,
                       const base::TensorSlice& slice, bool as_text, std::uint64_t first, std::uint64_t count);

/// Documents of a host that runs programs for a viewer beside one that reads files begin with this number.
inline constexpr std::uint32_t kFirstProgramDocument = 0x1000'0000;
/// Those of a host on the other side of a network, which a viewer attaches to beside its own, begin with this one.
inline constexpr std::uint32_t kFirstLiveDocument = 0x2000'0000;
/// Whether that file, or the one at that address, is a program to be run and no model to be read.
bool is_program(std::string_view name, std::string_view url);
/// Whether that file, or the one at that address, is a log of TORCH_TRACE.
bool is_trace_log(std::string_view name, std::string_view url);
Bytes run_text(std::uint64_t request, std::uint32_t document, std::string_view text);
Bytes complete_text(std::uint64_t request, std::uint32_t document, std::string_view text);
/// See wire::InspectCall.
Bytes inspect_call(std::uint64_t request, std::uint32_t document, std::string_view model,
                   const std::vector<std::string>& inputs, bool with_values);
/// See wire::CaptureProgram.
struct CaptureRequest {
  const std::string* text = nullptr;  ///< in place of the program's own; null: that
  std::string call = {};
  std::vector<std::string> inputs = {};
  bool by_instance = false;  ///< modules are followed one instance at a time: inline_inbuilt_nn_modules=false
};
Bytes capture_program(std::uint64_t request, std::uint32_t document, const CaptureRequest& asked);
/// See wire::ReadPackage.
Bytes read_package(std::uint64_t request, std::uint32_t document, std::uint64_t source, std::string_view name,
                   std::string_view url);
Bytes check_source(std::uint64_t request, std::string_view text, std::string_view name);
Bytes open_shared(std::uint64_t request, std::string_view code);
Bytes run_source(std::uint64_t request, std::uint32_t document, std::string_view name, std::string_view text);

/// Runs the program anew and records it; with another source where `text` is given.
Bytes record_program(std::uint64_t request, std::uint32_t document, const std::string* text);
/// A way through a recording; see wire::MoveInTrace.
struct TraceMoveRequest {
  wire::TraceMove move = wire::TraceMove::To;
  bool back = false;
  std::uint32_t event = 0;
  std::vector<wire::TraceLine> lines{};
  bool registry_changes = false;
  bool hook_fires = false;
  bool exceptions = false;
  bool module_calls = false;
  bool attribute_changes = false;
  std::uint32_t object = UINT32_MAX;
  std::uint32_t since = 0;
  std::uint32_t selected = UINT32_MAX;
  std::vector<std::uint32_t> expanded{};
  std::uint32_t count = 1;  ///< so many moves in a row
};
Bytes move_in_trace(std::uint64_t request, std::uint32_t document, const TraceMoveRequest& move);
/// The stream of a recording as it was when so many events had been told.
Bytes seek_recording(std::uint64_t request, std::uint32_t recording, std::uint64_t event);

/// Which rows of a comparison are to have their values compared.
struct DiffRequest {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  bool with_rows = true;
  bool with_values = false;
  std::uint32_t first_row = 0;
  std::uint32_t last_row = UINT32_MAX;
  std::uint32_t part_a = 0;  ///< rows of the documents, of which only what is below them is compared
  std::uint32_t part_b = 0;
};
Bytes request_diff(std::uint64_t request, const DiffRequest& diff);
/// A tensor of each of the two documents.
struct DiffTensors {
  std::uint32_t a = 0;
  std::uint32_t a_tensor = 0;
  std::uint32_t b = 0;
  std::uint32_t b_tensor = 0;
};
Bytes request_diff_tile(std::uint64_t request, const DiffTensors& tensors, const TileRequest& tile);

}  // namespace nns::live
