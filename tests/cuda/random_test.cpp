// Random numbers of a GPU: those that PyTorch draws there.
#include <cmath>

#include "core/tensor/random_law.h"
#include "tests/cuda/op_check.h"
#include "tests/cuda/program_fixture.h"

namespace nns::tests {
namespace {

using tensor::philox_numbers;

// Source: Random123's known answers (kat_vectors), philox4x32-10.
TEST(Philox, GivesTheKnownAnswers) {
  const auto numbers = [](std::uint64_t seed, std::uint64_t sequence, std::uint64_t counter) {
    const tensor::PhiloxNumbers made = philox_numbers(seed, sequence, counter);
    return std::vector<std::uint32_t>(std::begin(made.of), std::end(made.of));
  };
  EXPECT_EQ(numbers(0, 0, 0), (std::vector<std::uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint64_t all = ~std::uint64_t{0};
  EXPECT_EQ(numbers(all, all, all), (std::vector<std::uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(numbers(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88),
            (std::vector<std::uint32_t>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(DrawPlan, MovesTheOffsetAsFarAsTorchDoes) {
  const auto used = [](std::uint64_t count, bool is_wide) { return tensor::draw_plan(count, is_wide, 1056).used; };
  EXPECT_EQ(used(1, false), 4U);
  EXPECT_EQ(used(1024, false), 4U);
  EXPECT_EQ(tensor::draw_plan(1024, false, 1056).blocks, 4U);
  EXPECT_EQ(used(1056 * 256 * 4, false), 4U) << "the numbers of one counter for each thread";
  EXPECT_EQ(used(1056 * 256 * 4 + 1, false), 8U);
  EXPECT_EQ(used(1056 * 256 * 4, true), 8U) << "numbers of 64 bits: two a counter";
}

using CudaRandom = CudaProgramFixture;

// The first numbers of torch 2.11 on an H100; of few numbers they are those of any GPU.
TEST_F(CudaRandom, AreThoseOfTorch) {
  EXPECT_EQ(printed_on_gpu(R"(
import torch
torch.manual_seed(0)
print(torch.rand(5, device="cuda"))
print(torch.randn(5, device="cuda"))
print(torch.randint(0, 100, (5,), device="cuda"))
print(torch.rand(3, device="cuda", dtype=torch.float64))
print(torch.cuda.initial_seed(), torch.cuda.get_rng_state().tolist())
)"),
            "tensor([0.3990, 0.5167, 0.0249, 0.9401, 0.9459], device='cuda:0')\n"
            "tensor([ 0.1808, -0.5523,  0.9238, -0.7350,  1.3800], device='cuda:0')\n"
            "tensor([33, 63, 84, 51, 75], device='cuda:0')\n"
            "tensor([0.4151, 0.6251, 0.9205], device='cuda:0', dtype=torch.float64)\n"
            "0 [0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0]\non the CPU: []\n");
}

TEST_F(CudaRandom, HaveGeneratorsOfTheirOwn) {
  EXPECT_EQ(printed_on_gpu(R"(
import torch
one = torch.Generator(device="cuda")
print(one.device, one.manual_seed(3).initial_seed(), one.get_offset())
first = torch.rand(4, device="cuda", generator=one)
print(one.get_offset(), torch.equal(first, torch.rand(4, device="cuda", generator=one.set_offset(0))))
state = one.get_state()
again = torch.randn(3, device="cuda", generator=one)
one.set_state(state)
print(torch.equal(again, torch.randn(3, device="cuda", generator=one)))
try:
    torch.rand(2, device="cuda", generator=torch.Generator())
except RuntimeError as error:
    print(error)
try:
    torch.rand(2, generator=one)
except RuntimeError as error:
    print(error)
torch.manual_seed(5)
here = torch.rand(3)
there = torch.rand(3, device="cuda")
torch.cuda.manual_seed(5)
print(torch.equal(there, torch.rand(3, device="cuda")), torch.equal(here, torch.rand(3)))
with torch.random.fork_rng():
    inside = torch.rand(3, device="cuda")
print(torch.equal(inside, torch.rand(3, device="cuda")))
)"),
            "cuda:0 3 0\n4 True\nTrue\nExpected a 'cuda' device type for generator but found 'cpu'\n"
            "Expected a 'cpu' device type for generator but found 'cuda'\nTrue False\nTrue\non the CPU: []\n");
}

TEST_F(CudaRandom, FollowTheirLaws) {
  EXPECT_EQ(printed_on_gpu(R"(
import torch
torch.manual_seed(1)
def near(found, wanted, within):
    return abs(float(found) - wanted) < within
for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
    u = torch.empty(20000, device="cuda", dtype=dtype).uniform_(-2, 4).float()
    n = torch.empty(20000, device="cuda", dtype=dtype).normal_(3, 2).float()
    e = torch.empty(20000, device="cuda", dtype=dtype).exponential_(2).float()
    b = torch.empty(20000, device="cuda", dtype=dtype).bernoulli_(0.3).float()
    print(near(u.mean(), 1, 0.06), near(u.std(), 3 ** 0.5, 0.05), float(u.min()) >= -2 and float(u.max()) < 4 + (dtype == torch.bfloat16) * 1e-9,
          near(n.mean(), 3, 0.06), near(n.std(), 2, 0.05), near(e.mean(), 0.5, 0.02), float(e.min()) > 0, near(b.mean(), 0.3, 0.02))
i = torch.randint(-5, 7, (20000,), device="cuda")
print(int(i.min()), int(i.max()), near(i.float().mean(), 0.5, 0.1))
wide = torch.empty(20000, device="cuda", dtype=torch.int64).random_()
print(int(wide.min()) >= 0, int(wide.max()) > 2 ** 62)
p = torch.tensor([0.0, 1.0, 0.5], device="cuda").expand(5000, 3)
print([near(one, wanted, 0.03) for one, wanted in zip(torch.bernoulli(p).mean(0), (0, 1, 0.5))])
print(torch.randperm(1000, device="cuda").sort().values.equal(torch.arange(1000, device="cuda")))
counts = torch.bincount(torch.multinomial(torch.tensor([1.0, 0.0, 3.0], device="cuda"), 8000, replacement=True).cpu(), minlength=3)
print(int(counts[1]), near(counts[2] / 8000, 0.75, 0.03), torch.multinomial(torch.tensor([0.0, 2.0, 0.0], device="cuda"), 1))
nan, inf = float("nan"), float("inf")
for what in (lambda: torch.bernoulli(torch.tensor([0.5, 1.5], device="cuda")), lambda: torch.bernoulli(torch.tensor([nan, 0.5], device="cuda")),
             lambda: torch.multinomial(torch.tensor([1.0, inf], device="cuda"), 1), lambda: torch.multinomial(torch.tensor([1.0, -1.0], device="cuda"), 1)):
    try:
        what()
    except RuntimeError as error:
        print(str(error)[:40])
columns = torch.empty(6, 4, device="cuda").t()
torch.manual_seed(2)
columns.uniform_()
torch.manual_seed(2)
print(torch.equal(columns.t(), torch.rand(6, 4, device="cuda")), "as they lie in memory")
)"),
            "True True True True True True True True\nTrue True True True True True True True\n"
            "True True True True True True True True\nTrue True True True True True True True\n"
            "-5 6 True\nTrue True\n[True, True, True]\nTrue\n0 True tensor([1], device='cuda:0')\n"
            "Expected p_in >= 0 && p_in <= 1 to be tr\nExpected p_in >= 0 && p_in <= 1 to be tr\n"
            "probability tensor contains either `inf`\nprobability tensor contains either `inf`\n"
            "True as they lie in memory\non the CPU: []\n");
}

TEST_F(CudaRandom, DecideWhatDropoutKeeps) {
  EXPECT_EQ(printed_on_gpu(R"(
import torch
from torch.nn import functional as F
torch.manual_seed(0)
for count in (20000, 20002, 20001):
    x = torch.ones(count, device="cuda", requires_grad=True)
    y = F.dropout(x, 0.25)
    y.sum().backward()
    kept = y != 0
    print(y.grad_fn.name(), abs(float(kept.float().mean()) - 0.75) < 0.02, torch.equal(y.detach(), kept / 0.75), torch.equal(x.grad, y.detach()))
out, mask = torch.native_dropout(torch.ones(8, device="cuda"), 0.5, True)
print(mask.dtype, torch.equal(out, mask * 2.0), torch.native_dropout(out, 1.0, True)[0].sum().item(), torch.native_dropout(out, 0.5, False)[1].all().item())
here, kept = torch.native_dropout(torch.ones(1000), 0.5, True)
print(torch.equal(here, kept * 2.0), 400 < int(kept.sum()) < 600)
)"),
            "NativeDropoutBackward0 True True True\nNativeDropoutBackward0 True True True\nNativeDropoutBackward0 True "
            "True True\n"
            "torch.bool True 0.0 True\nTrue True\non the CPU: []\n");
}

}  // namespace
}  // namespace nns::tests
