#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/live/broadcast.h"
#include "core/live/recorder.h"
#include "native/server/broadcast_service.h"
#include "native/server/http_server.h"
#include "tests/cli/process.h"
#include "tests/live/training_messages.h"
#include "tests/native/temp_folder.h"

namespace nns::tests {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kRun = 0x2000'0000;

/// A server with a stream that has one run.
class Stream {
 public:
  Stream() : service_(server::make_broadcast_service(stream)) {
    folder_.write("index.html", "<html>");
    server::ServerOptions options;
    options.folder = folder_.path();
    options.port = 0;
    server_ = std::move(server::HttpServer::listen(options)).value();
    server::LiveAccess access;
    access.control_token = "0123456789abcdef0123456789abcdef";
    server_->serve_live(*service_, access);
    thread_ = std::thread([this] { server_->run(); });
    stream.publish(training_message(kRun, wire::TrainingState::Running, 100));
    stream.publish(steps_message(kRun, 0, 100));
  }
  ~Stream() {
    server_->stop();
    thread_.join();
  }
  std::string address() const { return "ws://127.0.0.1:" + std::to_string(server_->port()) + "/live"; }
  live::Broadcast stream;

 private:
  TempFolder folder_;
  std::unique_ptr<server::LiveService> service_;
  std::unique_ptr<server::HttpServer> server_;
  std::thread thread_;
};

TEST(CliAttach, PrintsTheStateOfTheStreamAsJson) {
  const Stream stream;
  const auto result = run_nnscope({"attach", stream.address(), "--headless", "--json", "--once"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\"steps\": 100"));
  EXPECT_THAT(result.out, HasSubstr("\"may_control\": false"));
}

TEST(CliAttach, AWrongTokenEndsItWithAnError) {
  const Stream stream;
  const auto result = run_nnscope({"attach", stream.address() + "#token=wrong", "--headless"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("token"));
  EXPECT_EQ(run_nnscope({"attach", "wss://host/live", "--headless"}).status, 2);
}

TEST(CliAttach, WhatIsSeenIsRecordedAndReplayed) {
  const TempFolder folder;
  const std::string file = (folder.path() / "run.nnscope").string();
  Stream stream;
  {
    Process watching({"attach", stream.address(), "--headless", "--record", file});
    watching.read_until("step 100");
    stream.stream.publish(steps_message(kRun, 100, 50));
    stream.stream.publish(training_message(kRun, wire::TrainingState::Finished, 150));
    EXPECT_EQ(watching.wait().status, 0);
  }
  const auto replayed = run_nnscope({"replay", file, "--headless", "--json"});
  EXPECT_EQ(replayed.status, 0) << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("\"points\": 150"));
  EXPECT_THAT(replayed.out, HasSubstr("Finished"));
  const auto refused = run_nnscope({"attach", stream.address(), "--headless", "--record", file});
  EXPECT_EQ(refused.status, 2);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 30);
  const auto damaged = run_nnscope({"replay", file, "--headless", "--json"});
  EXPECT_EQ(damaged.status, 1);
  EXPECT_THAT(damaged.out, HasSubstr("\"points\": 150"));
}

TEST(CliAttach, AFullDiskIsToldAndTheStreamGoesOn) {
  Stream stream;
  const auto result =
      run_nnscope({"attach", stream.address(), "--headless", "--once", "--record", "/dev/full", "--force"});
  EXPECT_EQ(result.status, 0) << result.err;
}

}  // namespace
}  // namespace nns::tests
