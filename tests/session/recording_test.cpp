#include <gtest/gtest.h>

#include "core/live/commands.h"
#include "core/live/mirror.h"
#include "core/live/recorder.h"
#include "core/session/host.h"
#include "tests/live/training_messages.h"

namespace nns::session {
namespace {

using tests::message_of;

/// A run of 2,000 steps, one event each, with a state now and then.
std::vector<std::byte> recorded_run() {
  base::MemorySink sink;
  live::Recorder recorder(sink);
  EXPECT_TRUE(recorder.add(0, message_of(tests::modules_message(9, 1, 4))).ok());
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    EXPECT_TRUE(recorder.add(i * 1000, message_of(tests::steps_message(9, i, 1))).ok());
    if (i % 100 == 0) {
      EXPECT_TRUE(
          recorder.add(i * 1000, message_of(tests::training_message(9, live::wire::TrainingState::Running, i))).ok());
    }
  }
  EXPECT_TRUE(recorder.finish().ok());
  return sink.bytes();
}

/// Gives one file under the number 1.
class OneFile final : public SourceProvider {
 public:
  explicit OneFile(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  std::optional<base::Result<Opened>> open(std::uint64_t, const std::string& name, const std::string&) override {
    return base::Result<Opened>(Opened{base::make_memory_source(name, bytes_), nullptr});
  }

 private:
  std::vector<std::byte> bytes_;
};

struct Shown {
  explicit Shown(std::vector<std::byte> bytes) {
    auto [viewer, end] = live::make_queue({}, {});
    endpoint = std::move(viewer);
    host = std::make_unique<Host>(std::move(end), std::make_shared<OneFile>(std::move(bytes)));
  }
  void tell(live::Bytes command) {
    endpoint->send(std::move(command));
    while (host->run(base::Budget(std::chrono::milliseconds(50)))) {
    }
    while (auto bytes = endpoint->receive()) {
      const auto applied = mirror.apply(std::move(*bytes));
      EXPECT_TRUE(applied.ok()) << applied.error().message();
    }
  }
  std::unique_ptr<live::Endpoint> endpoint;
  std::unique_ptr<Host> host;
  live::Mirror mirror;
};

TEST(HostRecording, IsShownAtItsEndAndThenAtAnyEvent) {
  Shown shown(recorded_run());
  shown.tell(live::open_source(1, 1, "run.nnscope", ""));
  ASSERT_EQ(shown.mirror.recordings().size(), 1U);
  const std::uint32_t number = shown.mirror.recordings().begin()->first;
  const live::TrainingView* training = shown.mirror.training(number);
  ASSERT_NE(training, nullptr);
  EXPECT_EQ(training->steps().size(), 2'000U);
  EXPECT_EQ(training->modules()->parent()->size(), 4U);
  shown.tell(live::seek_recording(2, number, 501));
  training = shown.mirror.training(number);
  ASSERT_NE(training, nullptr);
  EXPECT_NEAR(static_cast<double>(training->steps().size()), 495, 10);
  const auto& state = *shown.mirror.recordings().at(number).as<live::wire::RecordingState>();
  EXPECT_EQ(state.event(), 501U);
  EXPECT_EQ(state.events(), 2'021U);
  EXPECT_EQ(state.request(), 2U);
  shown.tell(live::close_document(number));
  EXPECT_TRUE(shown.mirror.recordings().empty());
  EXPECT_EQ(shown.mirror.training(number), nullptr);
}

TEST(HostRecording, OfADamagedOneWhatIsWholeIsShownAndTheDamageTold) {
  auto bytes = recorded_run();
  bytes.resize(bytes.size() - 200);
  Shown shown(std::move(bytes));
  shown.tell(live::open_source(1, 1, "run.nnscope", ""));
  ASSERT_EQ(shown.mirror.recordings().size(), 1U);
  EXPECT_NE(shown.mirror.recordings().begin()->second.as<live::wire::RecordingState>()->damage(), nullptr);
}

TEST(HostRecording, WhatIsNoRecordingIsRefused) {
  Shown shown(std::vector<std::byte>(400, std::byte{'x'}));
  shown.tell(live::open_source(1, 1, "run.nnscope", ""));
  EXPECT_TRUE(shown.mirror.recordings().empty());
  ASSERT_TRUE(shown.mirror.jobs().contains(1));
  EXPECT_EQ(shown.mirror.jobs().at(1).state, live::wire::JobState::Failed);
  shown.tell(live::seek_recording(2, 77, 0));
  EXPECT_EQ(shown.mirror.jobs().at(2).state, live::wire::JobState::Failed);
}

}  // namespace
}  // namespace nns::session
