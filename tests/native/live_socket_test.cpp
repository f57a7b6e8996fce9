#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "core/live/broadcast.h"
#include "core/live/broadcast_endpoint.h"
#include "core/live/commands.h"
#include "core/live/mirror.h"
#include "core/live/training_commands.h"
#include "native/server/broadcast_service.h"
#include "native/server/host_service.h"
#include "native/server/http_server.h"
#include "native/server/live_client.h"
#include "tests/live/training_messages.h"
#include "tests/native/live_viewer.h"
#include "tests/native/raw_socket.h"
#include "tests/native/temp_folder.h"

namespace nns::server {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using tests::becomes_true;
using tests::RawSocket;

constexpr std::string_view kWatch = "0123456789abcdef0123456789abcdef";
constexpr std::string_view kControl = "fedcba9876543210fedcba9876543210";

/// A server on a thread with one stream.
class Served {
 public:
  explicit Served(LiveService& service, bool needs_token = false, std::uint16_t port = 0,
                  std::chrono::milliseconds idle_timeout = std::chrono::seconds(3)) {
    folder_.write("index.html", "<html>");
    ServerOptions options;
    options.folder = folder_.path();
    options.port = port;
    options.idle_timeout = idle_timeout;
    auto listening = HttpServer::listen(options);
    if (!listening.ok()) {
      ADD_FAILURE() << listening.error().message();
      return;
    }
    server_ = std::move(listening).value();
    server_->serve_live(service, {.needs_token = needs_token,
                                  .watch_token = std::string(kWatch),
                                  .control_token = std::string(kControl),
                                  .allowed_origins = {"https://lab.example"}});
    thread_ = std::thread([this] { server_->run(); });
  }
  ~Served() {
    server_->stop();
    thread_.join();
  }
  std::uint16_t port() const { return server_->port(); }
  LiveAddress address(std::string_view token = {}) const {
    return {"127.0.0.1", std::to_string(port()), "/live", std::string(token)};
  }
  /// The handshake as bytes, with further headers.
  std::string handshake(std::string_view headers) const {
    return "GET /live HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port()) +
           "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
           std::string(headers) + "\r\n";
  }
  std::string answer(std::string_view headers) const {
    const RawSocket socket(port());
    socket.send(handshake(headers));
    return socket.read_until("\r\n\r\n");
  }

 private:
  tests::TempFolder folder_;
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

/// A viewer of the one training.
struct Viewer : tests::LiveViewer {
  using LiveViewer::LiveViewer;
  bool has_steps(std::size_t count) {
    return waits_for([&] {
      const live::TrainingView* training = mirror.training(kTraining);
      return training != nullptr && training->steps().size() + training->steps_left_out() >= count;
    });
  }
  static constexpr std::uint32_t kTraining = live::kFirstLiveDocument;
};

constexpr std::uint32_t kTraining = Viewer::kTraining;
constexpr std::string_view kProtocol = "Sec-WebSocket-Protocol: nnscope.1\r\n";

/// One frame as a client sends it: masked with zeros.
std::string frame(unsigned char opcode, std::string_view payload) {
  std::string bytes(1, static_cast<char>(0x80U | opcode));
  if (payload.size() < 126) {
    bytes += static_cast<char>(0x80U | payload.size());
  } else {
    bytes += static_cast<char>(0x80U | 127U);
    for (int shift = 56; shift >= 0; shift -= 8)
      bytes += static_cast<char>(payload.size() >> static_cast<unsigned>(shift));
  }
  bytes += std::string(4, '\0');
  return bytes + std::string(payload);
}

TEST(LiveServer, ALateViewerSeesTheWholeRunAndThenWhatFollows) {
  live::Broadcast stream;
  const auto service = make_broadcast_service(stream);
  const Served served(*service);
  stream.publish(tests::training_message(kTraining, live::wire::TrainingState::Running, 100));
  stream.publish(tests::steps_message(kTraining, 0, 100));
  Viewer viewer(served.address());
  ASSERT_TRUE(viewer.has_steps(100));
  EXPECT_EQ(viewer.mirror.may_control(), false);
  stream.publish(tests::steps_message(kTraining, 100, 20));
  EXPECT_TRUE(viewer.has_steps(120));
  EXPECT_EQ(viewer.mirror.training(kTraining)->steps().step.back(), 119U);
}

TEST(LiveServer, ViewersThatDetachAreForgotten) {
  live::Broadcast stream;
  const auto service = make_broadcast_service(stream);
  const Served served(*service);
  {
    Viewer viewer(served.address());
    EXPECT_TRUE(becomes_true([&] { return stream.viewers() == 1; }));
  }
  EXPECT_TRUE(becomes_true([&] { return stream.viewers() == 0; }));
  EXPECT_FALSE(stream.is_watched());
}

TEST(LiveServer, OnlyTheControlTokenControls) {
  live::Broadcast stream;
  const auto service = make_broadcast_service(stream);
  const Served served(*service);
  Viewer watcher(served.address(kWatch));
  Viewer master(served.address(kControl));
  ASSERT_TRUE(watcher.waits_for([&] { return watcher.mirror.may_control().has_value(); }));
  ASSERT_TRUE(master.waits_for([&] { return master.mirror.may_control() == true; }));
  watcher.client.send(live::set_learning_rate(3, kTraining, 0.5));
  EXPECT_TRUE(watcher.waits_for([&] { return !watcher.mirror.jobs().empty(); }));
  EXPECT_FALSE(stream.take_command());
  master.client.send(live::set_learning_rate(4, kTraining, 0.25));
  std::optional<live::ViewerCommand> command;
  ASSERT_TRUE(becomes_true([&] { return (command = stream.take_command()).has_value(); }));
  EXPECT_EQ(command->message.as<live::wire::SetLearningRate>()->value(), 0.25);
}

TEST(LiveServer, AWrongTokenIsRefusedAndNotTriedAgain) {
  live::Broadcast stream;
  const auto service = make_broadcast_service(stream);
  const Served served(*service, true);
  for (const std::string_view token : {std::string_view(), std::string_view("00000000000000000000000000000000")}) {
    Viewer viewer(served.address(token));
    EXPECT_TRUE(becomes_true([&] { return viewer.client.status().state == LinkState::Refused; }));
    EXPECT_THAT(viewer.client.status().why, HasSubstr("token"));
  }
  Viewer right(served.address(kWatch));
  EXPECT_TRUE(right.waits_for([&] { return right.mirror.may_control() == false; }));
}

TEST(LiveServer, PagesOfOtherOriginsAndOtherNamesAreRefused) {
  live::Broadcast stream;
  const auto service = make_broadcast_service(stream);
  const Served served(*service);
  const std::string own = "Origin: http://127.0.0.1:" + std::to_string(served.port()) + "\r\n";
  EXPECT_THAT(served.answer(std::string(kProtocol) + own), StartsWith("HTTP/1.1 101"));
  EXPECT_THAT(served.answer(std::string(kProtocol) + "Origin: https://lab.example\r\n"), StartsWith("HTTP/1.1 101"));
  EXPECT_THAT(served.answer(std::string(kProtocol) + "Origin: https://evil.example\r\n"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(served.answer(""), StartsWith("HTTP/1.1 400"));
  const RawSocket rebound(served.port());
  rebound.send(
      "GET /live HTTP/1.1\r\nHost: evil.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
      "Sec-WebSocket-Protocol: nnscope.1\r\n\r\n");
  EXPECT_THAT(rebound.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 421"));
}

TEST(LiveServer, FramesThatAreTooLargeNoMessagesOrTextsEndTheConnection) {
  live::Broadcast stream;
  const auto service = make_broadcast_service(stream);
  const Served served(*service);
  const live::Bytes answer = tests::steps_message(kTraining, 0, 3);  // of a kind that no viewer sends
  const std::string_view no_command(reinterpret_cast<const char*>(answer.data()), answer.size());
  const std::string unmasked("\x82\x01x", 3);
  for (const std::string& bytes : {frame(2, std::string((1U << 20U) + 1, 'x')), frame(2, "no message at all"),
                                   frame(1, "{\"json\": true}"), frame(2, no_command), unmasked, frame(0xB, "?")}) {
    const RawSocket socket(served.port());
    socket.send(served.handshake(kProtocol));
    ASSERT_THAT(socket.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 101"));
    socket.send(bytes);
    EXPECT_TRUE(socket.is_closed_within(5000));
  }
  EXPECT_TRUE(becomes_true([&] { return stream.viewers() == 0; }));
  Viewer viewer(served.address());
  EXPECT_TRUE(viewer.waits_for([&] { return viewer.mirror.may_control().has_value(); }));
}

TEST(LiveServer, AViewerThatNeverReadsSlowsNobodyAndIsTakenLeaveOf) {
  live::Broadcast stream;
  const auto service = make_broadcast_service(stream);
  const Served served(*service);
  const RawSocket stuck(served.port());
  stuck.send(served.handshake(kProtocol));
  ASSERT_TRUE(becomes_true([&] { return stream.viewers() == 1; }));
  Viewer viewer(served.address());
  const auto begun = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    stream.publish(tests::steps_message(kTraining, i * 50, 50));
    if (i % 50 == 0) viewer.follow();
  }
  const auto took = std::chrono::steady_clock::now() - begun;
  EXPECT_LT(took, std::chrono::seconds(20));
  EXPECT_TRUE(viewer.has_steps(50));
  // Its pings are not answered.
  EXPECT_TRUE(becomes_true([&] { return stream.viewers() == 1; }, 15'000));
}

TEST(LiveServer, AClientComesBackByItselfAndIsToldAnew) {
  live::Broadcast stream;
  const auto service = make_broadcast_service(stream);
  auto served = std::make_unique<Served>(*service);
  const std::uint16_t port = served->port();
  stream.publish(tests::steps_message(kTraining, 0, 10));
  Viewer viewer(served->address());
  ASSERT_TRUE(viewer.has_steps(10));
  served.reset();
  EXPECT_TRUE(becomes_true([&] { return viewer.client.status().state != LinkState::Connected; }));
  EXPECT_TRUE(viewer.client.is_connected());
  stream.publish(tests::steps_message(kTraining, 10, 5));
  const Served again(*service, false, port);
  EXPECT_TRUE(viewer.has_steps(15));
  EXPECT_EQ(viewer.mirror.training(kTraining)->steps().size(), 15U);
  EXPECT_EQ(viewer.client.status().connected, 2U);
}

TEST(LiveServer, TwoHundredViewersSeeTheSameAndTheProducerDoesNotWait) {
  live::Broadcast stream;
  const auto service = make_broadcast_service(stream);
  // These viewers answer no ping, and sanitizers need seconds for all that is sent.
  const Served served(*service, false, 0, std::chrono::minutes(2));
  std::vector<std::unique_ptr<RawSocket>> viewers;
  for (int i = 0; i < 200; ++i) {
    viewers.push_back(std::make_unique<RawSocket>(served.port()));
    viewers.back()->send(served.handshake(kProtocol));
  }
  ASSERT_TRUE(becomes_true([&] { return stream.viewers() == 200; }));
  const auto begun = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < 200; ++i) stream.publish(tests::steps_message(kTraining, i, 1));
  // Waiting for one of them would take its two minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::minutes(1));
  const live::Bytes last = tests::log_message(kTraining, 1);
  stream.publish(live::Bytes(last));
  const std::string_view mark(reinterpret_cast<const char*>(last.data()), last.size());
  for (const auto& viewer : viewers) EXPECT_NE(viewer->read_until(mark).find(mark), std::string::npos);
}

TEST(LiveHosts, EachViewerHasAHostThatOpensWhatIsServedAndNothingElse) {
  const tests::TempFolder folder;
  const auto program = folder.write("model.py", "import torch.nn as nn\nnet = nn.Linear(3, 4)\n");
  const auto secret = folder.write("secret.py", "x = 1\n");
  struct Sources final : session::SourceProvider {
    std::optional<base::Result<Opened>> open(std::uint64_t source, const std::string&, const std::string&) override {
      const std::string text = source == 1 ? "import torch.nn as nn\nnet = nn.Linear(3, 4)\n" : "secret = 1\n";
      std::vector<std::byte> bytes(text.size());
      std::memcpy(bytes.data(), text.data(), text.size());
      return base::Result<Opened>(Opened{base::make_memory_source("model.py", std::move(bytes)), nullptr});
    }
  };
  const auto service = make_host_service(std::make_shared<Sources>(), {{1, "model.py"}}, 2);
  const Served served(*service);
  Viewer viewer(served.address());
  ASSERT_TRUE(viewer.waits_for([&] { return !viewer.mirror.documents().empty(); }));
  const std::uint32_t document = viewer.mirror.documents().front()->id();
  EXPECT_GE(document, live::kFirstLiveDocument);
  viewer.client.send(live::inspect(5, document, 0));
  EXPECT_TRUE(viewer.waits_for([&] { return viewer.mirror.details(document, 0) != nullptr; }));
  viewer.client.send(live::open_source(6, 2, "secret.py", ""));
  EXPECT_TRUE(viewer.waits_for([&] { return viewer.mirror.jobs().contains(6); }));
  EXPECT_EQ(viewer.mirror.jobs().at(6).state, live::wire::JobState::Failed);
  viewer.client.send(live::open_source(7, 0, "x.safetensors", "http://127.0.0.1:1/x.safetensors"));
  EXPECT_TRUE(viewer.waits_for([&] { return viewer.mirror.jobs().contains(7); }));
  EXPECT_EQ(viewer.mirror.jobs().at(7).state, live::wire::JobState::Failed);
  // Who may not control runs no code: the connection ends, and comes back.
  viewer.client.send(live::run_text(8, document, "1 + 1"));
  EXPECT_TRUE(viewer.waits_for([&] { return viewer.client.status().connected == 2; }));
  Viewer second(served.address(kControl));
  EXPECT_TRUE(second.waits_for([&] { return second.mirror.may_control() == true; }));
  Viewer third(served.address());
  EXPECT_TRUE(becomes_true([&] { return third.client.status().state == LinkState::Lost; }));
  EXPECT_THAT(third.client.status().why, HasSubstr("503"));
}

}  // namespace
}  // namespace nns::server
