#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/live/commands.h"
#include "core/live/endpoint.h"

namespace nns::app {

/// Sends commands to the host that each is for, each with a number of its own. Gives that number.
class Requests {
 public:
  /// `programs`: a host that runs programs and sample models beside one that reads files, whose documents begin with
  /// live::kFirstProgramDocument; null: one host does both.
  explicit Requests(std::unique_ptr<live::Endpoint> endpoint, std::unique_ptr<live::Endpoint> programs = nullptr)
      : endpoint_(std::move(endpoint)), programs_(std::move(programs)) {}

  /// `beside_programs`: by the host that runs programs, so that it can be compared with one.
  std::uint64_t open_source(std::uint64_t source, std::string_view name, std::string_view url,
                            bool beside_programs = false) {
    const bool is_program = beside_programs || live::is_program(name, url);
    return send(is_program, [&](std::uint64_t request) { return live::open_source(request, source, name, url); });
  }
  std::uint64_t open_sample(std::string_view name) {
    return send(true, [&](std::uint64_t request) { return live::open_sample(request, name); });
  }
  std::uint64_t inspect(std::uint32_t document, std::uint32_t row) {
    return send(is_program(document), [&](std::uint64_t request) { return live::inspect(request, document, row); });
  }
  std::uint64_t inspect_tensor(std::uint32_t document, std::uint32_t tensor, bool with_values) {
    return send(is_program(document),
                [&](std::uint64_t request) { return live::inspect_tensor(request, document, tensor, with_values); });
  }
  std::uint64_t tile(std::uint32_t document, std::uint32_t tensor, const base::TensorSlice& slice,
                     const live::TileRequest& tile) {
    return send(is_program(document),
                [&](std::uint64_t request) { return live::request_tile(request, document, tensor, slice, tile); });
  }
  std::uint64_t values(std::uint32_t document, std::uint32_t tensor, const base::TensorSlice& slice,
                       const live::TileRequest& part) {
    return send(is_program(document),
                [&](std::uint64_t request) { return live::request_values(request, document, tensor, slice, part); });
  }
  std::uint64_t inspect_view(std::uint32_t document, std::uint32_t tensor, const base::TensorSlice& slice) {
    return send(is_program(document),
                [&](std::uint64_t request) { return live::inspect_view(request, document, tensor, slice); });
  }
  std::uint64_t find_value(std::uint32_t document, std::uint32_t tensor, const base::TensorSlice& slice,
                           live::wire::FindWhat what, std::uint64_t from) {
    return send(is_program(document),
                [&](std::uint64_t request) { return live::find_value(request, document, tensor, slice, what, from); });
  }
  std::uint64_t model_statistics(std::uint32_t document, std::uint32_t first) {
    return send(is_program(document),
                [&](std::uint64_t request) { return live::request_model_statistics(request, document, first); });
  }
  std::uint64_t scan(std::uint32_t document) {
    return send(is_program(document), [&](std::uint64_t request) { return live::scan_document(request, document); });
  }
  std::uint64_t tensor_file(std::uint32_t document, std::uint32_t tensor, const base::TensorSlice& slice, bool as_text,
                            std::uint64_t first, std::uint64_t count) {
    return send(is_program(document), [&](std::uint64_t request) {
      return live::read_tensor_file(request, document, tensor, slice, as_text, first, count);
    });
  }
  std::uint64_t diff(const live::DiffRequest& diff) {
    return send(is_program(diff.a), [&](std::uint64_t request) { return live::request_diff(request, diff); });
  }
  std::uint64_t diff_tile(const live::DiffTensors& tensors, const live::TileRequest& tile) {
    return send(is_program(tensors.a),
                [&](std::uint64_t request) { return live::request_diff_tile(request, tensors, tile); });
  }
  std::uint64_t run_text(std::uint32_t document, std::string_view text) {
    return send(is_program(document), [&](std::uint64_t request) { return live::run_text(request, document, text); });
  }
  std::uint64_t complete_text(std::uint32_t document, std::string_view text) {
    return send(is_program(document),
                [&](std::uint64_t request) { return live::complete_text(request, document, text); });
  }
  /// Of a text of Python, for its colours and problems.
  std::uint64_t check_source(std::string_view text, std::string_view name) {
    return send(true, [&](std::uint64_t request) { return live::check_source(request, text, name); });
  }
  std::uint64_t open_shared(std::string_view code) {
    return send(true, [&](std::uint64_t request) { return live::open_shared(request, code); });
  }
  /// Document 0: a new program.
  std::uint64_t run_source(std::uint32_t document, std::string_view name, std::string_view text) {
    return send(true, [&](std::uint64_t request) { return live::run_source(request, document, name, text); });
  }
  void close_document(std::uint32_t document) { host(is_program(document)).send(live::close_document(document)); }
  void cancel(std::uint64_t request) { host(is_to_programs(request)).send(live::cancel(request)); }

  /// Whether both documents are one host's, which can compare them.
  bool is_one_host(std::uint32_t a, std::uint32_t b) const {
    return programs_ == nullptr || is_program(a) == is_program(b);
  }
  /// Whether that was asked of the host that runs programs.
  static bool is_to_programs(std::uint64_t request) { return (request & kToPrograms) != 0; }

  std::optional<live::Bytes> receive() {
    std::optional<live::Bytes> message = endpoint_->receive();
    if (!message && programs_ != nullptr) message = programs_->receive();
    return message;
  }
  bool is_connected() const { return endpoint_->is_connected(); }

 private:
  static constexpr std::uint64_t kToPrograms = std::uint64_t{1} << 62U;
  static bool is_program(std::uint32_t document) { return document >= live::kFirstProgramDocument; }
  live::Endpoint& host(bool runs_programs) { return runs_programs && programs_ != nullptr ? *programs_ : *endpoint_; }
  template <class Make>
  std::uint64_t send(bool runs_programs, Make make) {
    const std::uint64_t request = next_++ | (runs_programs && programs_ != nullptr ? kToPrograms : 0);
    host(runs_programs).send(make(request));
    return request;
  }
  std::unique_ptr<live::Endpoint> endpoint_;
  std::unique_ptr<live::Endpoint> programs_;
  std::uint64_t next_ = 1;
};

}  // namespace nns::app
