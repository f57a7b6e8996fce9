// DistributedDataParallel on N ranks is one process with the N-fold batch, to rounding, with every option.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

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

class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(self.before(x)).chunk(3, -1))
        x = x + self.out(nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return x + self.mlp(self.between(x))

class Gpt(nn.Module):
    def __init__(self, words=11, width=16):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(8, width)
        self.blocks = nn.Sequential(Block(width, 4), Block(width, 4))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 3, bias=False)

    def forward(self, tokens):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))
        return self.head(self.norm(self.blocks(x)))[:, -1]

def make():
    torch.manual_seed(7)
    if kind == "mlp":
        return nn.Sequential(nn.Linear(6, 300), nn.Tanh(), nn.Linear(300, 40), nn.Tanh(), nn.Linear(40, 3)).double()
    if kind == "gpt":
        return Gpt().double()
    return nn.Sequential(nn.Conv2d(2, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 4, 3), nn.ReLU(),
                         nn.Flatten(), nn.Linear(16, 3)).double()

torch.manual_seed(3)
batch = 4 * size
x = {"mlp": lambda: torch.randn(batch, 6).double(), "cnn": lambda: torch.randn(batch, 2, 8, 8).double(),
     "gpt": lambda: torch.randint(0, 11, (batch, 8))}[kind]()
y = torch.randint(0, 3, (batch,))
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
    all.push_back({"gpt", option, 2});
  }
  all.push_back({"mlp", "small_buckets", 3});
  all.push_back({"cnn", "views", 4});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Options, DistributedDataParallel, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case>& one) {
                           return one.param.kind + "_" + one.param.option + "_" + std::to_string(one.param.ranks);
                         });

// With two ranks of which one has more batches than the other: what batch norm has seen is that of who had the last
// one.
TEST(DistributedDataParallelJoin, RanksOfAModelWithBuffersRunOutOneAfterTheOther) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "program.py").string();
  std::ofstream(path) << R"(
import torch, torch.nn as nn, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
ddp = DDP(nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 1)))
opt = torch.optim.SGD(ddp.parameters(), lr=0.1)
with ddp.join():
    for _ in range(2 + rank):
        opt.zero_grad()
        ddp(torch.randn(6, 4)).square().mean().backward()
        opt.step()
state = torch.cat([t.double().reshape(-1) for t in ddp.state_dict().values()])
parts = [torch.empty_like(state) for _ in range(size)]
dist.all_gather(parts, state)
print(all(torch.equal(parts[0], one) for one in parts), int(ddp.module[1].num_batches_tracked))
)";
  const Process::Result result =
      run_nnscope({"run", "--nproc", "3", "--output-dir", (folder.path() / "out").string(), path});
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char* const rank : {"0", "1", "2"}) {
    std::ifstream stream(folder.path() / "out" / (std::string("rank") + rank + ".out"));
    std::string line;
    std::getline(stream, line);
    EXPECT_EQ(line, "True 4") << "rank " << rank << "\n" << result.err;
  }
}

// What is compressed differs from one process by rounding, but all ranks go on with the same numbers.
TEST(CompressedHooks, LeaveAllRanksEqual) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "program.py").string();
  std::ofstream(path) << R"(
import copy, torch, torch.nn as nn, torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from torch.nn.parallel import DistributedDataParallel as DDP
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
powered = lambda: powerSGD_hook.PowerSGDState(None, matrix_approximation_rank=4, start_powerSGD_iter=2)
hooks = {
    "fp16": lambda: (None, default_hooks.fp16_compress_hook),
    "bf16": lambda: (None, default_hooks.bf16_compress_hook),
    "power": lambda: (powered(), powerSGD_hook.powerSGD_hook),
    "fp16 power": lambda: (powered(), default_hooks.fp16_compress_wrapper(powerSGD_hook.powerSGD_hook)),
    "batched power": lambda: (powered(), powerSGD_hook.batched_powerSGD_hook),
    "bf16 allreduce": lambda: (None, default_hooks.bf16_compress_wrapper(default_hooks.allreduce_hook)),
}
for name, make in hooks.items():
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 1))
    first = copy.deepcopy(net)
    ddp = DDP(net)
    ddp.register_comm_hook(*make())
    opt = torch.optim.SGD(ddp.parameters(), lr=0.05)
    torch.manual_seed(2 + rank)
    x = torch.randn(32, 16)
    y = x[:, :1] - x[:, 1:2]
    for step in range(30):
        opt.zero_grad()
        loss = (ddp(x) - y).square().mean()
        loss.backward()
        opt.step()
    flat = torch.cat([p.detach().reshape(-1) for p in net.parameters()])
    parts = [torch.empty_like(flat) for _ in range(size)]
    dist.all_gather(parts, flat)
    print(name, all(torch.equal(parts[0], one) for one in parts), bool(loss < 0.7 * (first(x) - y).square().mean()))
from torch.distributed.algorithms.ddp_comm_hooks import DDPCommHookType, register_ddp_comm_hook
for kind in (DDPCommHookType.POWER_SGD_RANK2, DDPCommHookType.NOOP):
    ddp = DDP(nn.Linear(4, 2))
    register_ddp_comm_hook(kind, ddp)
    ddp(torch.ones(1, 4)).sum().backward()
    print(kind, getattr(ddp._comm_hooks[0][1], "matrix_approximation_rank", 0))
)";
  const Process::Result result =
      run_nnscope({"run", "--nproc", "2", "--output-dir", (folder.path() / "out").string(), path});
  EXPECT_EQ(result.status, 0) << result.err;
  std::ifstream stream(folder.path() / "out" / "rank1.out");
  const std::string told{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(told,
            "fp16 True True\nbf16 True True\npower True True\nfp16 power True True\nbatched power True True\n"
            "bf16 allreduce True True\nDDPCommHookType.POWER_SGD_RANK2 2\nDDPCommHookType.NOOP 0\n")
      << result.err;
}

}  // namespace
}  // namespace nns::tests
