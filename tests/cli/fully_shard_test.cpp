// fully_shard on N ranks is one process with the N-fold batch, to rounding, and each rank holds an N-th.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/cli/process.h"
#include "tests/support/files.h"

namespace nns::tests {
namespace {

using testing::HasSubstr;

// A program as so many ranks, and what each printed.
class Ranks {
 public:
  Ranks(int count, const std::string& path, const std::vector<std::string>& arguments, bool in_turns = false,
        const std::string& writable = {}) {
    std::vector<std::string> words = {"run", "--nproc", std::to_string(count), "--output-dir", out().string()};
    if (in_turns) words.emplace_back("--in-turns");
    if (!writable.empty()) words.insert(words.end(), {"--allow-write", writable});
    words.push_back(path);
    words.insert(words.end(), arguments.begin(), arguments.end());
    result_ = run_nnscope(words);
  }
  const Process::Result& result() const { return result_; }
  std::string printed_by(int rank) const {
    std::ifstream stream(out() / ("rank" + std::to_string(rank) + ".out"));
    std::ostringstream text;
    text << stream.rdbuf();
    return std::move(text).str();
  }

 private:
  std::filesystem::path out() const { return folder_.path() / "out"; }
  TemporaryFolder folder_;
  Process::Result result_;
};

struct ShardCase {
  std::string kind, after_forward, optimiser;
  int ranks;
  bool in_turns = false;
};

class FullyShard : public testing::TestWithParam<ShardCase> {};

TEST_P(FullyShard, IsOneProcessWithTheWholeBatchAndHoldsItsShare) {
  const ShardCase& one = GetParam();
  const std::string path = (std::filesystem::path(NNSCOPE_RANK_PROGRAMS) / "fully_shard.py").string();
  const Ranks ranks(one.ranks, path, {one.kind, one.after_forward, one.optimiser}, one.in_turns);
  EXPECT_EQ(ranks.result().status, 0) << ranks.result().err;
  for (int rank = 0; rank < one.ranks; ++rank) EXPECT_EQ(ranks.printed_by(rank), "equal True\n") << "rank " << rank;
}

INSTANTIATE_TEST_SUITE_P(Models, FullyShard,
                         testing::Values(ShardCase{"mlp", "reshard", "SGD", 2}, ShardCase{"mlp", "keep", "AdamW", 3},
                                         ShardCase{"mlp", "reshard", "AdamW", 4}, ShardCase{"mlp", "2", "SGD", 4},
                                         ShardCase{"cnn", "reshard", "SGD", 3}, ShardCase{"cnn", "keep", "AdamW", 2},
                                         ShardCase{"gpt", "reshard", "AdamW", 2}, ShardCase{"gpt", "keep", "SGD", 3},
                                         ShardCase{"gpt", "reshard", "SGD", 4},
                                         ShardCase{"mlp", "reshard", "AdamW", 3, true},
                                         ShardCase{"cnn", "keep", "SGD", 2, true},
                                         ShardCase{"gpt", "reshard", "AdamW", 2, true}),
                         [](const testing::TestParamInfo<ShardCase>& one) {
                           return one.param.kind + "_" + one.param.after_forward + "_" + one.param.optimiser + "_" +
                                  std::to_string(one.param.ranks) + (one.param.in_turns ? "_in_turns" : "");
                         });

// ---------------------------------------------------------------- what a program sees

TEST(FullyShardRun, EachRankPrintsItsPartsAndWhatItSees) {
  const std::filesystem::path sources = NNSCOPE_RANK_PROGRAMS;
  const Ranks ranks(2, (sources / "sharded_tensors.py").string(), {});
  EXPECT_EQ(ranks.result().status, 0) << ranks.result().err;
  for (int rank = 0; rank < 2; ++rank) {
    std::ifstream stream(sources / ("sharded_tensors.rank" + std::to_string(rank) + ".txt"));
    std::ostringstream expected;
    expected << stream.rdbuf();
    EXPECT_EQ(ranks.printed_by(rank), expected.str()) << "rank " << rank;
  }
}

TEST(FullyShardRun, WhatProgramsDoBesidesIsOneProcessWithTheWholeBatch) {
  const std::filesystem::path sources = NNSCOPE_RANK_PROGRAMS;
  const Ranks ranks(4, (sources / "fully_shard_uses.py").string(), {});
  EXPECT_EQ(ranks.result().status, 0) << ranks.result().err;
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(
        ranks.printed_by(rank),
        "nested True\nkeeps True\nroot only True\nreplicated True\nfrozen True\nprefetch True\none group True\n"
        "summed True\nlooked at True\nencode (4, 10) DTensor\nraised True\nraised in backward\nagain True\nTrue True\n"
        "late True (10, 6)\nParameter\nnorms True\n")
        << "rank " << rank;
  }
}

TEST(FullyShardRun, OlderWrappersAndCheckpointsInPartsAreOneProcessWithTheWholeBatch) {
  const TemporaryFolder folder;
  const std::filesystem::path sources = NNSCOPE_RANK_PROGRAMS;
  const Ranks ranks(3, (sources / "wrapped_models.py").string(), {(folder.path() / "saved").string()}, false,
                    folder.path().string());
  EXPECT_EQ(ranks.result().status, 0) << ranks.result().err;
  std::ifstream stream(sources / "wrapped_models.txt");
  std::ostringstream expected;
  expected << stream.rdbuf();
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(ranks.printed_by(rank), expected.str()) << "rank " << rank;
}

// Processes of several machines, and a rank that leaves: who waits for its parts says for which.
TEST(FullyShardRun, ARankThatLeavesIsNamedWithTheParametersThatAreWaitedFor) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "program.py").string();
  std::ofstream(path) << "import sys, torch, torch.nn as nn, torch.distributed as dist\n"
                         "from torch.distributed.fsdp import fully_shard\n"
                         "dist.init_process_group('gloo')\n"
                         "net = fully_shard(nn.Sequential(nn.Linear(2, 2)))\n"
                         "if dist.get_rank() == 1:\n    sys.exit(0)\n"
                         "try:\n    net(torch.ones(1, 2))\n"
                         "except RuntimeError as e:\n    print(e)\n";
  const Ranks ranks(2, path, {});
  EXPECT_THAT(ranks.printed_by(0), testing::AllOf(HasSubstr("all_gather number 1"), HasSubstr("parameters 0.weight"),
                                                  HasSubstr("rank 1 is gone")));
}

}  // namespace
}  // namespace nns::tests
