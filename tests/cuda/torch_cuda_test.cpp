// torch.cuda as a program sees it where there is a GPU.
#include "core/tensor/gpu_choice.h"
#include "tests/cuda/program_fixture.h"

namespace nns::tests {
namespace {

using TorchCuda = CudaProgramFixture;

// GPUs that a program finds and opens when it uses them.
class OfferedGpus : public testing::Test {
 protected:
  void SetUp() override {
    cuda::offer_gpus();
    count = tensor::gpu_count(in);
    if (count == 0) GTEST_SKIP() << "no GPU";
  }
  void TearDown() override { tensor::offer_gpus(nullptr); }
  object::Interpreter in;
  int count = 0;
};

TEST_F(OfferedGpus, AreOpenedWhenTheyAreUsed) {
  EXPECT_EQ(printed_by(in, R"(
print(torch.cuda.is_available(), torch.cuda.is_initialized(), torch.cuda.current_device())
print(torch.cuda.get_device_properties(0).total_memory > 0, torch.cuda.memory_allocated(), torch.cuda.is_initialized())
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(device, torch.cuda.is_initialized())
x = torch.ones(2, 3, device=device)
print((x @ x.T).tolist(), x.device, torch.cuda.is_initialized(), torch.cuda.memory_allocated() > 0)
try:
    torch.ones(2, device="cuda:100")
except torch.AcceleratorError as error:
    print(error)
)"),
            "True False 0\nTrue 0 False\ncuda False\n[[3.0, 3.0], [3.0, 3.0]] cuda:0 True True\n"
            "CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough GPUs?\n");
}

TEST_F(OfferedGpus, AProcessUsesTheOneThatItChooses) {
  if (count < 2) GTEST_SKIP() << "one GPU only";
  EXPECT_EQ(
      printed_by(in, R"(
torch.cuda.set_device(1)
print(torch.cuda.current_device(), torch.cuda.is_initialized())
x = torch.ones(3, device="cuda") * 2
print(x, x.device, x.device.index, x.get_device(), repr(x.device))
print(torch.ones(1).to("cuda:1").device, torch.ones(1).cuda(1).device, torch.zeros(1, device=1).device)
try:
    torch.ones(1, device="cuda:0")
except RuntimeError as error:
    print(error)
)"),
      "1 False\ntensor([2., 2., 2.], device='cuda:1') cuda:1 1 1 device(type='cuda', index=1)\ncuda:1 cuda:1 "
      "cuda:1\ncuda:0 cannot be used: this process computes on cuda:1, and nnscope uses one GPU a process; start a "
      "process for each (nnscope run --nproc N)\n");
}

TEST_F(TorchCuda, TellsOfTheGpu) {
  EXPECT_EQ(printed(R"(
print(torch.cuda.is_available(), torch.cuda.device_count(), torch.cuda.current_device(), torch.cuda.is_initialized())
properties = torch.cuda.get_device_properties(0)
print(properties.name == torch.cuda.get_device_name(), properties.total_memory > 0, properties.multi_processor_count > 0)
print(torch.cuda.get_device_capability() >= (8, 0), torch.cuda.is_bf16_supported())
print(torch.accelerator.current_accelerator().type, torch.accelerator.device_count(), torch.get_device_module().__name__)
free, total = torch.cuda.mem_get_info()
print(0 < free <= total)
with torch.cuda.device(0), torch.cuda.stream(torch.cuda.Stream()):
    torch.cuda.synchronize()
try:
    torch.cuda.set_device(1)
except torch.AcceleratorError as error:
    print(error)
)"),
            "True 1 0 True\nTrue True True\nTrue True\ncuda 1 torch.cuda\nTrue\n"
            "CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough GPUs?\n");
}

TEST_F(TorchCuda, TellsOfCudnn) {
  EXPECT_EQ(printed(R"(
from torch.backends import cudnn
print(cudnn.is_available() == (cudnn.version() is not None), (cudnn.version() or 90000) // 10000)
print(cudnn.is_available() == cudnn.is_acceptable(torch.ones(1, device="cuda")), cudnn.is_acceptable(torch.ones(1, device="cuda", dtype=torch.int)))
print(cudnn.benchmark_limit == (10 if cudnn.is_available() else None))
)"),
            "True 9\nTrue False\nTrue\n");
}

// What has no kernel is computed by the CPU, with the same results, and is told of once.
TEST_F(TorchCuda, OpsWithoutAKernelGiveWhatTheCpuGives) {
  EXPECT_EQ(printed(R"(
import warnings
from torch import nn
from torch.nn import functional as F
warnings.simplefilter("ignore")

def same(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and torch.allclose(a.cpu(), b.cpu(), atol=1e-4, equal_nan=True)

torch.backends.cudnn.allow_tf32 = False
def train(device):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                          nn.Linear(64, 3)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    torch.manual_seed(1)
    losses = []
    for _ in range(3):
        x, y = torch.randn(5, 2, 8, 8), torch.randint(3, (5,))
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x.to(device)), y.to(device))
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return [torch.stack(losses), *model.state_dict().values()]

print(all(same(a, b) for a, b in zip(train("cpu"), train("cuda"))))

torch.manual_seed(2)
x, index = torch.randn(4, 6), torch.tensor([[0, 1, 2], [3, 2, 1]])
def with_target(device):
    y = torch.zeros(4, 6, device=device)
    y.scatter_(0, index.to(device), x[:2, :3].to(device))
    y.t()[1:3].cumsum_(1)
    y[y > 0.5] = 7
    return y
calls = dict(cumsum=lambda t: t.cumsum(1), cummax=lambda t: t.cummax(1).indices, sort=lambda t: t.sort(0).values, topk=lambda t: t.topk(2).indices,
             nonzero=lambda t: (t > 0).nonzero(), unique=lambda t: t.round().unique(), gather=lambda t: t.gather(0, index.to(t.device)),
             complex=lambda t: (torch.complex(t, t) * 2).abs(), pool=lambda t: F.avg_pool1d(t[None], 2),
             attention=lambda t: F.scaled_dot_product_attention(t[None], t[None], t[None]),
             dimensions=lambda t: t.reshape(2, 2, 1, 2, 3, 1, 1, 1, 1).expand(2, 2, 2, 2, 3, 2, 2, 2, 2).permute(8, 0, 7, 1, 6, 2, 5, 3, 4) + 1,
             flip=lambda t: t.flip(0), tril=lambda t: t.tril(), einsum=lambda t: torch.einsum("ij,kj->ik", t, t),
             complex_sum=lambda t: torch.complex(t, t).sum(0).real, converted=lambda t: torch.complex(t, t).to(torch.complex128).abs(),
             one_hot=lambda t: F.one_hot(index.to(t.device)), bincount=lambda t: torch.bincount(index.flatten().to(t.device)),
             repeat=lambda t: t.repeat_interleave(2, 0), places=lambda t: torch.repeat_interleave(index[0].to(t.device)),
             combinations=lambda t: torch.combinations(t[0]), new=lambda t: t.new(2, 3) * 0)
print([name for name, call in calls.items() if not (call(x.cuda()).is_cuda and same(call(x), call(x.cuda())))])
print(same(with_target("cpu"), with_target("cuda")))
a = x.cuda().requires_grad_()
a.cumsum(0).square().sum().backward()
b = x.clone().requires_grad_()
b.cumsum(0).square().sum().backward()
print(same(a.grad, b.grad), a.grad.is_cuda)
)"),
            "True\n[]\nTrue\nTrue True\n");
}

TEST_F(TorchCuda, AFallbackIsToldOfOnce) {
  EXPECT_EQ(printed(R"(
import warnings
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    for _ in range(3):
        torch.ones(3, device="cuda").lgamma()
print(len(told), told[0].message)
)"),
            "1 lgamma has no kernel for CUDA in nnscope yet: it runs on the CPU, and what it needs is copied there and "
            "back each time\n");
}

TEST_F(TorchCuda, CountsMemory) {
  EXPECT_EQ(printed(R"(
before = torch.cuda.memory_allocated()
x = torch.zeros(1000, device="cuda")
print(torch.cuda.memory_allocated() - before, torch.cuda.memory_reserved() > 0)
del x
print(torch.cuda.memory_allocated() - before, torch.cuda.max_memory_allocated() - before >= 4096)
torch.cuda.reset_peak_memory_stats()
print(torch.cuda.max_memory_allocated() == torch.cuda.memory_allocated())
kept = torch.cuda.memory_reserved()
torch.cuda.empty_cache()
print(torch.cuda.memory_reserved() < kept, "allocation.all.allocated" in torch.cuda.memory_stats())
)"),
            "4096 True\n0 True\nTrue\nTrue True\n");
}

TEST_F(TorchCuda, EventsMeasureTime) {
  EXPECT_EQ(printed(R"(
start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
start.record()
torch.ones(1000, device="cuda") * 2
end.record()
end.synchronize()
print(start.elapsed_time(end) >= 0, end.query())
try:
    start.elapsed_time(torch.cuda.Event())
except ValueError as error:
    print(error)
)"),
            "True True\nBoth events must be created with argument 'enable_timing=True'.\n");
}

}  // namespace
}  // namespace nns::tests
