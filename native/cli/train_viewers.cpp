#include "native/cli/train_viewers.h"

#include <fmt/format.h>

#include <atomic>
#include <thread>
#include <utility>

#include "core/train/metrics_file.h"
#include "native/cli/attach_command.h"
#include "native/cli/open_command.h"
#include "native/cli/serve_command.h"
#include "native/cli/terminal.h"
#include "native/host/window.h"
#include "native/server/broadcast_service.h"
#include "native/server/stream_recorder.h"

namespace nns::cli {

namespace {

// What the window is told to attach to; no address of a network.
constexpr std::string_view kThisRun = "this run";

/// The window's end of the stream of its own process.
class OwnStream final : public app::LiveLink {
 public:
  OwnStream(server::LiveService& service, std::unique_ptr<server::LiveConnection> connection)
      : service_(service), connection_(std::move(connection)) {}

  void send(live::Bytes message) override {
    // What this program's own window sends is in order; were it not, it would be told as refused.
    (void)connection_->receive(std::move(message));
  }
  std::optional<live::Bytes> receive() override {
    service_.pump();
    const live::SharedBytes bytes = connection_->next();
    if (bytes == nullptr) return std::nullopt;
    return *bytes;
  }
  bool is_connected() const override { return true; }
  std::string trouble() const override { return {}; }

 private:
  server::LiveService& service_;
  std::unique_ptr<server::LiveConnection> connection_;
};

}  // namespace

struct TrainViewers::State {
  live::Broadcast stream;
  std::unique_ptr<server::LiveService> service = server::make_broadcast_service(stream);  // outlives the server
  std::unique_ptr<server::HttpServer> server;
  std::thread serving;
  std::unique_ptr<server::StreamRecorder> recorder;
  std::size_t own_viewers = 0;  // the recording
  bool has_window = false, is_of_folder = false;
  std::atomic<bool> closes_window = false;
  std::unique_ptr<server::LiveTraining> training;
  std::unique_ptr<server::LiveConnection> window;  // until the window takes it
};

TrainViewers::TrainViewers(std::unique_ptr<State> state) : state_(std::move(state)) {}
TrainViewers::~TrainViewers() { end(); }

namespace {

base::Result<std::unique_ptr<server::HttpServer>> listen(const TrainViewerOptions& options,
                                                         server::LiveService& service) {
  server::ServerOptions wanted;
  NNS_TRY_ASSIGN(wanted.folder, find_site());
  wanted.host = options.host;
  wanted.port = options.port.value_or(wanted.port);
  wanted.search_port = !options.port.has_value();
  NNS_TRY_ASSIGN(auto server, server::HttpServer::listen(wanted));
  NNS_TRY_ASSIGN(server::LiveAccess access, make_live_access(*server, options.allowed_origins));
  const LiveLinks links = live_links(*server, access);
  server->serve_live(service, std::move(access));
  fmt::print(stderr,
             "nnscope: this training can be watched (a browser, or nnscope attach):\n  to watch:   {}\n"
             "  to control: {}\n",
             links.watch, links.control);
  if (!server->is_loopback()) print_error("other machines can reach this address too");
  if (options.json)
    fmt::print("{{\"watch\": {}, \"control\": {}}}\n", train::json_text(links.watch), train::json_text(links.control));
  std::fflush(stdout);
  std::fflush(stderr);
  return server;
}

}  // namespace

base::Result<std::unique_ptr<TrainViewers>> TrainViewers::open(const TrainViewerOptions& options) {
  auto state = std::make_unique<State>();
  const bool is_default = !options.view && !options.serve && !options.headless;
  if (options.view && !host::can_open_window())
    return base::Error{.found = "--view: there is no display here",
                       .expected = "--serve, whose page a browser shows",
                       .where = "train",
                       .offset = {}};
  state->has_window = options.view || (is_default && host::can_open_window());
  if (options.serve || (is_default && !state->has_window)) {
    auto server = listen(options, *state->service);
    if (server.ok()) {
      state->server = std::move(server).value();
    } else if (options.serve) {
      return std::move(server).error();
    } else {
      print_error(fmt::format("nobody can watch this training: {}", server.error().message()));
    }
  }
  if (!options.record.empty()) {
    auto recorder = server::StreamRecorder::start(state->stream, options.record, options.overwrites_record);
    if (recorder.ok()) {
      state->recorder = std::move(recorder).value();
    } else if (options.is_of_folder) {
      print_error(recorder.error().message());
    } else {
      return std::move(recorder).error();
    }
    state->own_viewers = state->stream.viewers();
    state->is_of_folder = options.is_of_folder;
  }
  if (!state->has_window && state->server == nullptr && state->recorder == nullptr)
    return std::unique_ptr<TrainViewers>();
  // Before the training begins, so that the window misses nothing of it.
  if (state->has_window) state->window = state->service->connect(true);
  return std::unique_ptr<TrainViewers>(new TrainViewers(std::move(state)));
}

bool TrainViewers::has_window() const { return state_->has_window; }

int TrainViewers::run_window() {
  OpenOptions window;
  window.window.restores = false;
  window.window.attach = kThisRun;
  window.window.connector = [this](const std::string& text) -> base::Result<std::unique_ptr<app::LiveLink>> {
    if (text != kThisRun) return live_connector()(text);
    auto connection = state_->window != nullptr ? std::move(state_->window) : state_->service->connect(true);
    if (connection == nullptr)
      return base::Error{.found = "too many viewers", .expected = {}, .where = text, .offset = {}};
    return std::unique_ptr<app::LiveLink>(std::make_unique<OwnStream>(*state_->service, std::move(connection)));
  };
  window.window.is_to_close = [this] { return state_->closes_window.load(); };
  return run_open(std::move(window));
}

void TrainViewers::close_window() {
  if (!state_->has_window) return;
  state_->closes_window = true;
  host::wake_window();
}

void TrainViewers::begin(train::Training& training) {
  State& state = *state_;
  state.training = std::make_unique<server::LiveTraining>(
      state.stream, training, state.has_window ? std::function<void()>(host::wake_window) : std::function<void()>());
  if (state.recorder) state.training->watch_all(state.is_of_folder);
  if (state.server) state.serving = std::thread([server = state.server.get()] { server->run(); });
}

void TrainViewers::look(bool all) { state_->training->look(all); }

void TrainViewers::wait(std::chrono::milliseconds most) { state_->training->wait(most); }

bool TrainViewers::are_there() const { return state_->stream.viewers() > state_->own_viewers; }

void TrainViewers::end() {
  State& state = *state_;
  if (state.serving.joinable()) {
    state.server->stop();
    state.serving.join();
  }
  if (state.recorder) {
    const std::optional<base::Error> wrong = state.recorder->error();
    state.recorder.reset();
    if (wrong) print_error(wrong->message());
  }
  state.training.reset();
}

}  // namespace nns::cli
