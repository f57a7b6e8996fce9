#include "native/cli/attach_command.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "core/live/broadcast.h"
#include "core/live/mirror.h"
#include "core/live/recording.h"
#include "native/cli/exit_status.h"
#include "native/cli/json_writer.h"
#include "native/cli/open_command.h"
#include "native/cli/stop_on_signal.h"
#include "native/cli/terminal.h"
#include "native/host/file_source.h"
#include "native/server/bell.h"
#include "native/server/live_client.h"
#include "native/server/stream_recorder.h"

namespace nns::cli {

namespace {

namespace wire = live::wire;
using Clock = std::chrono::steady_clock;

constexpr auto kBetweenLines = std::chrono::milliseconds(500);

bool is_over(const wire::Training& training) {
  return training.state() == wire::TrainingState::Finished || training.state() == wire::TrainingState::Failed ||
         training.state() == wire::TrainingState::Stopped;
}

void write_training(JsonWriter& json, const live::TrainingView& training) {
  json.begin_object();
  json.key("document");
  json.number(std::uint64_t{training.document()});
  if (const wire::Training* state = training.state()) {
    json.key("title");
    json.text(live::text_of(state->title()));
    json.key("state");
    json.text(wire::EnumNameTrainingState(state->state()));
    json.key("steps");
    json.number(state->steps());
    json.key("total_steps");
    json.number(state->total_steps());
    json.key("epoch");
    json.number(state->epoch());
    json.key("seconds");
    json.number(state->seconds());
    json.key("steps_per_second");
    json.number(state->steps_per_second());
    json.key("loss");
    json.number(state->loss());
    json.key("learning_rates");
    json.begin_list();
    for (const double rate : *state->learning_rates()) json.number(rate);
    json.end_list();
  }
  json.key("points");
  json.number(std::uint64_t{training.steps().size()});
  json.key("points_left_out");
  json.number(training.steps_left_out());
  json.key("modules");
  json.number(std::uint64_t{training.modules() == nullptr ? 0 : training.modules()->parent()->size()});
  json.key("log_lines");
  json.number(std::uint64_t{training.log().size()} + training.log_left_out());
  json.end_object();
}

void write_state(std::FILE* out, const live::Mirror& mirror) {
  JsonWriter json(out);
  json.begin_object();
  json.key("may_control");
  json.boolean(mirror.may_control().value_or(false));
  json.key("events_left_out");
  json.number(mirror.left_out());
  json.key("documents");
  json.begin_list();
  for (const auto& document : mirror.documents()) {
    json.begin_object();
    json.key("id");
    json.number(std::uint64_t{document->id()});
    json.key("title");
    json.text(document->title());
    json.key("rows");
    json.number(std::uint64_t{document->row_count()});
    json.key("tensors");
    json.number(std::uint64_t{document->tensor_count()});
    json.end_object();
  }
  json.end_list();
  json.key("trainings");
  json.begin_list();
  for (const auto& [id, training] : mirror.trainings()) write_training(json, training);
  json.end_list();
  json.end_object();
  json.newline();
}

std::string line_of(const live::TrainingView& training) {
  const wire::Training* state = training.state();
  if (state == nullptr) return fmt::format("training {}: {} points", training.document(), training.steps().size());
  std::string total = state->total_steps() > 0 ? fmt::format(" of {}", state->total_steps()) : "";
  return fmt::format("{}: {}, step {}{}, loss {:.5g}, {:.4g} steps/s", live::text_of(state->title()),
                     wire::EnumNameTrainingState(state->state()), state->steps(), total, state->loss(),
                     state->steps_per_second());
}

void print_state(const live::Mirror& mirror, bool json) {
  if (json) {
    write_state(stdout, mirror);
  } else {
    for (const auto& document : mirror.documents()) {
      fmt::print("{}: {} modules and tensors\n", document->title(), document->row_count());
    }
    for (const auto& [id, training] : mirror.trainings()) fmt::print("{}\n", line_of(training));
  }
  std::fflush(stdout);
}

int watch(const server::LiveAddress& address, const AttachOptions& options) {
  const StopOnSignal stop;
  live::Broadcast heard;  // what is recorded
  std::unique_ptr<server::StreamRecorder> recorder;
  if (!options.record.empty()) {
    auto started = server::StreamRecorder::start(heard, options.record, options.force);
    if (!started.ok()) {
      print_error(started.error().message());
      return kBadInput;
    }
    recorder = std::move(started).value();
  }
  server::Bell bell;
  server::LiveClient client(address, [&bell] { bell.ring(); });
  live::Mirror mirror;
  auto printed_at = Clock::now() - kBetweenLines;
  auto heard_at = Clock::now();
  std::uint64_t printed = 0;
  std::string told;
  bool said_full = false;
  while (!StopOnSignal::stopped()) {
    while (auto bytes = client.receive()) {
      heard_at = Clock::now();
      if (recorder) heard.publish(live::Bytes(*bytes));
      if (const auto applied = mirror.apply(std::move(*bytes)); !applied.ok()) print_error(applied.error().message());
    }
    if (recorder && !said_full && recorder->error()) {
      said_full = true;
      print_error(recorder->error()->message());
    }
    const server::LinkStatus status = client.status();
    if (status.state == server::LinkState::Refused) {
      print_error(status.why);
      return kFound;
    }
    if (status.state == server::LinkState::Lost && status.why != told) {
      print_error(status.why + "; trying again");
      told = status.why;
    }
    const auto now = Clock::now();
    const bool has_something = !mirror.documents().empty() || !mirror.trainings().empty();
    bool ends = has_something && options.once;
    for (const auto& [id, training] : mirror.trainings()) {
      ends |= training.state() != nullptr && is_over(*training.state());
    }
    if (has_something && mirror.version() != printed && (ends || now - printed_at >= kBetweenLines)) {
      print_state(mirror, options.json);
      printed = mirror.version();
      printed_at = now;
    }
    if (ends) return kFine;
    if (options.patience_s > 0 && std::chrono::duration<double>(now - heard_at).count() > options.patience_s) {
      print_error(fmt::format("nothing came from {} for {} seconds", address.text(), options.patience_s));
      return kFound;
    }
    bell.wait(std::chrono::milliseconds(100));
  }
  return kStopped;
}

class ClientLink final : public app::LiveLink {
 public:
  explicit ClientLink(server::LiveAddress address) : client_(std::move(address), [] { host::wake_window(); }) {}
  void send(live::Bytes message) override { client_.send(std::move(message)); }
  std::optional<live::Bytes> receive() override { return client_.receive(); }
  bool is_connected() const override { return client_.is_connected(); }
  std::string trouble() const override {
    const server::LinkStatus status = client_.status();
    switch (status.state) {
      case server::LinkState::Connected:
        return {};
      case server::LinkState::Connecting:
        return "Connecting\xE2\x80\xA6";
      case server::LinkState::Lost:
        return status.why + "; trying again";
      case server::LinkState::Refused:
        return status.why;
    }
    return {};
  }

 private:
  server::LiveClient client_;
};

}  // namespace

app::LiveConnector live_connector() {
  return [](const std::string& text) -> base::Result<std::unique_ptr<app::LiveLink>> {
    NNS_TRY_ASSIGN(server::LiveAddress address, server::parse_live_address(text.empty() ? "127.0.0.1:7373" : text));
    return std::unique_ptr<app::LiveLink>(std::make_unique<ClientLink>(std::move(address)));
  };
}

int run_attach(const AttachOptions& options) {
  const auto address = server::parse_live_address(options.address);
  if (!address.ok()) {
    print_error(address.error().message());
    return kBadInput;
  }
  if (options.headless || !options.record.empty()) return watch(*address, options);
  OpenOptions window;
  window.window.restores = false;
  window.window.attach = options.address;
  window.screenshot = options.screenshot;
  return run_open(std::move(window));
}

int run_replay(const ReplayOptions& options) {
  if (!options.headless) {
    OpenOptions window;
    window.window.inputs.push_back(options.file);
    return run_open(std::move(window));
  }
  auto file = host::open_file(options.file);
  if (!file.ok()) {
    print_error(file.error().message());
    return kBadInput;
  }
  const std::shared_ptr<base::ByteSource> source = std::move(file).value();
  auto opened = live::Recording::open(source);
  if (!opened.ok()) {
    print_error(opened.error().message());
    return kBadInput;
  }
  live::Recording& recording = **opened;
  auto messages = recording.seek(options.has_event ? options.event : recording.events());
  if (!messages.ok()) {
    print_error(messages.error().message());
    return kBadInput;
  }
  live::Mirror mirror;
  for (live::RecordedMessage& message : *messages) {
    // What a later version tells is left out.
    (void)mirror.apply(std::move(message.bytes));
  }
  if (recording.damage()) print_error(recording.damage()->message());
  if (!options.json) {
    fmt::print("{} events in {:.1f} s, {} bytes\n", recording.events(),
               static_cast<double>(recording.duration_us()) / 1e6, source->size());
  }
  print_state(mirror, options.json);
  return recording.damage() ? kFound : kFine;
}

}  // namespace nns::cli
