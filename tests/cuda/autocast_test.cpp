// Autocast on a GPU, where kernels take what torch would cast.
#include "tests/cuda/program_fixture.h"

namespace nns::tests {
namespace {

using CudaAutocast = CudaProgramFixture;

TEST_F(CudaAutocast, LossesOf16BitScoresAreFloat32) {
  EXPECT_EQ(printed_on_gpu(R"(
import torch
from torch.nn import functional as F

torch.manual_seed(0)
for dtype in (torch.bfloat16, torch.float16):
    for shape in ((6, 11), (3, 70), (2, 5, 4)):
        scores = (3 * torch.randn(shape)).to(dtype)
        target = torch.randint(0, shape[1], (shape[0], *shape[2:]))
        target.view(-1)[0] = -100
        for reduction in ("mean", "sum", "none"):
            for smoothing in (0.0, 0.1):
                made = []
                for device in ("cpu", "cuda"):
                    x = scores.detach().clone().to(device).requires_grad_()
                    with torch.autocast(device, dtype=dtype):
                        loss = F.cross_entropy(x, target.to(device), reduction=reduction, label_smoothing=smoothing)
                    loss.sum().backward()
                    made.append((loss.dtype, loss.detach().cpu(), x.grad.dtype, x.grad.cpu()))
                (a, loss, b, grad), (c, on_gpu, d, grad_on_gpu) = made
                if not (a == c == torch.float32 and b == d == dtype and torch.allclose(loss, on_gpu, rtol=1e-5, atol=1e-6)
                        and torch.allclose(grad.float(), grad_on_gpu.float(), rtol=0.01, atol=1e-5)):
                    print(dtype, shape, reduction, smoothing, made)
weight = torch.rand(5, device="cuda")
x = torch.randn(4, 5, device="cuda", dtype=torch.bfloat16)
with torch.autocast("cuda"):
    print(F.cross_entropy(x, torch.tensor([0, 1, 2, 3], device="cuda"), weight).dtype, F.cross_entropy(x, torch.softmax(x, 1)).dtype)
print(F.cross_entropy(x, torch.tensor([0, 1, 2, 3], device="cuda")).dtype, "without it")
)"),
            "torch.float32 torch.float32\ntorch.bfloat16 without it\non the CPU: []\n");
}

}  // namespace
}  // namespace nns::tests
