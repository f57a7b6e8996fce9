#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/live/commands.h"
#include "core/live/endpoint.h"

namespace nns::app {

/// Sends commands to the host, each with a number of its own. Gives that number.
class Requests {
 public:
  explicit Requests(std::unique_ptr<live::Endpoint> endpoint) : endpoint_(std::move(endpoint)) {}

  std::uint64_t open_source(std::uint64_t source, std::string_view name, std::string_view url) {
    return send([&](std::uint64_t request) { return live::open_source(request, source, name, url); });
  }
  std::uint64_t open_sample(std::string_view name) {
    return send([&](std::uint64_t request) { return live::open_sample(request, name); });
  }
  std::uint64_t inspect(std::uint32_t document, std::uint32_t row) {
    return send([&](std::uint64_t request) { return live::inspect(request, document, row); });
  }
  std::uint64_t inspect_tensor(std::uint32_t document, std::uint32_t tensor, bool with_values) {
    return send([&](std::uint64_t request) { return live::inspect_tensor(request, document, tensor, with_values); });
  }
  std::uint64_t tile(std::uint32_t document, std::uint32_t tensor, const base::TensorSlice& slice,
                     const live::TileRequest& tile) {
    return send([&](std::uint64_t request) { return live::request_tile(request, document, tensor, slice, tile); });
  }
  std::uint64_t values(std::uint32_t document, std::uint32_t tensor, const base::TensorSlice& slice,
                       const live::TileRequest& part) {
    return send([&](std::uint64_t request) { return live::request_values(request, document, tensor, slice, part); });
  }
  std::uint64_t inspect_view(std::uint32_t document, std::uint32_t tensor, const base::TensorSlice& slice) {
    return send([&](std::uint64_t request) { return live::inspect_view(request, document, tensor, slice); });
  }
  std::uint64_t find_value(std::uint32_t document, std::uint32_t tensor, const base::TensorSlice& slice,
                           live::wire::FindWhat what, std::uint64_t from) {
    return send([&](std::uint64_t request) { return live::find_value(request, document, tensor, slice, what, from); });
  }
  std::uint64_t model_statistics(std::uint32_t document, std::uint32_t first) {
    return send([&](std::uint64_t request) { return live::request_model_statistics(request, document, first); });
  }
  std::uint64_t scan(std::uint32_t document) {
    return send([&](std::uint64_t request) { return live::scan_document(request, document); });
  }
  std::uint64_t tensor_file(std::uint32_t document, std::uint32_t tensor, const base::TensorSlice& slice, bool as_text,
                            std::uint64_t first, std::uint64_t count) {
    return send([&](std::uint64_t request) {
      return live::read_tensor_file(request, document, tensor, slice, as_text, first, count);
    });
  }
  std::uint64_t diff(const live::DiffRequest& diff) {
    return send([&](std::uint64_t request) { return live::request_diff(request, diff); });
  }
  std::uint64_t diff_tile(const live::DiffTensors& tensors, const live::TileRequest& tile) {
    return send([&](std::uint64_t request) { return live::request_diff_tile(request, tensors, tile); });
  }
  void close_document(std::uint32_t document) { endpoint_->send(live::close_document(document)); }
  void cancel(std::uint64_t request) { endpoint_->send(live::cancel(request)); }

  std::optional<live::Bytes> receive() { return endpoint_->receive(); }
  bool is_connected() const { return endpoint_->is_connected(); }

 private:
  template <class Make>
  std::uint64_t send(Make make) {
    const std::uint64_t request = next_++;
    endpoint_->send(make(request));
    return request;
  }
  std::unique_ptr<live::Endpoint> endpoint_;
  std::uint64_t next_ = 1;
};

}  // namespace nns::app
