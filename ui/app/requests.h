#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/live/commands.h"
#include "core/live/endpoint.h"
#include "core/live/message.h"
#include "core/live/training_commands.h"

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
    // Logs of a compiler are read where programs run: the page without them stays small.
    const bool is_program = beside_programs || live::is_program(name, url) || live::is_trace_log(name, url);
    return send(is_program, [&](std::uint64_t request) { return live::open_source(request, source, name, url); });
  }
  std::uint64_t open_sample(std::string_view name) {
    return send(true, [&](std::uint64_t request) { return live::open_sample(request, name); });
  }
  std::uint64_t inspect(std::uint32_t document, std::uint32_t row) {
    return to_document(document, [&](std::uint64_t request) { return live::inspect(request, document, row); });
  }
  std::uint64_t inspect_tensor(std::uint32_t document, std::uint32_t tensor, bool with_values) {
    return to_document(
        document, [&](std::uint64_t request) { return live::inspect_tensor(request, document, tensor, with_values); });
  }
  std::uint64_t tile(std::uint32_t document, std::uint32_t tensor, const base::TensorSlice& slice,
                     const live::TileRequest& tile) {
    return to_document(
        document, [&](std::uint64_t request) { return live::request_tile(request, document, tensor, slice, tile); });
  }
  std::uint64_t values(std::uint32_t document, std::uint32_t tensor, const base::TensorSlice& slice,
                       const live::TileRequest& part) {
    return to_document(
        document, [&](std::uint64_t request) { return live::request_values(request, document, tensor, slice, part); });
  }
  std::uint64_t inspect_view(std::uint32_t document, std::uint32_t tensor, const base::TensorSlice& slice) {
    return to_document(document,
                       [&](std::uint64_t request) { return live::inspect_view(request, document, tensor, slice); });
  }
  std::uint64_t find_value(std::uint32_t document, std::uint32_t tensor, const base::TensorSlice& slice,
                           live::wire::FindWhat what, std::uint64_t from) {
    return to_document(document, [&](std::uint64_t request) {
      return live::find_value(request, document, tensor, slice, what, from);
    });
  }
  std::uint64_t model_statistics(std::uint32_t document, std::uint32_t first) {
    return to_document(document,
                       [&](std::uint64_t request) { return live::request_model_statistics(request, document, first); });
  }
  std::uint64_t scan(std::uint32_t document) {
    return to_document(document, [&](std::uint64_t request) { return live::scan_document(request, document); });
  }
  std::uint64_t tensor_file(std::uint32_t document, std::uint32_t tensor, const base::TensorSlice& slice, bool as_text,
                            std::uint64_t first, std::uint64_t count) {
    return to_document(document, [&](std::uint64_t request) {
      return live::read_tensor_file(request, document, tensor, slice, as_text, first, count);
    });
  }
  std::uint64_t diff(const live::DiffRequest& diff) {
    return to_document(diff.a, [&](std::uint64_t request) { return live::request_diff(request, diff); });
  }
  std::uint64_t diff_tile(const live::DiffTensors& tensors, const live::TileRequest& tile) {
    return to_document(tensors.a,
                       [&](std::uint64_t request) { return live::request_diff_tile(request, tensors, tile); });
  }
  std::uint64_t run_text(std::uint32_t document, std::string_view text) {
    return to_document(document, [&](std::uint64_t request) { return live::run_text(request, document, text); });
  }
  std::uint64_t complete_text(std::uint32_t document, std::string_view text) {
    return to_document(document, [&](std::uint64_t request) { return live::complete_text(request, document, text); });
  }
  std::uint64_t control_training(std::uint32_t document, live::wire::TrainingAction action) {
    return to_document(document,
                       [&](std::uint64_t request) { return live::control_training(request, document, action); });
  }
  std::uint64_t read_checkpoint(std::uint32_t document, std::string_view name, std::uint64_t first) {
    return to_document(document,
                       [&](std::uint64_t request) { return live::read_checkpoint(request, document, name, first); });
  }
  std::uint64_t add_hook(std::uint32_t document, std::uint32_t module, live::wire::HookPoint point) {
    return to_document(document,
                       [&](std::uint64_t request) { return live::add_hook(request, document, module, point); });
  }
  std::uint64_t remove_hook(std::uint32_t document, std::uint32_t module, std::uint64_t id) {
    return to_document(document,
                       [&](std::uint64_t request) { return live::remove_hook(request, document, module, id); });
  }
  std::uint64_t request_recipes() {
    return send(true, [](std::uint64_t request) { return live::request_recipes(request); });
  }
  std::uint64_t start_training(const live::StartOfTraining& start) {
    return send(true, [&](std::uint64_t request) { return live::start_training(request, start); });
  }
  std::uint64_t set_learning_rate(std::uint32_t document, double rate, std::uint32_t optimizer, std::uint32_t group) {
    return to_document(document, [&](std::uint64_t request) {
      return live::set_learning_rate(request, document, rate, optimizer, group);
    });
  }
  std::uint64_t unsubscribe_training(std::uint32_t document, std::uint32_t id) {
    return to_document(document,
                       [&](std::uint64_t request) { return live::unsubscribe_training(request, document, id); });
  }
  std::uint64_t subscribe_training(std::uint32_t document, const live::TrainingSubscription& wanted) {
    return to_document(document,
                       [&](std::uint64_t request) { return live::subscribe_training(request, document, wanted); });
  }
  std::uint64_t seek_recording(std::uint32_t recording, std::uint64_t event) {
    return to_document(recording,
                       [&](std::uint64_t request) { return live::seek_recording(request, recording, event); });
  }

  /// A host on the other side of a network, whose documents begin with live::kFirstLiveDocument; null: none.
  void set_live(std::unique_ptr<live::Endpoint> endpoint) { live_ = std::move(endpoint); }
  bool has_live() const { return live_ != nullptr; }
  static bool is_live(std::uint32_t document) { return document >= live::kFirstLiveDocument; }

  void close_document(std::uint32_t document) { host(place_of(document)).send(live::close_document(document)); }
  void cancel(std::uint64_t request) { host(place_of_request(request)).send(live::cancel(request)); }
  /// The job stands still, or goes on.
  void hold(std::uint64_t request, bool held) { host(place_of_request(request)).send(live::hold_job(request, held)); }
  std::uint64_t record_program(std::uint32_t document, const std::string* text) {
    return to_document(document, [&](std::uint64_t request) { return live::record_program(request, document, text); });
  }
  std::uint64_t move_in_trace(std::uint32_t document, const live::TraceMoveRequest& move) {
    return to_document(document, [&](std::uint64_t request) { return live::move_in_trace(request, document, move); });
  }
  std::uint64_t inspect_call(std::uint32_t document, std::string_view model, const std::vector<std::string>& inputs,
                             bool with_values) {
    return to_document(document, [&](std::uint64_t request) {
      return live::inspect_call(request, document, model, inputs, with_values);
    });
  }
  std::uint64_t capture_program(std::uint32_t document, const live::CaptureRequest& asked) {
    return to_document(document,
                       [&](std::uint64_t request) { return live::capture_program(request, document, asked); });
  }
  /// The programs of a package of torch.export that is open as `document`. Read where programs run, as logs are.
  std::uint64_t read_package(std::uint32_t document, std::uint64_t source, std::string_view name,
                             std::string_view url) {
    return send(true, [&](std::uint64_t request) { return live::read_package(request, document, source, name, url); });
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

  /// Whether both documents are one host's, which can compare them.
  bool is_one_host(std::uint32_t a, std::uint32_t b) const {
    if (is_live(a) || is_live(b)) return is_live(a) && is_live(b);
    return programs_ == nullptr || is_program(a) == is_program(b);
  }
  /// Whether that was asked of the host that runs programs.
  static bool is_to_programs(std::uint64_t request) { return (request & kToPrograms) != 0; }

  std::optional<live::Bytes> receive() {
    std::optional<live::Bytes> message = endpoint_->receive();
    if (!message && programs_ != nullptr) message = programs_->receive();
    if (!message && live_ != nullptr) message = receive_live();
    return message;
  }
  bool is_connected() const { return endpoint_->is_connected(); }

 private:
  enum class Place : std::uint8_t { Files, Programs, Live };
  static constexpr std::uint64_t kToPrograms = std::uint64_t{1} << 62U;
  static constexpr std::uint64_t kToLive = std::uint64_t{1} << 61U;
  static bool is_program(std::uint32_t document) { return document >= live::kFirstProgramDocument; }
  Place place_of(std::uint32_t document) const {
    if (is_live(document) && live_ != nullptr) return Place::Live;
    return is_program(document) && programs_ != nullptr ? Place::Programs : Place::Files;
  }
  static Place place_of_request(std::uint64_t request) {
    if (is_to_programs(request)) return Place::Programs;
    return (request & kToLive) != 0 ? Place::Live : Place::Files;
  }
  live::Endpoint& host(Place place) {
    if (place == Place::Live && live_ != nullptr) return *live_;
    return place == Place::Programs && programs_ != nullptr ? *programs_ : *endpoint_;
  }
  template <class Make>
  std::uint64_t send_to(Place place, Make make) {
    std::uint64_t request = next_++;
    if (place == Place::Programs) request |= kToPrograms;
    if (place == Place::Live) request |= kToLive;
    host(place).send(make(request));
    return request;
  }
  template <class Make>
  std::uint64_t send(bool runs_programs, Make make) {
    return send_to(runs_programs && programs_ != nullptr ? Place::Programs : Place::Files, make);
  }
  template <class Make>
  std::uint64_t to_document(std::uint32_t document, Make make) {
    return send_to(place_of(document), make);
  }
  /// What samples another host has, and what of its own documents is not in its range, is not for this viewer.
  std::optional<live::Bytes> receive_live() {
    while (std::optional<live::Bytes> message = live_->receive()) {
      const auto checked = live::Message::verify(live::Bytes(*message));
      if (checked.ok() && checked->as<live::wire::Hello>() != nullptr) continue;
      return message;
    }
    return std::nullopt;
  }
  std::unique_ptr<live::Endpoint> endpoint_;
  std::unique_ptr<live::Endpoint> programs_;
  std::unique_ptr<live::Endpoint> live_;
  std::uint64_t next_ = 1;
};

}  // namespace nns::app
