// Groups of GPUs: ranks are threads, each with an interpreter and a device of its own, over the network of this
// machine.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "core/parallel/connector.h"
#include "core/python/eval/run.h"
#include "core/python/packages/packages.h"
#include "native/collectives/network_connector.h"
#include "native/cuda/gpu.h"

namespace nns::tests {
namespace {

// A port of this machine that nobody listens at.
int free_port() {
  const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(place);
  EXPECT_EQ(::bind(probe, reinterpret_cast<sockaddr*>(&place), size), 0);
  EXPECT_EQ(::getsockname(probe, reinterpret_cast<sockaddr*>(&place), &size), 0);
  ::close(probe);
  return ntohs(place.sin_port);
}

// What each rank printed, or its traceback.
std::vector<std::string> run_ranks(int size, const std::string& program) {
  const int port = free_port();
  std::vector<std::string> printed(static_cast<std::size_t>(size));
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < size; ++rank) {
    ranks.emplace_back([&, rank] {
      std::string& out = printed[static_cast<std::size_t>(rank)];
      object::Interpreter in;
      const auto gpu = cuda::install(in);
      ASSERT_TRUE(gpu.ok()) << gpu.error().message();
      python::Machine& machine = python::Machine::of(in);
      python::add_python(machine);
      machine.streams.out = [&out](std::string_view words) { out += words; };
      parallel::ParallelLibrary::of(in).connector = collectives::make_network_connector({});
      const std::string begin = fmt::format(
          "import torch\nimport torch.distributed as dist\nfrom datetime import timedelta\nrank, size = {}, {}\n"
          "place = dict(init_method='tcp://127.0.0.1:{}', rank=rank, world_size=size)\n",
          rank, size, port);
      const auto done = python::run_program(machine, "program.py", begin + program);
      if (!done.ok()) out += python::traceback_text(machine, done.error());
    });
  }
  for (std::thread& one : ranks) one.join();
  return printed;
}

// The same of every rank.
void expect_all(int size, const std::string& program, const std::string& expected) {
  const std::vector<std::string> printed = run_ranks(size, program);
  for (std::size_t rank = 0; rank < printed.size(); ++rank) EXPECT_EQ(printed[rank], expected) << "rank " << rank;
}

TEST(GpuGroup, CollectivesGiveWhatTheyGiveOnTheCpu) {
  expect_all(3, R"(
def collectives(device):
    told = []
    def full(value, n=2, dtype=torch.float32):
        return torch.full((n,), value, dtype=dtype, device=device)
    def note(*tensors):
        told.extend((one.tolist(), one.device.type == device) for one in tensors)
    for op in (dist.ReduceOp.SUM, dist.ReduceOp.PRODUCT, dist.ReduceOp.MIN, dist.ReduceOp.MAX):
        for dtype in (torch.float32, torch.float64, torch.int64, torch.uint8):
            x = full(rank + 1, 5, dtype); dist.all_reduce(x, op=op); note(x)
    m = (torch.arange(6.0, device=device) * (rank + 1)).reshape(2, 3).t()
    dist.all_reduce(m); note(m)
    x = full(float(rank)); dist.broadcast(x, src=1); note(x)
    x = full(float(rank)); dist.reduce(x, dst=2); note(*[x][rank != 2:])
    parts = [full(0.0) for _ in range(size)]; dist.all_gather(parts, full(float(rank))); note(*parts)
    out = full(0.0, 2 * size); dist.all_gather_into_tensor(out, full(float(rank))); note(out)
    got = [full(0.0) for _ in range(size)] if rank == 0 else None
    dist.gather(full(float(rank)), got, dst=0); note(*got or [])
    out = full(0.0); dist.scatter(out, [full(float(i * 10)) for i in range(size)] if rank == 0 else None, src=0); note(out)
    out = full(0.0); dist.reduce_scatter(out, [full(float(i + rank)) for i in range(size)]); note(out)
    out = full(0.0, 1); dist.reduce_scatter_tensor(out, torch.arange(float(size), device=device) * (rank + 1)); note(out)
    outs = [full(0.0) for _ in range(size)]
    dist.all_to_all(outs, [full(float(rank * 10 + i)) for i in range(size)]); note(*outs)
    out = torch.zeros((rank + 1) * size, device=device)
    dist.all_to_all_single(out, torch.full((6,), float(rank), device=device), [rank + 1] * size, [1, 2, 3]); note(out)
    works = [dist.all_reduce(full(float(i)), async_op=True) for i in range(4)]
    for work in works: work.wait()
    note(*[work.result()[0] for work in works])
    y = full(0.0)
    for request in dist.batch_isend_irecv([dist.P2POp(dist.isend, full(float(rank)), (rank + 1) % size),
                                           dist.P2POp(dist.irecv, y, (rank - 1) % size)]): request.wait()
    note(y)
    dist.barrier()
    return told

dist.init_process_group("cpu:gloo,cuda:nccl", **place)
on_cpu, on_gpu = collectives("cpu"), collectives("cuda")
print(len(on_cpu) > 30, on_cpu == on_gpu, [pair for pair in zip(on_cpu, on_gpu) if pair[0] != pair[1]])
x = torch.full((3,), rank + 1.0, device="cuda"); dist.all_reduce(x, op=dist.ReduceOp.AVG); print(x.tolist())
x = torch.tensor([rank == 1, False], device="cuda"); dist.all_reduce(x); print(x.tolist())
print(dist.get_backend_config(), dist.is_nccl_available())
dist.destroy_process_group()
)",
             "True True []\n[2.0, 2.0, 2.0]\n[True, False]\ncpu:gloo,cuda:nccl True\n");
}

TEST(GpuGroup, TakesOnlyWhatLiesOnGpusAndSaysWhatItCannotDo) {
  expect_all(2, R"(
dist.init_process_group("nccl", **place)
print(dist.get_backend())
for call in (lambda: dist.all_reduce(torch.ones(2)),
             lambda: dist.all_reduce(torch.ones(2, dtype=torch.int32, device="cuda"), op=dist.ReduceOp.BOR),
             lambda: dist.all_reduce(torch.tensor([True], device="cuda"), op=dist.ReduceOp.AVG),
             lambda: dist.all_gather([torch.ones(2), torch.ones(2)], torch.ones(2, device="cuda"))):
    try:
        call()
    except RuntimeError as error:
        print(error)
objects = [None] * size
dist.all_gather_object(objects, rank); print(objects)
one = dist.new_group([0, 1], backend="gloo")
x = torch.ones(2); dist.all_reduce(x, group=one); print(x.tolist())
x = torch.ones(2, device="cuda"); dist.all_reduce(x, group=one); print(x.tolist(), x.device)
)",
             "nccl\nNo backend type associated with device type cpu\nCannot use ReduceOp.BOR with NCCL\n"
             "Cannot use ReduceOp.AVG with Boolean inputs\nNo backend type associated with device type cpu\n[0, 1]\n"
             "[2.0, 2.0]\n[2.0, 2.0] cuda:0\n");
}

// One process with the whole batch, on the CPU, is what two GPUs with half of it each are compared with.
constexpr const char* kTraining = R"(
from torch.nn.parallel import DistributedDataParallel
def make():
    torch.manual_seed(3)
    return torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.Tanh(), torch.nn.Linear(16, 4))
def train(model, inputs, targets, device):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(4):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(inputs.to(device)), targets.to(device)).backward()
        optimizer.step()
    return [one.detach().cpu() for one in model.parameters()]
torch.manual_seed(5)
inputs, targets = torch.randn(8, 6), torch.randn(8, 4)
alone = train(make(), inputs, targets, "cpu")
dist.init_process_group(backend, **place)
share = slice(rank * 8 // size, (rank + 1) * 8 // size)
for options in (dict(), dict(bucket_cap_mb=0.0001), dict(gradient_as_bucket_view=True), dict(static_graph=True),
                dict(find_unused_parameters=True)):
    model = DistributedDataParallel(make().to("cuda"), **options)
    together = train(model, inputs[share], targets[share], "cuda")
    print(all(torch.allclose(a, b, atol=1e-6) for a, b in zip(alone, together)),
          all(one.grad.is_cuda for one in model.parameters()))
model = DistributedDataParallel(make().to("cuda"), device_ids=[0])
print(model.device_ids, model.device_type, model(inputs[share]).is_cuda)
)";

TEST(GpuGroup, DistributedDataParallelIsOneProcessWithTheWholeBatch) {
  const std::string expected = "True True\nTrue True\nTrue True\nTrue True\nTrue True\n[0] cuda True\n";
  expect_all(2, std::string("backend = 'nccl'\n") + kTraining, expected);
  // Buckets of GPUs go by the CPU where a group reaches no GPU; one rank runs the same path.
  expect_all(2, std::string("backend = 'gloo'\n") + kTraining, expected);
  expect_all(1, std::string("backend = 'nccl'\n") + kTraining, expected);
}

TEST(GpuGroup, ARankThatDoesNotComeIsNamedWhenTheTimeIsOver) {
  const std::vector<std::string> printed = run_ranks(2, R"(
import time
dist.init_process_group("nccl", timeout=timedelta(seconds=1), **place)
x = torch.ones(2, device="cuda"); dist.all_reduce(x); print(x.tolist())
if rank == 0:
    try:
        dist.all_reduce(x)
        print("?")
    except RuntimeError as error:
        print(error)
    try:
        x.tolist()
    except RuntimeError as error:
        print("no result:", "failed on rank 0" in str(error))
    try:
        dist.all_reduce(x)
    except RuntimeError as error:
        print("afterwards:", "failed on rank 0" in str(error))
else:
    time.sleep(9)
)");
  EXPECT_EQ(printed[0].find("[2.0, 2.0]\nall_reduce number 2 on GPUs failed on rank 0: it was not done within 1000 ms; "
                            "not all ranks say what they do: "),
            0U)
      << printed[0];
  EXPECT_NE(printed[0].find("rank 1"), std::string::npos) << printed[0];
  EXPECT_NE(printed[0].find("no result: True\nafterwards: True\n"), std::string::npos) << printed[0];
  EXPECT_EQ(printed[1], "[2.0, 2.0]\n");
}

TEST(GpuGroup, ARankThatLeftIsNamedLongBeforeTheTimeIsOver) {
  const std::vector<std::string> printed = run_ranks(2, R"(
import time
dist.init_process_group("nccl", timeout=timedelta(minutes=10), **place)
x = torch.ones(2, device="cuda"); dist.all_reduce(x)
if rank == 0:
    begin = time.time()
    try:
        dist.all_reduce(x)
        print("?")
    except RuntimeError as error:
        print(error)
    print(time.time() - begin < 60)
)");
  EXPECT_EQ(printed[0].find("all_reduce number 2 on GPUs failed on rank 0: rank 1: it left"), 0U) << printed[0];
  EXPECT_NE(printed[0].find("\nTrue\n"), std::string::npos) << printed[0];
}

}  // namespace
}  // namespace nns::tests
