// Steps of optimisers and clipping of gradients on the GPU against the CPU.
#include "core/optim/step_work.h"

#include "tests/cuda/program_fixture.h"

namespace nns::tests {
namespace {

struct NoOptions {};
struct NoScalars {};

TEST(StepWork, FindsTheParameterOfEachBlock) {
  optim::StepWork<NoOptions, NoScalars> work;
  for (const std::int64_t count : {1, 4096, 0, 4097, 3, 40000}) work.add({}, count, {});
  EXPECT_EQ(work.lanes, 5U);
  EXPECT_EQ(work.blocks, 1U + 1U + 2U + 1U + 10U);
  const std::vector<std::uint32_t> expected = {0, 1, 2, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
  for (std::uint32_t block = 0; block < work.blocks; ++block) EXPECT_EQ(work.lane_of(block), expected[block]);
}

using CudaSteps = CudaProgramFixture;

constexpr const char* kParameters = R"(
from torch import nn

def parameters(dtype, seed):
    torch.manual_seed(seed)
    def drawn(*shape):
        return torch.randn(shape).to(dtype)
    whole = drawn(3, 5, 4)
    # Odd sizes, none at all, a transposed one, one that is not aligned to four items.
    return [drawn(7), drawn(4099), drawn(0, 3), drawn(), drawn(6, 10).t(), drawn(33)[1:], whole.transpose(0, 1), drawn(64, 32)]

def stepped(device, dtype, name, options, steps=3):
    params = []
    for one in parameters(dtype, 0):
        params.append(one.to(device).requires_grad_())
    # A parameter that lies with gaps, and a gradient that lies otherwise than its parameter.
    gaps = torch.zeros(4, 6).to(dtype).to(device)[:, ::2]
    params.append(gaps.requires_grad_())
    optimizer = getattr(torch.optim, name)(params, **options)
    for step in range(steps):
        grads = parameters(dtype, step + 1) + [torch.full((4, 3), 0.5).to(dtype)]
        for i, (param, grad) in enumerate(zip(params, grads)):
            param.grad = grad.to(device).contiguous() if i == 4 else grad.to(device)
        params[3].grad = None if step == 1 else params[3].grad
        optimizer.step()
    state = [value for param in params for key, value in optimizer.state[param].items() if torch.is_tensor(value) and key not in ("step", "mu_product", "eta", "mu")]
    assert all(one.device.type == device for one in params + state)
    return [one.detach().cpu() for one in params + state]

def differences(name, options, dtype, exact, tolerance, steps=3):
    here, there = stepped("cpu", exact, name, options, steps), stepped("cuda", dtype, name, options, steps)
    return [i for i, (a, b) in enumerate(zip(here, there)) if not torch.allclose(a.to(exact), b.to(exact), rtol=tolerance, atol=tolerance)]
)";

TEST_F(CudaSteps, GiveWhatTheCpuGives) {
  EXPECT_EQ(printed_on_gpu(std::string(kParameters) + R"(
rows = [("SGD", dict(lr=0.1)), ("SGD", dict(lr=0.1, weight_decay=0.1, maximize=True)),
        ("SGD", dict(lr=0.1, momentum=0.9)), ("SGD", dict(lr=0.1, momentum=0.9, dampening=0.3, weight_decay=0.1)),
        ("SGD", dict(lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01)),
        ("Adam", dict(lr=0.01)), ("Adam", dict(lr=0.01, weight_decay=0.1, amsgrad=True, betas=(0.3, 0.9))),
        ("AdamW", dict(lr=0.01)), ("AdamW", dict(lr=0.01, weight_decay=0.3, amsgrad=True, maximize=True)),
        ("RMSprop", dict(lr=0.01)), ("RMSprop", dict(lr=0.01, alpha=0.6, momentum=0.9, weight_decay=0.1)), ("RMSprop", dict(lr=0.01, centered=True, maximize=True)),
        ("Adagrad", dict(lr=0.1, lr_decay=0.1, weight_decay=0.1, initial_accumulator_value=0.3)), ("Adadelta", dict(lr=0.5)),
        ("Adadelta", dict(lr=0.5, weight_decay=0.1, maximize=True)), ("Adamax", dict(lr=0.01)), ("Adamax", dict(lr=0.01, weight_decay=0.1)),
        ("ASGD", dict(lr=0.1)), ("ASGD", dict(lr=0.1, lambd=0.1, t0=1, weight_decay=0.1)), ("NAdam", dict(lr=0.01, weight_decay=0.1)),
        ("NAdam", dict(lr=0.01, weight_decay=0.1, decoupled_weight_decay=True)), ("RAdam", dict(lr=0.01, weight_decay=0.1)),
        ("RAdam", dict(lr=0.01, weight_decay=0.1, decoupled_weight_decay=True)), ("Rprop", dict(lr=0.01))]
dtypes = [(torch.float32, torch.float64, 1e-5), (torch.float64, torch.float64, 1e-12),
          (torch.bfloat16, torch.bfloat16, 0.03), (torch.float16, torch.float16, 0.03), (torch.complex64, torch.complex128, 1e-5)]
for name, options in rows:
    for dtype, exact, tolerance in dtypes:
        # What 16 bits round to nothing is no matter of the step.
        eps = dict(eps=0.1) if dtype.itemsize == 2 and name not in ("SGD", "ASGD", "Rprop") else {}
        # RAdam knows its variance from the sixth step on.
        found = differences(name, dict(options, **eps), dtype, exact, tolerance, 7 if name == "RAdam" else 3)
        if found:
            print(name, options, dtype, found)
)"),
            "on the CPU: []\n");
}

TEST_F(CudaSteps, TakeMoreParametersThanALaunchDoes) {
  EXPECT_EQ(printed_on_gpu(R"(
def stepped(device):
    torch.manual_seed(0)
    params = [torch.randn(1 + i % 5).to(device).requires_grad_() for i in range(500)]
    optimizer = torch.optim.AdamW(params, lr=0.1)
    for _ in range(2):
        for param in params:
            param.grad = torch.randn(param.shape).to(device)
        optimizer.step()
    return torch.cat([one.detach().cpu() for one in params])
print(torch.allclose(stepped("cpu"), stepped("cuda"), rtol=1e-5, atol=1e-6))
)"),
            "True\non the CPU: []\n");
}

TEST_F(CudaSteps, GoOnFromAStateThatWasSaved) {
  EXPECT_EQ(printed_on_gpu(R"(
def stepped(device, resumes):
    torch.manual_seed(0)
    param = torch.randn(37).to(device).requires_grad_()
    optimizer = torch.optim.Adam([param], lr=0.1)
    for step in range(4):
        if step == 2 and resumes:
            state = optimizer.state_dict()
            optimizer = torch.optim.Adam([param], lr=0.1)
            optimizer.load_state_dict(state)
        param.grad = torch.randn(37).to(device)
        optimizer.step()
    return param.detach().cpu()
print(torch.equal(stepped("cuda", True), stepped("cuda", False)), torch.allclose(stepped("cpu", True), stepped("cuda", True), rtol=1e-5, atol=1e-6))
)"),
            "True True\non the CPU: []\n");
}

TEST_F(CudaSteps, GradientsAreClippedAsOnTheCpu) {
  EXPECT_EQ(printed_on_gpu(R"(
from torch.nn.utils import clip_grad_norm_, clip_grad_value_, get_total_norm

def clipped(device, dtype, clip):
    torch.manual_seed(0)
    params = [torch.zeros(shape).to(dtype).to(device).requires_grad_() for shape in [(7,), (0, 3), (), (5, 9), (8195,), (3,)]]
    for param in params:
        param.grad = (torch.randn(param.shape) * 3).to(dtype).to(device)
    given = clip(params)
    assert given is None or given.device.type == device
    return [torch.zeros(()) if given is None else given.cpu().double()] + [one.grad.cpu().double() for one in params]

calls = dict(two=lambda p: clip_grad_norm_(p, 1.5), one=lambda p: clip_grad_norm_(p, 1.5, norm_type=1),
             three=lambda p: clip_grad_norm_(p, 1.5, norm_type=3.0), infinity=lambda p: clip_grad_norm_(p, 0.5, norm_type="inf"),
             wide=lambda p: clip_grad_norm_(p, 1e6), value=lambda p: clip_grad_value_(p, 0.7),
             norm=lambda p: get_total_norm([one.grad for one in p]))
for name, clip in calls.items():
    # The CPU adds 16-bit norms up in 16 bits.
    for dtype, tolerance in [(torch.float32, 1e-5), (torch.float64, 1e-9), (torch.bfloat16, 0.03), (torch.float16, 0.01)]:
        if name == "infinity":
            def clip(p):
                filled = [one for one in p if one.numel() > 0]
                return clip_grad_norm_(filled, 0.5, norm_type="inf")
        exact = torch.float64 if dtype == torch.float32 else dtype
        for i, (a, b) in enumerate(zip(clipped("cpu", exact, clip), clipped("cuda", dtype, clip))):
            if not torch.allclose(a, b, rtol=tolerance, atol=tolerance):
                print(name, dtype, i)

# More than a launch takes.
def many(device):
    params = [torch.zeros(3).to(device).requires_grad_() for _ in range(300)]
    for i, param in enumerate(params):
        param.grad = torch.full((3,), float(i)).to(device)
    norm = clip_grad_norm_(params, 1.0)
    return torch.cat([norm.cpu()[None]] + [one.grad.cpu() for one in params])
print(torch.allclose(many("cpu"), many("cuda"), rtol=1e-5, atol=1e-6))

bad = torch.ones(3, device="cuda", requires_grad=True)
bad.grad = torch.tensor([1.0, float("nan"), 2.0]).cuda()
print(clip_grad_norm_([bad], 1.0), clip_grad_norm_([bad], 1.0, norm_type="inf"))
try:
    clip_grad_norm_([bad], 1.0, error_if_nonfinite=True)
except RuntimeError as error:
    print("non-finite" in str(error))
)"),
            "True\ntensor(nan, device='cuda:0') tensor(nan, device='cuda:0')\nTrue\non the CPU: []\n");
}

}  // namespace
}  // namespace nns::tests
