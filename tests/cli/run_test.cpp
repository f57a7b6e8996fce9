// `run`: a Python program as a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"
#include "tests/support/files.h"

namespace nns::tests {
namespace {

using testing::HasSubstr;

class Run : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  TemporaryFolder folder;
};

TEST_F(Run, PrintsWhatTheProgramPrintsWithItsArgumentsAndTheModulesBesideIt) {
  write("blocks/__init__.py", "");
  write("blocks/mlp.py",
        "import torch.nn as nn\n\ndef mlp(n):\n    return nn.Sequential(nn.Linear(n, n), nn.ReLU())\n");
  write("note.txt", "two\nlines\n");
  const std::string program = write("main.py",
                                    "import sys\nimport torch\nfrom blocks.mlp import mlp\n"
                                    "m = mlp(int(sys.argv[1]))\nprint(m, sys.argv[2:])\n"
                                    "print(m(torch.zeros(1, 3)).shape)\n"
                                    "print(open('note.txt').read().split())\n");
  const Process::Result result = run_nnscope({"run", program, "3", "--flag", "x"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out,
            "Sequential(\n  (0): Linear(in_features=3, out_features=3, bias=True)\n  (1): ReLU()\n) ['--flag', 'x']\n"
            "torch.Size([1, 3])\n['two', 'lines']\n");
  EXPECT_EQ(result.err, "");
}

TEST_F(Run, ShowsTheTracebackOfAnExceptionThatNobodyCaught) {
  const std::string program = write("main.py", "def f(x):\n    return 1 / x\n\nprint('before')\nf(0)\n");
  const Process::Result result = run_nnscope({"run", program});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "before\n");
  EXPECT_EQ(result.err,
            "Traceback (most recent call last):\n  File \"" + program + "\", line 5, in <module>\n    f(0)\n  File \"" +
                program +
                "\", line 2, in f\n    return 1 / x\n           ^^^^^\nZeroDivisionError: division by zero\n");
}

TEST_F(Run, LeavesWithTheStatusOfSysExit) {
  EXPECT_EQ(run_nnscope({"run", write("three.py", "import sys\nsys.exit(3)\n")}).status, 3);
  const Process::Result text = run_nnscope({"run", write("text.py", "import sys\nsys.exit('wrong')\n")});
  EXPECT_EQ(text.status, 1);
  EXPECT_EQ(text.err, "wrong\n");
}

TEST_F(Run, WritesWhatHappensToModulesWithItsPlace) {
  const std::string program = write("main.py",
                                    "import torch\nimport torch.nn as nn\nclass Net(nn.Module):\n"
                                    "    def __init__(self):\n        super().__init__()\n"
                                    "        self.fc = nn.Linear(2, 2)\n"
                                    "    def forward(self, x):\n        return self.fc(x)\n"
                                    "net = Net()\nh = net.register_forward_hook(lambda m, a, r: None)\n"
                                    "net(torch.zeros(1, 2))\nh.remove()\ndel net.fc\n");
  const std::string events = (folder.path() / "events.jsonl").string();
  const Process::Result result = run_nnscope({"run", "--events", events, program});
  EXPECT_EQ(result.status, 0) << result.err;
  std::ifstream stream(events);
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(nlohmann::json::parse(line));
  ASSERT_GT(lines.size(), 8U);
  EXPECT_EQ(lines[0], nlohmann::json::parse(R"({"nnscope_events": 1, "program": ")" + program + "\"}"));
  std::vector<std::string> told;
  for (const nlohmann::json& one : lines) {
    if (one.value("class", "") != "Net" && one.value("event", "") != "hook_removed") continue;
    told.push_back(one["event"].get<std::string>() + " " + one.value("name", "") + " " +
                   std::to_string(one["line"].get<int>()) + ":" + std::to_string(one["column"].get<int>()));
    EXPECT_EQ(one["file"], program);
  }
  EXPECT_THAT(told, testing::IsSupersetOf({"attribute_set fc 6:9", "hook_registered  10:5", "call_entered  11:1",
                                           "hook_fired  11:1", "call_left  11:1", "hook_removed  12:1",
                                           "attribute_deleted fc 13:5"}));
  EXPECT_EQ(run_nnscope({"run", "--events", "/nonexistent/x", program}).status, 2);
}

TEST_F(Run, StopsAProgramThatDoesNotEnd) {
  const Process::Result result =
      run_nnscope({"run", "--max-steps", "1000", write("main.py", "while True:\n    pass\n")});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("RuntimeError: the program was stopped after 1000 steps"));
}

TEST_F(Run, StopsAProgramThatHoldsTooMuch) {
  // Objects of Python, one after the other, and tensors; what is caught goes on with what is free again.
  const Process::Result result = run_nnscope({"run", "--max-memory", "300M",
                                              write("main.py",
                                                    "import torch\n"
                                                    "held = []\n"
                                                    "try:\n"
                                                    "    while True: held.append('a' * 10000)\n"
                                                    "except MemoryError as error:\n"
                                                    "    held = None\n"
                                                    "    print(error)\n"
                                                    "many = [torch.zeros(10**6) for _ in range(1000)]\n")});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out,
              testing::MatchesRegex("the program was stopped: 3[0-9][0-9] MB are held, and 300 are allowed\n"));
  EXPECT_THAT(result.err, HasSubstr("MemoryError: the program may not have 4000000 bytes more"));
}

TEST_F(Run, ReadsNothingOutsideOfTheProgramsFolderAndWritesNothing) {
  write("secret.txt", "secret");
  const std::string program =
      write("inner/main.py",
            "for how in (('../secret.txt',), ('/etc/passwd',), ('new.txt', 'w')):\n"
            "    try:\n        open(*how)\n    except OSError as e:\n        print(type(e).__name__)\n");
  const Process::Result result = run_nnscope({"run", program});
  EXPECT_EQ(result.out, "PermissionError\nPermissionError\nPermissionError\n") << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "inner" / "new.txt"));
}

TEST_F(Run, WritesBelowTheFoldersOfAllowWriteOnly) {
  const std::string program =
      write("inner/main.py",
            "import os\nos.makedirs('out/deep', exist_ok=True)\nopen('out/deep/a.txt', 'w').write('x')\n"
            "for act in (lambda: open('b.txt', 'w'), lambda: os.mkdir('c'), lambda: os.remove('main.py'),\n"
            "            lambda: open('out/../../d.txt', 'w')):\n"
            "    try:\n        act()\n    except PermissionError as e:\n        print(e)\n");
  const std::filesystem::path out = folder.path() / "inner" / "out";
  std::filesystem::create_directories(out);
  const Process::Result result = run_nnscope({"run", "--allow-write", out.string(), program});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(std::filesystem::exists(out / "deep" / "a.txt"));
  EXPECT_TRUE(std::filesystem::exists(program));
  for (const char* name : {"b.txt", "c", "../d.txt"}) {
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "inner" / name)) << name;
  }
  EXPECT_THAT(result.out,
              HasSubstr("[Errno 13] nnscope lets programs write only below folders that --allow-write names: "
                        "'b.txt'\n"));
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 4) << result.out;
}

TEST_F(Run, SaysWhereAProgramIsNone) {
  const Process::Result result = run_nnscope({"run", write("main.py", "x = (1,\n")});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("SyntaxError: '(' was never closed"));
  EXPECT_THAT(result.err, HasSubstr("main.py\", line 1\n    x = (1,\n        ^\n"));
  EXPECT_EQ(run_nnscope({"run", (folder.path() / "none.py").string()}).status, 2);
}

TEST_F(Run, VirtualDevicesAreThoseOfTheOptionOrOfTheProgramsComment) {
  const std::string print = "import torch\nprint(torch.nn.DataParallel(torch.nn.Linear(2, 2)).device_ids)\n";
  EXPECT_EQ(run_nnscope({"run", write("plain.py", print)}).out, "[]\n");
  EXPECT_EQ(run_nnscope({"run", "--virtual-devices", "3", write("plain.py", print)}).out, "[0, 1, 2]\n");
  const std::string asks = write("asks.py", "#!/usr/bin/env python\n# nnscope: --virtual-devices 2\n" + print);
  EXPECT_EQ(run_nnscope({"run", asks}).out, "[0, 1]\n");
  EXPECT_EQ(run_nnscope({"run", "--virtual-devices", "4", asks}).out, "[0, 1, 2, 3]\n");
  for (const std::string count : {"0", "129", "x", ""}) {
    const Process::Result refused =
        run_nnscope({"run", write("bad.py", "# nnscope: --virtual-devices " + count + "\n")});
    EXPECT_EQ(refused.status, 2) << count;
    EXPECT_THAT(refused.err, HasSubstr("bad.py, line 1")) << count;
  }
  // Behind the first statement it is a comment like any other.
  EXPECT_EQ(run_nnscope({"run", write("late.py", "import os\n# nnscope: --virtual-devices 2\n" + print)}).out, "[]\n");
}

TEST_F(Run, AProgramsCommentDecidesHowFramesAreTraced) {
  const std::string print =
      "import torch\n"
      "found = torch._dynamo.explain(torch.nn.Sequential(torch.nn.ReLU()))(torch.ones(1))\n"
      "print([node.op for node in found.graphs[0].graph.nodes])\n"
      "print({guard.source.name for guard in found.out_guards if \"'0'\" in guard.name})\n";
  const std::string python = "['placeholder', 'call_function', 'output']\n{'LOCAL_UNSPECIALIZED_BUILTIN_NN_MODULE'}\n";
  const std::string instances = "['placeholder', 'call_module', 'output']\n{'LOCAL_SPECIALIZED_NN_MODULE'}\n";
  EXPECT_EQ(run_nnscope({"run", write("plain.py", print)}).out, python);
  const std::string asks = write("asks.py", "# nnscope: --config inline_inbuilt_nn_modules=false\n" + print);
  EXPECT_EQ(run_nnscope({"run", asks}).out, instances);
  EXPECT_THAT(run_nnscope({"capture", asks}).out, HasSubstr(instances));
  EXPECT_THAT(run_nnscope({"capture", "--config=inline_inbuilt_nn_modules=true", asks}).out, HasSubstr(python));
  for (const std::string setting : {"nothing=true", "inline_inbuilt_nn_modules=perhaps", "inline_inbuilt_nn_modules"}) {
    for (const char* command : {"run", "capture"}) {
      const Process::Result refused =
          run_nnscope({command, write("bad.py", "\n# nnscope: --config " + setting + "\n" + print)});
      EXPECT_EQ(refused.status, 2) << setting;
      EXPECT_THAT(refused.err, HasSubstr("bad.py, line 2")) << setting;
    }
  }
}

}  // namespace
}  // namespace nns::tests
