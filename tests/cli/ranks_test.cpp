// `run --nproc`: programs as several processes, over the network of this machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "native/cli/rank_processes.h"
#include "tests/cli/process.h"
#include "tests/support/files.h"

namespace nns::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string read_text(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

// A folder with a program, and what its ranks print.
class Program {
 public:
  explicit Program(const std::string& source) : path_((folder_.path() / "program.py").string()) {
    std::ofstream(path_) << source;
  }
  const std::string& path() const { return path_; }
  Process::Result run(int ranks, const std::vector<std::string>& options = {},
                      const std::vector<std::string>& environment = {}) const {
    std::vector<std::string> words = {"run", "--nproc", std::to_string(ranks), "--output-dir", out().string()};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(path_);
    return run_nnscope(words, environment);
  }
  std::string printed_by(int rank) const { return read_text(out() / ("rank" + std::to_string(rank) + ".out")); }

 private:
  std::filesystem::path out() const { return folder_.path() / "out"; }
  TemporaryFolder folder_;
  std::string path_;
};

// ---------------------------------------------------------------- what PyTorch's ranks printed

struct RankCase {
  std::string name, source, error;
  std::vector<std::string> ranks;
};

std::vector<RankCase> rank_cases() {
  std::vector<RankCase> cases;
  for (const auto* const topic : {"wrappers", "seeds"}) {
    std::ifstream stream(std::filesystem::path(NNSCOPE_RECORDED) / (std::string(topic) + ".json"));
    for (const auto& one : nlohmann::json::parse(stream)) {
      if (!one.contains("ranks")) continue;
      RankCase made{one["name"], one["source"], "", one["ranks"]};
      if (!one["error"].is_null()) {
        made.error = one["error"]["type"].get<std::string>() + ": " + one["error"]["message"].get<std::string>();
      }
      cases.push_back(std::move(made));
    }
  }
  return cases;
}

class RecordedRanks : public testing::TestWithParam<RankCase> {};

TEST_P(RecordedRanks, PrintAndRaiseWhatThoseOfPyTorchDo) {
  const RankCase& recorded = GetParam();
  const Program program(recorded.source);
  const Process::Result result = program.run(static_cast<int>(recorded.ranks.size()));
  for (std::size_t rank = 0; rank < recorded.ranks.size(); ++rank) {
    EXPECT_EQ(program.printed_by(static_cast<int>(rank)), recorded.ranks[rank]) << "rank " << rank << "\n"
                                                                                << result.err;
  }
  if (recorded.error.empty()) {
    EXPECT_EQ(result.status, 0) << result.err;
  } else {
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.err, HasSubstr(recorded.error));
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, RecordedRanks, testing::ValuesIn(rank_cases()),
                         [](const testing::TestParamInfo<RankCase>& one) { return one.param.name; });

// ---------------------------------------------------------------- what ranks are told, and how they end

TEST(RunRanks, TellsEachRankWhoItIsAndGathersWhatTheyPrint) {
  const Program program(
      "import os\nnames = ['RANK', 'LOCAL_RANK', 'WORLD_SIZE', 'LOCAL_WORLD_SIZE', 'MASTER_ADDR']\n"
      "print([os.environ[name] for name in names], os.environ['MASTER_PORT'].isdigit())\n");
  EXPECT_EQ(program.run(3).status, 0);
  EXPECT_EQ(program.printed_by(0), "['0', '0', '3', '3', '127.0.0.1'] True\n");
  EXPECT_EQ(program.printed_by(2), "['2', '2', '3', '3', '127.0.0.1'] True\n");
}

TEST(RunRanks, ARankThatFailsStopsTheOthersAndItsStatusIsThatOfAll) {
  const Program program(
      "import os, sys, time\nprint('begun')\n"
      "if os.environ['RANK'] == '1':\n    sys.exit(7)\n"
      "while True:\n    time.sleep(0.01)\n");
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(program.run(2).status, 7);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(100));
  EXPECT_EQ(program.printed_by(0), "begun\n");
}

TEST(RunRanks, MarksWhatRanksSayOnStandardError) {
  const Program program("import os\nraise ValueError('wrong ' + os.environ['RANK'])\n");
  const Process::Result result = program.run(2);
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("[rank0] ValueError: wrong 0"), HasSubstr("[rank1] ValueError: wrong 1")));
}

TEST(RunRanks, RefusesNoProcessesAndAFolderWithoutThem) {
  const Program program("print(1)\n");
  EXPECT_EQ(run_nnscope({"run", "--nproc", "0", program.path()}).status, 2);
  EXPECT_EQ(run_nnscope({"run", "--output-dir", "x", program.path()}).status, 2);
}

TEST(RunRanks, CollectivesGiveEachRankItsShare) {
  const std::filesystem::path sources = NNSCOPE_RANK_PROGRAMS;
  const Program program(read_text(sources / "collectives.py"));
  for (const char* const shares_memory : {"1", "0"}) {
    EXPECT_EQ(program.run(3, {}, {std::string("NNSCOPE_SHARED_MEMORY=") + shares_memory}).status, 0);
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(program.printed_by(rank), read_text(sources / ("collectives.rank" + std::to_string(rank) + ".txt")));
    }
  }
}

TEST(RunRanks, MeetByTheEnvironmentThatAPersonSets) {
  const Program program(
      "import torch, torch.distributed as dist\ndist.init_process_group('gloo')\n"
      "x = torch.tensor([float(dist.get_rank() + 1)])\ndist.all_reduce(x)\nprint(dist.get_rank(), x.item())\n");
  const cli::ListeningSocket free = cli::listen_anywhere();
  ::close(free.socket);
  const auto settings = [&](const std::string& rank) {
    return std::vector<std::string>{"OMPI_COMM_WORLD_RANK=" + rank, "OMPI_COMM_WORLD_SIZE=2", "MASTER_ADDR=localhost",
                                    "MASTER_PORT=" + std::to_string(free.port)};
  };
  Process first({"run", program.path()}, settings("0")), second({"run", program.path()}, settings("1"));
  EXPECT_EQ(first.wait().out, "0 3.0\n");
  EXPECT_EQ(second.wait().out, "1 3.0\n");
}

TEST(RunRanks, MeetUnderMpiWithoutBeingToldWhere) {
  const Program program(
      "import torch, torch.distributed as dist\ndist.init_process_group('gloo')\n"
      "x = torch.tensor([float(dist.get_rank() + 1)])\ndist.all_reduce(x)\nprint(dist.get_rank(), x.item())\n");
  const auto settings = [&](const std::string& rank) {
    return std::vector<std::string>{"OMPI_COMM_WORLD_RANK=" + rank, "OMPI_COMM_WORLD_SIZE=2",
                                    "OMPI_COMM_WORLD_LOCAL_SIZE=2",
                                    "PMIX_NAMESPACE=nnscope-test-" + std::to_string(::getpid())};
  };
  Process first({"run", program.path()}, settings("0")), second({"run", program.path()}, settings("1"));
  EXPECT_EQ(first.wait().out, "0 3.0\n");
  EXPECT_EQ(second.wait().out, "1 3.0\n");
}

TEST(RunRanks, AProgramReachesNoOtherMachineThanTheOneItWasStartedFor) {
  const Program program(
      "import torch.distributed as dist\n"
      "try:\n    dist.init_process_group('gloo', init_method='tcp://192.0.2.1:80', rank=1, world_size=2)\n"
      "except RuntimeError as e:\n    print(e)\n");
  EXPECT_THAT(run_nnscope({"run", program.path()}).out, HasSubstr("may not reach 192.0.2.1"));
}

// ---------------------------------------------------------------- failures: every rank says which, what and where

constexpr const char* kBegin =
    "import datetime, os, sys, torch, torch.nn as nn, torch.distributed as dist\n"
    "from torch.nn.parallel import DistributedDataParallel as DDP\n"
    "dist.init_process_group('gloo', timeout=datetime.timedelta(seconds=120))\n"
    "rank = dist.get_rank()\n"
    "def attempt(f):\n"
    "    try:\n        f()\n        print('fine')\n"
    "    except RuntimeError as e:\n        print(e)\n";

TEST(RanksFailure, ARankThatDiesIsNamedWithTheCollectiveAndItsNumber) {
  const Program program(std::string(kBegin) +
                        "x = torch.ones(4)\ndist.all_reduce(x)\n"
                        "if rank == 1:\n    sys.exit(0)\n"
                        "attempt(lambda: dist.all_reduce(x))\n");
  EXPECT_EQ(program.run(3).status, 0);
  for (const int rank : {0, 2}) {
    EXPECT_THAT(program.printed_by(rank),
                AllOf(HasSubstr("all_reduce number 2 of process group 0"), HasSubstr("rank 1 is gone")));
  }
}

TEST(RanksFailure, ARankThatStandsStillIsNoticedWhateverCollectivesMayWait) {
  const Program program(
      "import datetime, torch, torch.distributed as dist\n"
      "dist.init_process_group('gloo', timeout=datetime.timedelta(days=30))\n"
      "x = torch.ones(1)\ndist.all_reduce(x)\nprint('met', flush=True)\n"
      "try:\n    while True:\n        dist.all_reduce(x)\n"
      "except RuntimeError as e:\n    print(e)\n");
  const cli::ListeningSocket free = cli::listen_anywhere();
  ::close(free.socket);
  const auto settings = [&](const std::string& rank) {
    return std::vector<std::string>{"RANK=" + rank, "WORLD_SIZE=2", "MASTER_ADDR=localhost",
                                    "MASTER_PORT=" + std::to_string(free.port), "NNSCOPE_LONGEST_SILENCE=2"};
  };
  Process first({"run", program.path()}, settings("0")), second({"run", program.path()}, settings("1"));
  second.read_until("met\n");
  second.signal(SIGSTOP);
  EXPECT_THAT(first.wait().out, HasSubstr("rank 1 is gone: its connection ended (nothing was heard of it for 2 s)"));
  second.signal(SIGKILL);
}

TEST(RanksFailure, ARankThatIsKilledIsNamedByThoseThatWaitForIt) {
  const Program program(std::string(kBegin) +
                        "x = torch.ones(1000000)\ndist.all_reduce(x)\n"
                        "if rank == 1:\n"
                        "    open('pid', 'w').write(str(os.getpid()))\n    while True:\n        pass\n"
                        "attempt(lambda: dist.all_reduce(x))\n");
  const std::filesystem::path folder = std::filesystem::path(program.path()).parent_path();
  Process ranks({"run", "--nproc", "2", "--output-dir", (folder / "out").string(), "--allow-write", folder.string(),
                 program.path()});
  std::string number;
  while (number.empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    number = read_text(folder / "pid");
  }
  ::kill(std::stoi(number), SIGKILL);
  EXPECT_NE(ranks.wait().status, 0);
  EXPECT_THAT(program.printed_by(0),
              AllOf(HasSubstr("all_reduce number 2 of process group 0"), HasSubstr("rank 1 is gone")));
}

TEST(RanksFailure, ARankThatRunsAnotherCollectiveIsNamedWithBoth) {
  const Program program(std::string(kBegin) +
                        "x = torch.ones(4)\n"
                        "attempt((lambda: dist.all_gather([x, x.clone()], x)) if rank == 1 else "
                        "(lambda: dist.all_reduce(x)))\n");
  EXPECT_EQ(program.run(2).status, 0);
  EXPECT_THAT(program.printed_by(0),
              AllOf(HasSubstr("all_reduce number 1"), HasSubstr("rank 1"), HasSubstr("all_gather")));
  EXPECT_THAT(program.printed_by(1),
              AllOf(HasSubstr("all_gather number 1"), HasSubstr("rank 0"), HasSubstr("all_reduce")));
}

TEST(RanksFailure, TensorsOfOtherSizesAreRefused) {
  const Program program(std::string(kBegin) + "attempt(lambda: dist.all_reduce(torch.ones(4 + rank)))\n");
  EXPECT_EQ(program.run(2).status, 0);
  EXPECT_THAT(program.printed_by(0), HasSubstr("rank 1 runs all_reduce of 5 torch.float32"));
  EXPECT_THAT(program.printed_by(1), HasSubstr("rank 0 runs all_reduce of 4 torch.float32"));
}

TEST(RanksFailure, ARankThatDoesNotComeIsNamedWhenTheTimeIsOver) {
  const Program program(
      "import datetime, time, torch, torch.distributed as dist\n"
      "dist.init_process_group('gloo', timeout=datetime.timedelta(seconds=1))\n"
      "x = torch.ones(2)\n"
      "if dist.get_rank() == 1:\n    time.sleep(2.5)\n"
      "try:\n    dist.all_reduce(x)\n"
      "except RuntimeError as e:\n    print(e)\n");
  EXPECT_EQ(program.run(2).status, 0);
  EXPECT_THAT(program.printed_by(0),
              AllOf(HasSubstr("all_reduce number 1"), HasSubstr("rank 1 sent nothing within 1000 ms")));
  EXPECT_THAT(program.printed_by(1), HasSubstr("rank 0 stopped"));
}

TEST(RanksFailure, AGraphThatDiffersIsNamedWithTheBucketAndItsParameters) {
  const Program program(std::string(kBegin) +
                        "net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))\nddp = DDP(net)\n"
                        "def step():\n"
                        "    ddp(torch.ones(1, 2)).sum().backward()\n"
                        "if rank == 1:\n    attempt(lambda: dist.broadcast(torch.ones(3), 0))\n"
                        "else:\n    attempt(step)\n");
  EXPECT_EQ(program.run(2).status, 0);
  EXPECT_THAT(program.printed_by(0), AllOf(HasSubstr("all_reduce"), HasSubstr("0.weight"), HasSubstr("rank 1")));
}

TEST(Spawn, CallsAFunctionOfTheProgramInEveryProcess) {
  const Program program(
      "import os, torch, torch.distributed as dist, torch.multiprocessing as mp\n"
      "def work(rank, size, port):\n"
      "    dist.init_process_group('gloo', init_method=f'tcp://127.0.0.1:{port}', rank=rank, world_size=size)\n"
      "    x = torch.tensor([rank + 1.0])\n    dist.all_reduce(x)\n"
      "    if rank == 0:\n        print(__name__, x.item())\n"
      "    dist.destroy_process_group()\n"
      "if __name__ == '__main__':\n    mp.spawn(work, args=(3, PORT), nprocs=3)\n    print('done')\n");
  const cli::ListeningSocket free = cli::listen_anywhere();
  ::close(free.socket);
  std::string text = read_text(program.path());
  text.replace(text.find("PORT"), 4, std::to_string(free.port));
  std::ofstream(program.path()) << text;
  const Process::Result result = run_nnscope({"run", program.path()});
  EXPECT_EQ(result.out, "__mp_main__ 6.0\ndone\n") << result.err;
  EXPECT_EQ(result.status, 0);
}

TEST(Spawn, RaisesWhatAProcessRaisedWithItsTraceback) {
  const Program program(
      "import torch.multiprocessing as mp\n"
      "def work(rank, text):\n    if rank == 1:\n        raise ValueError(text)\n"
      "if __name__ == '__main__':\n"
      "    try:\n        mp.spawn(work, args=('wrong',), nprocs=2)\n"
      "    except mp.ProcessRaisedException as e:\n        print(e.error_index, str(e).strip().splitlines()[0])\n"
      "        print(str(e).strip().splitlines()[-1])\n");
  const Process::Result result = run_nnscope({"run", program.path()});
  EXPECT_EQ(result.out, "1 -- Process 1 terminated with the following error:\nValueError: wrong\n") << result.err;
}

TEST(RanksInTurns, PrintWhatProcessesPrint) {
  const Program program(
      "import os, torch, torch.nn as nn, torch.distributed as dist\n"
      "from torch.nn.parallel import DistributedDataParallel as DDP\n"
      "dist.init_process_group('gloo')\n"
      "torch.manual_seed(dist.get_rank())\n"
      "ddp = DDP(nn.Linear(3, 2))\n"
      "ddp(torch.randn(4, 3)).sum().backward()\n"
      "print(dist.get_rank(), os.getpid() > 0, round(ddp.module.weight.grad.sum().item(), 4))\n");
  const Process::Result processes = program.run(2);
  ASSERT_EQ(processes.status, 0) << processes.err;
  const std::vector<std::string> printed = {program.printed_by(0), program.printed_by(1)};
  ASSERT_NE(printed[0], "");
  const Process::Result turns = program.run(2, {"--in-turns"});
  ASSERT_EQ(turns.status, 0) << turns.err;
  EXPECT_EQ(program.printed_by(0), printed[0]);
  EXPECT_EQ(program.printed_by(1), printed[1]);
}

TEST(RanksInTurns, TheFirstThatFailsEndsAll) {
  const Program program(
      "import torch.distributed as dist\n"
      "dist.init_process_group('gloo')\n"
      "if dist.get_rank() == 1:\n    raise ValueError('one')\n"
      "dist.barrier()\nprint('not reached')\n");
  const Process::Result ended = program.run(2, {"--in-turns"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.err.find("rank 1 failed"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("ValueError: one"), std::string::npos) << ended.err;
  EXPECT_EQ(program.printed_by(0), "");
}

}  // namespace
}  // namespace nns::tests
