// Programs as a Host runs them: what they write, what the document shows, what is typed, how they are stopped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "core/session/python_program.h"
#include "tests/session/link.h"

namespace nns::tests {
namespace {

using live::wire::JobState;
using live::wire::OutputKind;

session::Abilities programs_only() {
  return {.samples = {},
          .programs = session::make_python_program,
          .first_document = 1,
          .check_source = session::check_python_source};
}

struct ProgramTest : ::testing::Test {
  Link link{programs_only()};

  /// The rows below the first one: "name kind class".
  std::vector<std::string> rows() {
    std::vector<std::string> found;
    const auto document = link.mirror.documents().at(0);
    for (std::uint32_t row = 1; row < document->row_count(); ++row) {
      found.push_back(document->path(row) + " " + std::string(document->class_name(row)));
    }
    return found;
  }
  std::string text(OutputKind kind) {
    std::string all;
    const live::ConsoleView* console = link.mirror.console(link.mirror.documents().at(0)->id());
    if (console == nullptr) return all;
    for (const auto& piece : console->pieces()) {
      if (piece.kind == kind) all += piece.text;
    }
    return all;
  }
  std::uint64_t type(const std::string& line) {
    const std::uint64_t request = ++link.requests;
    link.viewer->send(live::run_text(request, link.mirror.documents().at(0)->id(), line));
    return request;
  }
};

TEST_F(ProgramTest, ShowsTheModulesThatItBuilds) {
  const std::uint64_t request = link.open("net.py",
                                          "import torch\n"
                                          "from torch import nn\n"
                                          "class Net(nn.Module):\n"
                                          "    def __init__(self):\n"
                                          "        super().__init__()\n"
                                          "        self.fc = nn.Linear(2, 3)\n"
                                          "    def forward(self, x):\n"
                                          "        return self.fc(x)\n"
                                          "model = Net()\n"
                                          "data = torch.ones(4, 2)\n"
                                          "print(model(data).shape)\n");
  link.run();
  EXPECT_EQ(link.state(request), JobState::Finished);
  EXPECT_EQ(text(OutputKind::Error), "");
  EXPECT_EQ(text(OutputKind::Out), "torch.Size([4, 3])\n");
  EXPECT_EQ(rows(),
            (std::vector<std::string>{"model Net", "model.fc Linear", "model.fc.weight ", "model.fc.bias ", "data "}));
  const auto document = link.mirror.documents().at(0);
  EXPECT_TRUE(document->get().has_console());
  EXPECT_EQ(document->get().total_parameters(), 9U);
  EXPECT_EQ(document->title(), "net.py");
}

TEST_F(ProgramTest, TellsAnExceptionWithItsTraceback) {
  const std::uint64_t request = link.open("bad.py", "x = 1\nprint('before')\nx.y\n");
  link.run();
  EXPECT_EQ(link.state(request), JobState::Finished);
  EXPECT_EQ(text(OutputKind::Out), "before\n");
  EXPECT_EQ(text(OutputKind::Error),
            "Traceback (most recent call last):\n  File \"bad.py\", line 3, in <module>\n    x.y\n"
            "AttributeError: 'int' object has no attribute 'y'\n");
  EXPECT_EQ(rows(), std::vector<std::string>{"x int"});
}

TEST_F(ProgramTest, TellsASyntaxError) {
  link.open("bad.py", "def f(:\n");
  link.run();
  EXPECT_NE(text(OutputKind::Error).find("SyntaxError"), std::string::npos);
  EXPECT_TRUE(rows().empty());
}

TEST_F(ProgramTest, RunsWhatIsTypedAndShowsWhatItChanges) {
  link.open("net.py", "from torch import nn\nmodel = nn.Sequential(nn.ReLU())\n");
  link.run();
  const std::uint32_t version = link.mirror.documents().at(0)->version();
  const std::uint64_t shown = type("len(model)");
  link.run();
  EXPECT_EQ(link.state(shown), JobState::Finished);
  EXPECT_EQ(text(OutputKind::Out), "1\n");
  EXPECT_EQ(link.mirror.documents().at(0)->version(), version) << "nothing has changed";
  type("model.append(nn.Linear(1, 1))");
  link.run();
  EXPECT_EQ(link.mirror.documents().at(0)->version(), version + 1);
  EXPECT_EQ(rows().at(2), "model.1 Linear");
  EXPECT_EQ(text(OutputKind::Typed), "len(model)\nmodel.append(nn.Linear(1, 1))\n");
}

TEST_F(ProgramTest, SeveralLinesMayBeTypedAtOnce) {
  link.open("empty.py", "");
  link.run();
  type("def twice(x):\n    return 2 * x\n\ntwice(21)");
  link.run();
  EXPECT_EQ(text(OutputKind::Out), "42\n");
  EXPECT_EQ(text(OutputKind::Error), "");
}

TEST_F(ProgramTest, AnswersWhileItRunsAndIsStopped) {
  const std::uint64_t request = link.open("loop.py", "n = 0\nwhile True:\n    n += 1\n");
  for (int slice = 0; slice < 5; ++slice) link.run_for(std::chrono::milliseconds(3));
  ASSERT_EQ(link.mirror.documents().size(), 1U) << "the document is there before the program ends";
  const std::uint64_t early = type("n");
  link.run_for(std::chrono::milliseconds(3));
  EXPECT_EQ(link.state(early), JobState::Failed) << "it runs still";
  link.viewer->send(live::cancel(request));
  link.run();
  EXPECT_EQ(link.state(request), JobState::Cancelled);
  EXPECT_EQ(text(OutputKind::Error), "KeyboardInterrupt\n");
  // The session goes on.
  type("n > 0");
  link.run();
  EXPECT_EQ(text(OutputKind::Out), "True\n");
}

constexpr const char* kRanks =
    "import os, torch, torch.nn as nn, torch.distributed as dist, torch.multiprocessing as mp\n"
    "from torch.nn.parallel import DistributedDataParallel as DDP\n"
    "def work(rank, size, steps):\n"
    "    dist.init_process_group('gloo', rank=rank, world_size=size)\n"
    "    torch.manual_seed(rank)\n"
    "    ddp = DDP(nn.Linear(3, 2))\n"
    "    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)\n"
    "    while steps != 0:\n"
    "        steps -= 1\n"
    "        optimizer.zero_grad()\n"
    "        ddp(torch.randn(4, 3)).square().mean().backward()\n"
    "        optimizer.step()\n"
    "    same = [torch.zeros(2, 3) for _ in range(size)]\n"
    "    dist.all_gather(same, ddp.module.weight.detach())\n"
    "    print(rank, all(torch.equal(one, same[0]) for one in same))\n"
    "if __name__ == '__main__':\n"
    "    os.environ['MASTER_ADDR'], os.environ['MASTER_PORT'] = 'localhost', '29500'\n";

TEST(Programs, AreToldWhenTheyHoldTooMuch) {
  std::uint64_t held = 0;
  session::Abilities abilities = programs_only();
  abilities.programs = [&held](session::ProgramOrigin origin) {
    origin.memory = {1U << 20U, [&held] { return held += 1024; }};
    return session::make_python_program(std::move(origin));
  };
  Link link(std::move(abilities));
  link.open("greedy.py", "kept = []\nwhile True:\n    kept.append(len(kept))\n");
  link.run();
  std::string told;
  for (const auto& piece : link.mirror.console(1)->pieces()) told += piece.text;
  EXPECT_NE(told.find("MemoryError: the program was stopped: 1 MB are held, and 1 are allowed"), std::string::npos)
      << told;
}

TEST_F(ProgramTest, SpawnsRanksThatTrainTogetherWithinIt) {
  const std::uint64_t request =
      link.open("ranks.py", std::string(kRanks) + "    mp.spawn(work, args=(2, 5), nprocs=2)\n    print('done')\n");
  link.run();
  EXPECT_EQ(link.state(request), JobState::Finished);
  EXPECT_EQ(text(OutputKind::Error), "");
  std::string out = text(OutputKind::Out);
  EXPECT_EQ(out, "0 True\n1 True\ndone\n");

  const live::wire::Ranks* const ranks = link.mirror.ranks(link.mirror.documents().at(0)->id());
  ASSERT_NE(ranks, nullptr);
  EXPECT_EQ(ranks->size(), 2U);
  EXPECT_TRUE(ranks->takes_turns());
  ASSERT_EQ(ranks->lanes()->size(), 2U);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    const live::wire::RankLane& lane = *ranks->lanes()->Get(rank);
    EXPECT_EQ(lane.rank(), rank);
    EXPECT_EQ(lane.step(), 5U);
    EXPECT_LE(lane.forward_ns(), lane.backward_ns());
    EXPECT_LT(lane.backward_ns(), lane.end_ns());
    EXPECT_EQ(lane.differs()->size(), 0U);
    ASSERT_EQ(lane.ready()->size(), 2U);
    ASSERT_EQ(lane.buckets()->size(), 1U);
    const live::wire::RankBucket& bucket = *lane.buckets()->Get(0);
    EXPECT_EQ(bucket.bytes(), 32U);
    EXPECT_EQ(bucket.parameters()->size(), 2U);
    EXPECT_LE(lane.backward_ns(), bucket.launched_ns());
    EXPECT_LE(bucket.launched_ns(), bucket.done_ns());
    EXPECT_LE(bucket.done_ns(), lane.end_ns());
    EXPECT_LE(bucket.wait_begin_ns(), bucket.wait_end_ns());
  }
}

TEST_F(ProgramTest, ARankWhoseParametersAreOthersIsTold) {
  std::string program = kRanks;
  const std::string step = "        optimizer.step()\n";
  program.replace(program.find(step), step.size(),
                  step + "        if rank == 1:\n            ddp.module.bias.data.add_(1)\n");
  link.open("ranks.py", program + "    mp.spawn(work, args=(2, 2), nprocs=2)\n");
  link.run();
  const live::wire::Ranks* const ranks = link.mirror.ranks(link.mirror.documents().at(0)->id());
  ASSERT_NE(ranks, nullptr);
  EXPECT_EQ(live::text_of(ranks->lanes()->Get(0)->differs()), "");
  EXPECT_EQ(live::text_of(ranks->lanes()->Get(1)->differs()), "bias");
}

TEST_F(ProgramTest, FindsTheVirtualDevicesThatItsTextAsksFor) {
  link.open("devices.py",
            "# A comment.\n\n# nnscope: --virtual-devices 2\nimport torch\n"
            "print(torch.nn.DataParallel(torch.nn.Linear(2, 2)).device_ids)\n");
  link.run();
  EXPECT_EQ(text(OutputKind::Out), "[0, 1]\n");
}

TEST_F(ProgramTest, AWrongNumberOfVirtualDevicesIsTold) {
  link.open("devices.py", "# nnscope: --virtual-devices 0\nprint(1)\n");
  link.run();
  EXPECT_EQ(text(OutputKind::Out), "");
  EXPECT_NE(text(OutputKind::Error).find("devices.py, line 1"), std::string::npos) << text(OutputKind::Error);
  EXPECT_NE(text(OutputKind::Error).find("with N from 1 to 128"), std::string::npos) << text(OutputKind::Error);
}

TEST_F(ProgramTest, FramesAreTracedAsItsTextAsksFor) {
  const std::string capture =
      "import torch\n"
      "found = torch._dynamo.explain(torch.nn.Sequential(torch.nn.ReLU()))(torch.ones(1))\n"
      "print([node.op for node in found.graphs[0].graph.nodes][1])\n";
  link.open("by_instance.py", "# nnscope: --config inline_inbuilt_nn_modules=false\n" + capture);
  link.run();
  EXPECT_EQ(text(OutputKind::Out), "call_module\n");
}

TEST_F(ProgramTest, AWrongSettingOfItsTextIsTold) {
  link.open("wrong.py", "# nnscope: --config nothing=false\nprint(1)\n");
  link.run();
  EXPECT_EQ(text(OutputKind::Out), "");
  EXPECT_NE(text(OutputKind::Error).find("wrong.py, line 1"), std::string::npos) << text(OutputKind::Error);
}

TEST_F(ProgramTest, IsStoppedWhileItsRanksRun) {
  const std::uint64_t request =
      link.open("ranks.py", std::string(kRanks) + "    mp.spawn(work, args=(2, -1), nprocs=2)\n");
  for (int slice = 0; slice < 50; ++slice) link.run_for(std::chrono::milliseconds(10));
  EXPECT_EQ(link.state(request), JobState::Running);
  link.viewer->send(live::cancel(request));
  link.run();
  EXPECT_EQ(link.state(request), JobState::Cancelled);
  EXPECT_EQ(text(OutputKind::Error), "KeyboardInterrupt\n");
}

TEST_F(ProgramTest, StopsInsideOfFunctionsAndGenerators) {
  const std::uint64_t request = link.open("deep.py",
                                          "def numbers():\n"
                                          "    while True:\n"
                                          "        yield 1\n"
                                          "def run():\n"
                                          "    try:\n"
                                          "        for x in numbers(): pass\n"
                                          "    finally:\n"
                                          "        print('not reached')\n"
                                          "run()\n");
  for (int slice = 0; slice < 3; ++slice) link.run_for(std::chrono::milliseconds(3));
  link.viewer->send(live::cancel(request));
  link.run();
  EXPECT_EQ(text(OutputKind::Out), "") << "no statement runs after the end";
  type("1 + 1");
  link.run();
  EXPECT_EQ(text(OutputKind::Out), "2\n");
}

TEST_F(ProgramTest, IsStoppedInsideOfAForwardThatDoesNotEnd) {
  const std::uint64_t request = link.open("loop.py",
                                          "from torch import nn\n"
                                          "class Net(nn.Module):\n"
                                          "    def forward(self, x):\n"
                                          "        while True:\n"
                                          "            try:\n"
                                          "                x = x + 1\n"
                                          "            except Exception:\n"
                                          "                pass\n"
                                          "net = Net()\n"
                                          "net(1)\n"
                                          "print('not reached')\n");
  link.run_for(std::chrono::milliseconds(0));
  // Nobody but a person ends this: the host takes commands while it is inside of the call.
  std::thread person([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    link.viewer->send(live::cancel(request));
  });
  while (link.host->run(base::Budget(std::chrono::milliseconds(3)))) {
  }
  person.join();
  link.run();
  EXPECT_NE(text(OutputKind::Error).find("KeyboardInterrupt\n"), std::string::npos) << text(OutputKind::Error);
  EXPECT_EQ(text(OutputKind::Out), "");
  type("1 + 1");
  link.run();
  EXPECT_EQ(text(OutputKind::Out), "2\n");
}

TEST_F(ProgramTest, ASliceIsShortWhateverTheProgramDoes) {
  link.open("loop.py", "while True:\n    pass\n");
  link.run_for(std::chrono::milliseconds(3));
  // The host comes back: a program that never ends does not keep it.
  EXPECT_TRUE(link.host->run(base::Budget(std::chrono::milliseconds(3))));
}

TEST_F(ProgramTest, CompletesNames) {
  link.open("net.py", "from torch import nn\nmodel = nn.Linear(1, 1)\n");
  link.run();
  const std::uint64_t request = ++link.requests;
  link.viewer->send(live::complete_text(request, link.mirror.documents().at(0)->id(), "print(model.in_f"));
  link.run();
  const live::wire::Completions* found = link.mirror.completions(request);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->from(), 6U);
  ASSERT_EQ(found->names()->size(), 1U);
  EXPECT_EQ(live::text_of(found->names()->Get(0)), "model.in_features");
}

TEST_F(ProgramTest, ReadsAndImportsWhatLiesBesideItAndNothingElse) {
  auto files = std::make_shared<MemoryFileSet>();
  files->add("helper.py", "value = 7\n");
  files->add("data.txt", "three\nlines\nhere\n");
  const std::uint64_t source = link.sources->add("main.py",
                                                 "import helper\n"
                                                 "print(helper.value, len(open('data.txt').readlines()))\n"
                                                 "try:\n    open('/etc/passwd')\n"
                                                 "except OSError as error:\n    print(type(error).__name__)\n",
                                                 files);
  const std::uint64_t request = ++link.requests;
  link.viewer->send(live::open_source(request, source, "main.py", ""));
  link.run();
  EXPECT_EQ(text(OutputKind::Error), "");
  EXPECT_EQ(text(OutputKind::Out), "7 3\nFileNotFoundError\n");
}

TEST_F(ProgramTest, AsksAServerForWhatItImportsAndReadsAndOnlyBelowItsFolder) {
  auto files = std::make_shared<MemoryFileSet>();
  files->add("helper.py", "value = 7\n");
  files->add("parts/__init__.py", "from .layers import size\n");
  files->add("parts/layers.py", "size = 5\n");
  files->add("data/text.txt", "three\nlines\nhere\n");
  files->hide_names();
  const std::uint64_t source =
      link.sources->add("main.py",
                        "import math, helper, nowhere\n"
                        "from parts import size\n"
                        "print(helper.value, size, len(open('./data/text.txt').readlines()))\n"
                        "for path in ['../up.py', '/etc/passwd', 'a//b', 'http://x/y', 'gone', 'gone']:\n"
                        "    try:\n        open(path)\n"
                        "    except OSError as error:\n        print(type(error).__name__)\n",
                        files);
  link.viewer->send(live::open_source(++link.requests, source, "main.py", ""));
  link.run();
  EXPECT_EQ(text(OutputKind::Out), "7 5 3\n" + std::string("FileNotFoundError\n") + "FileNotFoundError\n" +
                                       "FileNotFoundError\nFileNotFoundError\nFileNotFoundError\nFileNotFoundError\n");
  EXPECT_THAT(files->asked(),
              testing::IsSupersetOf({"helper.py", "parts/__init__.py", "parts/layers.py", "nowhere.py"}));
  EXPECT_EQ(std::count(files->asked().begin(), files->asked().end(), "gone"), 1)
      << "what is not there is asked for once";
  EXPECT_EQ(std::count(files->asked().begin(), files->asked().end(), "math.py"), 0);
  for (const std::string& name : files->asked()) {
    EXPECT_EQ(name.find(".."), std::string::npos) << name;
    EXPECT_FALSE(name.starts_with('/') || name.starts_with("http")) << name;
  }
}

TEST_F(ProgramTest, StandsStillWhenItIsHeldAndGoesOn) {
  const std::uint64_t request =
      link.open("count.py", "n = 0\nwhile n >= 0:\n    n += 1\n    if n % 1000 == 0: print(n)\n");
  link.run_for(std::chrono::milliseconds(20));
  ASSERT_EQ(link.state(request), JobState::Running);
  link.viewer->send(live::hold_job(request, true));
  link.run_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(link.mirror.jobs().at(request).is_held);
  const std::string written = text(OutputKind::Out);
  EXPECT_NE(written, "");
  link.run_for(std::chrono::milliseconds(20));
  EXPECT_EQ(text(OutputKind::Out), written) << "it stands still";
  // What it has become is told: its names are in the document.
  EXPECT_EQ(rows(), std::vector<std::string>{"n int"});
  link.viewer->send(live::hold_job(request, false));
  link.run_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(link.mirror.jobs().at(request).is_held);
  EXPECT_GT(text(OutputKind::Out).size(), written.size());
  link.viewer->send(live::hold_job(request, true));
  link.viewer->send(live::cancel(request));
  link.run();
  EXPECT_EQ(link.state(request), JobState::Cancelled) << "what is held can be stopped";
  link.viewer->send(live::hold_job(12345, true));
  link.run();
}

TEST_F(ProgramTest, ClosingEndsIt) {
  const std::uint64_t request = link.open("loop.py", "while True:\n    pass\n");
  link.run_for(std::chrono::milliseconds(3));
  link.run_for(std::chrono::milliseconds(3));
  link.viewer->send(live::close_document(link.mirror.documents().at(0)->id()));
  link.run();
  EXPECT_EQ(link.state(request), JobState::Cancelled);
  EXPECT_TRUE(link.mirror.documents().empty());
}

TEST(Programs, AreFilesOfSourceByTheirName) {
  EXPECT_TRUE(live::is_program("model.py", ""));
  EXPECT_TRUE(live::is_program("", "https://example.org/a/model.py?raw=1#L3"));
  EXPECT_FALSE(live::is_program("model.pyc", ""));
  EXPECT_FALSE(live::is_program("model.pt", ""));
  EXPECT_FALSE(live::is_program("", "https://example.org/model.safetensors?name=a.py"));
}

TEST(Programs, AHostWithoutThemReadsTheFileAsAModel) {
  Link link;
  const std::uint64_t request = link.open("net.py", "x = 1\n");
  link.run();
  EXPECT_EQ(link.state(request), JobState::Failed);
}

}  // namespace
}  // namespace nns::tests
