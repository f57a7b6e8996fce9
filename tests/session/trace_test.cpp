// Recordings of programs as a Host makes them and answers for them.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/session/python_program.h"
#include "tests/session/link.h"

namespace nns::tests {
namespace {

using live::wire::JobState;
using live::wire::TraceEvent;
using live::wire::TraceMove;

constexpr const char* kTraced =
    "from torch import nn\n"
    "class Net(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.fc = nn.Linear(2, 3)\n"
    "print('before')\n"
    "net = Net()\n"
    "print('after')\n";

struct TraceTest : ::testing::Test {
  explicit TraceTest(trace::Limits limits = {})
      : link({.samples = {}, .programs = session::make_python_program, .first_document = 1, .trace_limits = limits}) {}
  Link link;

  std::uint32_t document() const { return link.mirror.documents().at(0)->id(); }
  const live::TraceView& trace() const { return *link.mirror.trace(document()); }
  std::uint64_t record(const std::string* text = nullptr) {
    const std::uint64_t request = ++link.requests;
    link.viewer->send(live::record_program(request, document(), text));
    link.run();
    return request;
  }
  const live::wire::TraceMoment& move(const live::TraceMoveRequest& move) {
    const std::uint64_t request = ++link.requests;
    link.viewer->send(live::move_in_trace(request, document(), move));
    link.run();
    const live::wire::TraceMoment* const moment = trace().moment();
    EXPECT_NE(moment, nullptr);
    EXPECT_EQ(moment->request(), request);
    return *moment;
  }
  live::TraceMoveRequest to(std::uint32_t event) {
    live::TraceMoveRequest move;
    move.event = event;
    return move;
  }
};

TEST_F(TraceTest, RecordsAProgramAnewAndTellsItsSource) {
  link.open("net.py", kTraced);
  link.run();
  EXPECT_EQ(link.mirror.trace(document()), nullptr);
  const std::uint64_t request = record();
  EXPECT_EQ(link.state(request), JobState::Finished);
  EXPECT_TRUE(trace().is_complete());
  EXPECT_EQ(trace().recording(), 1U);
  EXPECT_GT(trace().events(), 10U);
  EXPECT_EQ(trace().overview().size(), trace().events());
  const auto file = trace().file_with_name("net.py");
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(trace().file(*file)->text, kTraced);
  EXPECT_FALSE(trace().file(*file)->is_library);
}

TEST_F(TraceTest, TellsWhereTheOutputOfARecordingBegins) {
  const std::uint64_t endless = link.open("endless.py", "while True:\n    print('here')\n");
  link.run_for(std::chrono::milliseconds(20));
  // What the first run wrote last is on its way when the recording is asked for.
  link.viewer->send(live::cancel(endless));
  const std::string text = "print('recorded')\nx = 1\n";
  record(&text);
  std::string written;
  for (const auto& piece : link.mirror.console(document())->pieces()) written += piece.text;
  EXPECT_EQ(written.substr(trace().output_begin()), "recorded\n");
  EXPECT_TRUE(written.substr(0, trace().output_begin()).ends_with("KeyboardInterrupt\n"));
}

TEST_F(TraceTest, StopsAtTheChangeOfARegistryAndSaysWhy) {
  link.open("net.py", kTraced);
  link.run();
  record();
  live::TraceMoveRequest search;
  search.move = TraceMove::Breakpoint;
  search.registry_changes = true;
  std::string whys;
  std::uint32_t net = UINT32_MAX;
  for (int i = 0; i < 10; ++i) {
    const live::wire::TraceMoment& moment = move(search);
    if (!moment.found()) break;
    whys += std::string(live::text_of(moment.why())) + "\n";
    search.event = moment.event();
    ASSERT_EQ(moment.kind(), TraceEvent::RegistryChanged);
    for (const auto* object : *moment.objects()) {
      if (live::text_of(object->class_name()) == "Net" && object->kind() == live::wire::TraceObjectKind::Module)
        net = object->id();
    }
  }
  EXPECT_EQ(whys,
            "`_parameters` of `Linear` got `weight`.\n`_parameters` of `Linear` got `bias`.\n`_modules` of `Net` got "
            "`fc`.\n");
  ASSERT_NE(net, UINT32_MAX);
  // The module with its registries, and where its attributes are found.
  live::TraceMoveRequest at = to(trace().events() - 1);
  at.selected = net;
  const live::wire::TraceMoment& moment = move(at);
  ASSERT_GT(moment.selected()->size(), 1U);
  EXPECT_EQ(moment.selected()->Get(0)->id(), net);
  EXPECT_EQ(live::text_of(moment.lookup()->Get(0)->class_name()), "Net");
  EXPECT_EQ(live::text_of(moment.lookup()->Get(1)->class_name()), "Module");
}

TEST_F(TraceTest, TellsWhatReplicasHaveWhileTheyAreThere) {
  link.open("replicas.py",
            "# nnscope: --virtual-devices 2\n"
            "import torch\n"
            "from torch import nn\n"
            "class Net(nn.Linear):\n"
            "    def forward(self, x):\n"
            "        self.count = 1\n"
            "        return super().forward(x)\n"
            "nn.DataParallel(Net(2, 2).to('cpu:0'))(torch.ones(4, 2))\n");
  link.run();
  record();
  live::TraceMoveRequest until;
  until.move = TraceMove::Breakpoint;
  until.lines = {{trace().file_with_name("replicas.py").value(), 7}};
  const live::wire::TraceMoment& inside = move(until);
  ASSERT_TRUE(inside.found());
  ASSERT_NE(inside.replicas(), nullptr);
  EXPECT_EQ(inside.replicas()->object()->size(), 2U);
  std::map<std::string, std::pair<std::uint8_t, std::uint8_t>> fates;
  for (const live::wire::TraceReplicaRow* row : *inside.replicas()->rows()) {
    ASSERT_EQ(row->values()->size(), 2U);
    fates[std::string(live::text_of(row->name()))] = {row->fates()->Get(0), row->fates()->Get(1)};
  }
  const auto number = [](live::wire::ReplicaFate fate) { return static_cast<std::uint8_t>(fate); };
  EXPECT_EQ(fates["weight"],
            std::pair(number(live::wire::ReplicaFate::SameBytes), number(live::wire::ReplicaFate::Copied)));
  EXPECT_EQ(fates["count"], std::pair(number(live::wire::ReplicaFate::Lost), number(live::wire::ReplicaFate::Missing)));
  EXPECT_EQ(fates["in_features"],
            std::pair(number(live::wire::ReplicaFate::Shared), number(live::wire::ReplicaFate::Shared)));
  EXPECT_EQ(move(to(0)).replicas(), nullptr);
}

TEST_F(TraceTest, TellsOutputAndNamesOfAMomentInThePast) {
  link.open("net.py", kTraced);
  link.run();
  record();
  const auto file = trace().file_with_name("net.py");
  live::TraceMoveRequest search;
  search.move = TraceMove::Breakpoint;
  search.lines.emplace_back(*file, 7);
  const live::wire::TraceMoment& moment = move(search);
  EXPECT_TRUE(moment.found());
  EXPECT_EQ(moment.output(), 7U);
  EXPECT_EQ(moment.frames()->Get(0)->line(), 7U);
  const std::uint32_t at = moment.event();
  live::TraceMoveRequest over = to(at);
  over.move = TraceMove::Over;
  over.since = at;
  const live::wire::TraceMoment& next = move(over);
  EXPECT_EQ(next.frames()->Get(0)->line(), 8U);
  bool has_net = false;
  for (const auto* name : *next.frames()->Get(0)->names()) {
    if (live::text_of(name->key()) == "net") {
      has_net = true;
      EXPECT_TRUE(name->has_changed());
      EXPECT_EQ(live::text_of(name->value()), "Net");
    }
  }
  EXPECT_TRUE(has_net);
}

TEST_F(TraceTest, RecordsAnotherTextAndForgetsTheOldRecording) {
  link.open("net.py", kTraced);
  link.run();
  record();
  const std::string text = "x = 1\n";
  record(&text);
  EXPECT_EQ(trace().recording(), 2U);
  EXPECT_EQ(trace().file(*trace().file_with_name("net.py"))->text, text);
  EXPECT_EQ(trace().moment(), nullptr);
}

TEST_F(TraceTest, ATextThatIsNoProgramHasAnEmptyRecording) {
  link.open("net.py", "x = 1\n");
  link.run();
  const std::string text = "def f(:\n";
  const std::uint64_t request = record(&text);
  EXPECT_EQ(link.state(request), JobState::Finished);
  EXPECT_TRUE(trace().is_complete());
  EXPECT_LE(trace().events(), 1U);
}

TEST_F(TraceTest, AProgramThatDoesNotEndIsStoppedAndKeepsItsRecording) {
  link.open("loop.py", "x = 1\n");
  link.run();
  const std::string text = "n = 0\nwhile True:\n    n += 1\n";
  const std::uint64_t request = ++link.requests;
  link.viewer->send(live::record_program(request, document(), &text));
  for (int i = 0; i < 20; ++i) link.host->run(base::Budget(std::chrono::milliseconds(5)));
  link.viewer->send(live::cancel(request));
  link.run();
  EXPECT_EQ(link.state(request), JobState::Cancelled);
  EXPECT_TRUE(trace().is_complete());
  EXPECT_GT(trace().events(), 100U);
  EXPECT_EQ(move(to(50)).frames()->Get(0)->names()->size(), 1U);
}

TEST_F(TraceTest, AMoveWithoutARecordingFails) {
  link.open("net.py", kTraced);
  link.run();
  const std::uint64_t request = ++link.requests;
  link.viewer->send(live::move_in_trace(request, document(), {}));
  link.run();
  EXPECT_EQ(link.state(request), JobState::Failed);
}

}  // namespace
}  // namespace nns::tests
