#include "core/events/channel.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace nns::events {
namespace {

class Recorder final : public Observer {
 public:
  void on_event(const Event& event) override {
    if (const auto* fired = std::get_if<HookFired>(&event)) tables.emplace_back(fired->table);
  }
  std::vector<std::string> tables;
};

TEST(ChannelReport, DoesNotEvenBuildTheEventWithoutAnObserver) {
  Channel channel;
  bool built = false;
  channel.report([&built] {
    built = true;
    return CallEntered{};
  });
  EXPECT_FALSE(built);
  EXPECT_FALSE(channel.watched());
}

TEST(ChannelReport, HandsEachEventToTheObserverUntilItLeaves) {
  Channel channel;
  Recorder recorder;
  channel.observe(&recorder);
  channel.report([] { return HookFired{{1, "Linear"}, "_forward_hooks", 0}; });
  channel.observe(nullptr);
  channel.report([] { return HookFired{{1, "Linear"}, "_forward_pre_hooks", 1}; });
  EXPECT_EQ(recorder.tables, std::vector<std::string>{"_forward_hooks"});
}

}  // namespace
}  // namespace nns::events
