"""torch.autocast and torch.amp.GradScaler on the CPU."""
import copy
import warnings

import torch
import torch.nn.functional as F
from torch import nn

warnings.simplefilter("always")
torch.manual_seed(0)


def told(label, *tensors):
    print(label, *[t.dtype if isinstance(t, torch.Tensor) else t for t in tensors])


def raises(label, call):
    try:
        call()
    except Exception as error:
        print(label, f"{type(error).__name__}: {error}")


print(torch.autocast, torch.amp.autocast is torch.autocast, torch.GradScaler is torch.amp.GradScaler)
print(torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"), torch.get_autocast_dtype("cuda"),
      torch.is_autocast_cache_enabled(), torch.is_autocast_enabled())

x, y, w = torch.randn(4, 4), torch.randn(4, 4), torch.randn(4, 4, requires_grad=True)
with torch.autocast("cpu") as region:
    told("inside", torch.is_autocast_enabled("cpu"), torch.is_autocast_cpu_enabled(), region.fast_dtype)
    told("products", x @ y, torch.mm(x, y), torch.bmm(x[None], y[None]), torch.addmm(x, x, y), F.linear(x, w),
         torch.einsum("ij,jk->ik", x, y), torch.baddbmm(x[None], x[None], y[None]))
    told("conv", F.conv2d(torch.randn(1, 1, 4, 4), torch.randn(1, 1, 3, 3)), F.prelu(x, torch.tensor([0.1])),
         F.scaled_dot_product_attention(x[None], y[None], y[None]))
    low = x @ y
    told("as they come", low + low, low + x, F.relu(low), low.softmax(0), low.sum(), torch.exp(low), F.gelu(low),
         F.layer_norm(low, (4,)), F.max_pool2d(low[None], 2))
    told("float32", F.mse_loss(low, x), F.l1_loss(low, low), F.cross_entropy(low, torch.tensor([0, 1, 2, 3])),
         F.nll_loss(low, torch.tensor([0, 1, 2, 3])), low.prod(), torch.trace(low), F.kl_div(low, low),
         F.binary_cross_entropy_with_logits(low, x.sigmoid()), torch.cdist(low, low), F.smooth_l1_loss(low, low),
         F.pad(low[None], (1, 1), mode="reflect"), F.huber_loss(low, low))
    told("widest", torch.cat([low, x]), torch.cat([low, low]), torch.stack([low, x]))
    told("others", x.double() @ y.double(), torch.ones(2, 2, dtype=torch.int64) @ torch.ones(2, 2, dtype=torch.int64),
         x + y, x.mean())
    with torch.autocast("cpu", enabled=False):
        told("not here", x @ y, torch.is_autocast_enabled("cpu"))
    with torch.autocast("cpu", dtype=torch.float16):
        told("half", x @ y, torch.get_autocast_dtype("cpu"))
        raises("mixed", lambda: torch.cat([low, x.half()]))
    told("again", x @ y)
told("outside", x @ y, torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"))
print(torch.equal(low, x.bfloat16() @ y.bfloat16()))

# A parameter is cast once in a region, and the gradient comes back in its own dtype.
with torch.autocast("cpu"):
    a, b = F.linear(x, w), F.linear(y, w)
weights = [one.grad_fn.next_functions[1][0].next_functions[0][0] for one in (a, b)]
print([type(one).__name__ for one in weights], weights[0] is weights[1])
(a.float().sum() + b.float().sum()).backward()
told("gradient", w.grad)


@torch.autocast("cpu")
def decorated(x):
    return x @ x


told("decorated", decorated(x), decorated.__name__)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.lstm = nn.LSTM(4, 5, batch_first=True)
        self.layer_norm = nn.LayerNorm(5)
        self.out = nn.Linear(5, 3)

    def forward(self, x):
        told("  conv", x := self.conv(x))
        told("  norm", x := self.norm(x))
        told("  lstm", x := self.lstm(x.flatten(2).transpose(1, 2))[0])
        told("  layer norm", x := self.layer_norm(x))
        told("  out", x := self.out(x[:, -1]))
        return x


net = Net()
plain = copy.deepcopy(net)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
images, classes = torch.randn(4, 1, 6, 6), torch.tensor([0, 1, 2, 0])
with torch.autocast("cpu", dtype=torch.bfloat16):
    loss = F.cross_entropy(net(images), classes)
told("loss", loss)
loss.backward()
print({p.grad.dtype for p in net.parameters()})
import io
import contextlib
with contextlib.redirect_stdout(io.StringIO()):
    wanted = F.cross_entropy(plain(images), classes)
wanted.backward()
print(abs(loss.item() - wanted.item()) < 0.02)
print(all(torch.allclose(p.grad, q.grad, atol=0.03) for p, q in zip(net.parameters(), plain.parameters())))

# Scales.
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=2)
for step in range(4):
    optimizer.zero_grad()
    with contextlib.redirect_stdout(io.StringIO()), torch.autocast("cpu", dtype=torch.float16):
        loss = F.cross_entropy(net(images), classes)
    if step == 2:
        loss = loss * float("inf")
    scaler.scale(loss).backward()
    before = net.out.bias.detach().clone()
    scaler.unscale_(optimizer)
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    print(step, scaler.get_scale(), scaler._get_growth_tracker(), bool(torch.isfinite(norm)),
          not torch.equal(before, net.out.bias))
print(scaler.state_dict())
other = torch.amp.GradScaler("cpu")
other.load_state_dict(scaler.state_dict())
print(other.get_scale(), other.state_dict() == scaler.state_dict())
raises("twice", lambda: (scaler.scale(loss), scaler.unscale_(optimizer), scaler.unscale_(optimizer)))
raises("early", lambda: torch.amp.GradScaler("cpu").step(optimizer))
raises("growth", lambda: torch.amp.GradScaler("cpu", growth_factor=1.0))
raises("empty", lambda: other.load_state_dict({}))
print(torch.amp.GradScaler("cpu", enabled=False).state_dict())


class Square(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx, x):
        told("forward", x, torch.is_autocast_enabled("cpu"))
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, grad):
        told("backward", grad, torch.is_autocast_enabled("cpu"))
        return 2 * ctx.saved_tensors[0] * grad


with torch.autocast("cpu"):
    squared = Square.apply(F.linear(x, w))
squared.sum().backward()

# What is refused.
raises("number", lambda: torch.autocast(3))
raises("unknown", lambda: torch.autocast("meta", dtype=torch.float16))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with torch.autocast("cpu", dtype=torch.float64):
        told("float64", x @ y)
    with torch.autocast("cuda"):
        told("cuda", x @ y)
    with torch.cpu.amp.autocast():
        told("old", x @ y)
    torch.cuda.amp.GradScaler()
    for one in caught:
        print(one.category.__name__, one.message)
