// DistributedDataParallel on N ranks is one process with the N-fold batch, to rounding, with every option.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/cli/process.h"
#include "tests/support/files.h"

namespace nns::tests {
namespace {

// Every rank trains a model of its own on the whole batch and compares: parameters after each of five steps.
constexpr const char* kProgram = R"(
import sys, torch, torch.nn as nn, torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn.parallel import DistributedDataParallel as DDP
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
kind, option = sys.argv[1:3]

def make():
    torch.manual_seed(7)
    if kind == "mlp":
        return nn.Sequential(nn.Linear(6, 300), nn.Tanh(), nn.Linear(300, 40), nn.Tanh(), nn.Linear(40, 3)).double()
    return nn.Sequential(nn.Conv2d(2, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 4, 3), nn.ReLU(),
                         nn.Flatten(), nn.Linear(16, 3)).double()

torch.manual_seed(3)
batch = 4 * size
x = torch.randn(batch, 6) if kind == "mlp" else torch.randn(batch, 2, 8, 8)
x, y = x.double(), torch.randint(0, 3, (batch,))
alone, net = make(), make()
options = {"plain": {}, "small_buckets": {"bucket_cap_mb": 0.005}, "bucket_list": {"bucket_cap_mb_list": [0.001, 0.01]},
           "views": {"gradient_as_bucket_view": True}, "unused": {"find_unused_parameters": True},
           "static": {"static_graph": True}, "static_views": {"static_graph": True, "gradient_as_bucket_view": True},
           "unsynchronised_buffers": {"forward_sync_buffers": False}, "no_sync": {}, "hook": {}, "join": {}}[option]
if rank != 0:
    for p in net.parameters():
        nn.init.constant_(p, 9.0)
ddp = DDP(net, **options)
if option == "hook":
    ddp.register_comm_hook(None, default_hooks.allreduce_hook)
loss = nn.CrossEntropyLoss()
opts = [torch.optim.SGD(m.parameters(), lr=0.3, momentum=0.9) for m in (alone, net)]
part = slice(4 * rank, 4 * rank + 4)

def backward(x, y):
    loss(ddp(x), y).backward()

def steps():
    for step in range(5):
        for opt in opts:
            opt.zero_grad()
        loss(alone(x), y).backward()
        if option == "no_sync":
            with ddp.no_sync():
                loss(ddp(x[part][:2]), y[part][:2]).mul(0.5).backward()
            loss(ddp(x[part][2:]), y[part][2:]).mul(0.5).backward()
        else:
            backward(x[part], y[part])
        for opt in opts:
            opt.step()
        for p, q in zip(alone.parameters(), net.parameters()):
            assert torch.allclose(p, q, rtol=1e-10, atol=1e-12), (step, (p - q).abs().max())

if option == "join":
    with ddp.join():
        steps()
else:
    steps()
flat = torch.cat([p.detach().reshape(-1) for p in net.parameters()])
parts = [torch.empty_like(flat) for _ in range(size)]
dist.all_gather(parts, flat)
assert all(torch.equal(parts[0], one) for one in parts), "the ranks differ"
print("equal", ddp._has_rebuilt_buckets)
)";

struct Case {
  std::string kind, option;
  int ranks;
};

class DistributedDataParallel : public testing::TestWithParam<Case> {};

TEST_P(DistributedDataParallel, IsOneProcessWithTheWholeBatch) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "program.py").string();
  std::ofstream(path) << kProgram;
  const auto& [kind, option, ranks] = GetParam();
  const Process::Result result = run_nnscope(
      {"run", "--nproc", std::to_string(ranks), "--output-dir", (folder.path() / "out").string(), path, kind, option});
  EXPECT_EQ(result.status, 0) << result.err;
  const bool rebuilds = option != "unused";
  for (int rank = 0; rank < ranks; ++rank) {
    std::ifstream stream(folder.path() / "out" / ("rank" + std::to_string(rank) + ".out"));
    std::string line;
    std::getline(stream, line);
    EXPECT_EQ(line, rebuilds ? "equal True" : "equal False") << "rank " << rank << "\n" << result.err;
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto* const option : {"plain", "small_buckets", "bucket_list", "views", "unused", "static", "static_views",
                                   "unsynchronised_buffers", "no_sync", "hook", "join"}) {
    all.push_back({"mlp", option, 2});
    all.push_back({"cnn", option, 2});
  }
  all.push_back({"mlp", "small_buckets", 3});
  all.push_back({"cnn", "views", 4});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Options, DistributedDataParallel, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case>& one) {
                           return one.param.kind + "_" + one.param.option + "_" + std::to_string(one.param.ranks);
                         });

}  // namespace
}  // namespace nns::tests
