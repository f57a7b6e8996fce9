// Ranks of a program that take turns on one thread: torch.multiprocessing.spawn where no processes can be started, and
// whole programs as ranks.
#include "core/python/torch/rank_turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/python/eval/run.h"
#include "core/python/packages/packages.h"

namespace nns::tests {
namespace {

using python::Machine;
using python::RankProgram;
using python::RankTurns;
using testing::AllOf;
using testing::HasSubstr;

struct Ended {
  std::string out;
  parallel::Connector::Spawned end;
  int slices = 0;
};

// Runs a program as so many ranks, in slices of so many questions.
Ended run_ranks(const std::string& text, int count, int slice = 1'000'000) {
  Ended ended;
  RankProgram program{"program.py", text, "program.py", [&](Machine& machine, int) {
                        machine.streams.out = [&](std::string_view words) { ended.out += words; };
                        machine.streams.error = machine.streams.out;
                        python::add_python(machine);
                      }};
  RankTurns turns(std::move(program), count, {});
  int asked = 0;
  while (!turns.go_on([&] { return ++asked >= slice; })) {
    asked = 0;
    ++ended.slices;
  }
  ended.end = turns.end();
  return ended;
}

// What the main program prints whose spawn() makes ranks within the process.
std::string run_main(const std::string& text) {
  std::string out;
  object::Interpreter in;
  Machine& machine = Machine::of(in);
  const auto open_world = [&out](Machine& one, int) {
    one.streams.out = [&out](std::string_view words) { out += words; };
    one.streams.error = one.streams.out;
    python::add_python(one);
  };
  open_world(machine, 0);
  parallel::ParallelLibrary::of(in).connector = python::make_turns_connector([&] {
    return RankProgram{"program.py", text, "program.py", open_world};
  });
  const auto done = python::run_program(machine, "program.py", text, "program.py");
  if (!done.ok()) out += python::traceback_text(machine, done.error());
  return out;
}

constexpr const char* kBegin =
    "import os, torch, torch.nn as nn, torch.distributed as dist\n"
    "from torch.nn.parallel import DistributedDataParallel as DDP\n"
    "dist.init_process_group('gloo')\nrank, size = dist.get_rank(), dist.get_world_size()\n";

TEST(RankTurns, CollectivesOfThreeRanksGiveEachItsShare) {
  const Ended ended = run_ranks(std::string(kBegin) +
                                    "x = torch.tensor([rank + 1.0])\n"
                                    "for i in range(3):\n    dist.all_reduce(x)\n"
                                    "parts = [torch.zeros(1) for _ in range(size)]\n"
                                    "dist.all_gather(parts, x + rank)\n"
                                    "dist.barrier()\n"
                                    "y = torch.zeros(1)\n"
                                    "if rank == 0:\n    dist.send(x, 2)\nelif rank == 2:\n    dist.recv(y, 0)\n"
                                    "print(rank, [p.item() for p in parts], y.item())\n",
                                3);
  EXPECT_EQ(ended.end.failed_rank, -1) << ended.end.traceback;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("0 [54.0, 55.0, 56.0] 0.0\n"), HasSubstr("1 [54.0, 55.0, 56.0] 0.0\n"),
                               HasSubstr("2 [54.0, 55.0, 56.0] 54.0\n")));
}

TEST(RankTurns, DistributedDataParallelIsOneProcessWithTheWholeBatch) {
  const Ended ended = run_ranks(
      std::string(kBegin) +
          "torch.manual_seed(3)\nx, y = torch.randn(4 * size, 6).double(), torch.randint(0, 3, (4 * size,))\n"
          "def make():\n    torch.manual_seed(7)\n"
          "    return nn.Sequential(nn.Linear(6, 300), nn.BatchNorm1d(300), nn.Tanh(), nn.Linear(300, 3)).double()\n"
          "alone, net = make().eval(), make().eval()\n"
          "if rank != 0:\n    nn.init.constant_(net[0].weight, 9.0)\n"
          "ddp = DDP(net, bucket_cap_mb=0.005)\nloss = nn.CrossEntropyLoss()\n"
          "opts = [torch.optim.SGD(m.parameters(), lr=0.3, momentum=0.9) for m in (alone, net)]\n"
          "part = slice(4 * rank, 4 * rank + 4)\n"
          "for step in range(5):\n"
          "    for opt in opts:\n        opt.zero_grad()\n"
          "    loss(alone(x), y).backward()\n    loss(ddp(x[part]), y[part]).backward()\n"
          "    for opt in opts:\n        opt.step()\n"
          "far = max((a - b).abs().max().item() for a, b in zip(alone.parameters(), net.parameters()))\n"
          "print(rank, far < 1e-12)\n",
      3);
  EXPECT_EQ(ended.end.failed_rank, -1) << ended.end.traceback;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("0 True"), HasSubstr("1 True"), HasSubstr("2 True")));
}

TEST(RankTurns, StopBetweenTwoStatementsAndGoOn) {
  const Ended ended = run_ranks(std::string(kBegin) +
                                    "total = torch.zeros(1)\n"
                                    "for i in range(200):\n"
                                    "    x = torch.ones(1)\n    dist.all_reduce(x)\n    total += x\n"
                                    "print(rank, total.item())\n",
                                2, 3);
  EXPECT_EQ(ended.out.size(), std::string("0 400.0\n1 400.0\n").size());
  EXPECT_GT(ended.slices, 2);
}

TEST(RankTurns, AsynchronousWorkThatIsAskedForLetsOthersRun) {
  const Ended ended = run_ranks(std::string(kBegin) +
                                    "x = torch.ones(2)\nwork = dist.all_reduce(x, async_op=True)\n"
                                    "while not work.is_completed():\n    pass\n"
                                    "print(rank, x.tolist())\n",
                                2);
  EXPECT_THAT(ended.out, AllOf(HasSubstr("0 [2.0, 2.0]"), HasSubstr("1 [2.0, 2.0]")));
}

TEST(RankTurns, ARankThatFailsEndsTheOthersAndIsNamed) {
  const Ended ended = run_ranks(std::string(kBegin) +
                                    "if rank == 1:\n    raise ValueError('no data')\n"
                                    "dist.all_reduce(torch.ones(1))\nprint('never')\n",
                                2);
  EXPECT_EQ(ended.end.failed_rank, 1);
  EXPECT_EQ(ended.end.exit_status, 1);
  EXPECT_THAT(ended.end.traceback, HasSubstr("ValueError: no data"));
  EXPECT_EQ(ended.out, "");
}

TEST(RankTurns, ADisagreementNamesWhatEachRuns) {
  const Ended ended = run_ranks(std::string(kBegin) +
                                    "try:\n    dist.all_reduce(torch.ones(4 + rank))\n"
                                    "except RuntimeError as e:\n    print(e)\n",
                                2);
  EXPECT_THAT(ended.out, AllOf(HasSubstr("rank 1 runs all_reduce of 5 torch.float32"),
                               HasSubstr("rank 0 runs all_reduce of 4 torch.float32")));
}

TEST(RankTurns, WhatNeedsOthersTwiceWithinOneCallSaysThatItCannotTakeTurns) {
  const Ended ended = run_ranks(std::string(kBegin) +
                                    "class Net(nn.Module):\n"
                                    "    def forward(self, x):\n"
                                    "        dist.all_reduce(x)\n        dist.all_reduce(x)\n        return x\n"
                                    "net = Net()\nprint(net(torch.ones(1)))\n",
                                2);
  EXPECT_NE(ended.end.failed_rank, -1);
  EXPECT_THAT(ended.end.traceback, HasSubstr("take turns on one thread"));
}

TEST(SpawnInTurns, CallsAFunctionOfTheProgramInEveryRank) {
  EXPECT_EQ(run_main("import os, torch, torch.distributed as dist, torch.multiprocessing as mp\n"
                     "def work(rank, size, start):\n"
                     "    dist.init_process_group('gloo', rank=rank, world_size=size)\n"
                     "    x = torch.tensor([start + rank])\n    dist.all_reduce(x)\n"
                     "    if rank == 0:\n        print(__name__, x.item())\n"
                     "    dist.destroy_process_group()\n"
                     "if __name__ == '__main__':\n"
                     "    os.environ['MASTER_ADDR'], os.environ['MASTER_PORT'] = 'localhost', '29501'\n"
                     "    mp.spawn(work, args=(3, 10.0), nprocs=3)\n    print('done')\n"),
            "__mp_main__ 33.0\ndone\n");
}

TEST(SpawnInTurns, RaisesWhatARankRaisedWithItsTraceback) {
  EXPECT_THAT(
      run_main("import torch.multiprocessing as mp\n"
               "def work(rank, text):\n    if rank == 1:\n        raise ValueError(text)\n"
               "if __name__ == '__main__':\n"
               "    try:\n        mp.spawn(work, args=('bad',), nprocs=2)\n"
               "    except mp.ProcessRaisedException as e:\n        print(e.error_index, e)\n"),
      AllOf(HasSubstr("1 \n\n-- Process 1 terminated with the following error:"), HasSubstr("ValueError: bad")));
}

}  // namespace
}  // namespace nns::tests
