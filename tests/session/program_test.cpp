// Programs as a Host runs them: what they write, what the document shows, what is typed, how they are stopped.
#include <gtest/gtest.h>

#include <string>

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
