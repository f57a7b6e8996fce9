# fully_shard() with what programs do besides: a mesh of two dimensions, frozen and unused parameters, several modules in
# one group, prefetching, forwards without a backward, gradients that are summed first, other dtypes.
# Each against one process with the whole batch; four ranks.
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard, register_fsdp_forward_method

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
x = torch.randn(4 * size, 6, generator=torch.Generator().manual_seed(3)).double()
part = x[4 * rank:4 * rank + 4]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = nn.Linear(6, 10), nn.Linear(10, 10), nn.Linear(10, 5)
        self.unused = nn.Linear(3, 3)

    def forward(self, x):
        # The second runs twice.
        return self.third(torch.tanh(self.second(torch.tanh(self.second(torch.tanh(self.first(x)))))))

    def encode(self, x):
        return self.first(x)


def compare(name, shard, steps=3, freeze=False, train=None):
    torch.manual_seed(7)
    alone = Net().double()
    torch.manual_seed(7)
    net = Net().double()
    if freeze:
        for model in (alone, net):
            model.first.requires_grad_(False)
    shard(net)
    opts = [torch.optim.AdamW([p for p in m.parameters() if p.requires_grad], lr=0.05) for m in (alone, net)]
    far = 0.0
    for step in range(steps):
        for opt in opts:
            opt.zero_grad()
        (train or (lambda m, x: m(x).square().mean().backward()))(alone, x)
        (train or (lambda m, x: m(x).square().mean().backward()))(net, part)
        for opt in opts:
            opt.step()
        for (key, p), q in zip(alone.named_parameters(), net.parameters()):
            assert (p.grad is None) == (q.grad is None), (name, key, p.grad is None)
            far = max(far, (p - q.full_tensor()).abs().max().item())
    with torch.no_grad():
        far = max(far, (alone(x) - net(x)).abs().max().item())
    print(name, far < 1e-10)


def each(net, **options):
    for one in (net.first, net.second, net.third):
        fully_shard(one, **options)
    fully_shard(net, **options)


def ahead(net):
    each(net)
    net.first.set_modules_to_forward_prefetch([net.second, net.third])
    net.third.set_modules_to_backward_prefetch([net.second])


def together(net):
    fully_shard([net.first, net.third])
    fully_shard(net)


def in_parts(model, x):
    half = len(x) // 2
    if hasattr(model, "set_requires_gradient_sync"):
        model.set_requires_gradient_sync(False)
    # The halves of the parts of all ranks are as many.
    model(x[:half]).square().mean().div(2).backward()
    if hasattr(model, "set_requires_gradient_sync"):
        model.set_requires_gradient_sync(True)
    model(x[half:]).square().mean().div(2).backward()


def looks_first(model, x):
    model(x)
    with torch.no_grad():
        model(x)
    model(x).square().mean().backward()


compare("nested", each)
compare("keeps", lambda net: each(net, reshard_after_forward=False))
compare("root only", fully_shard)
compare("replicated", lambda net: each(net, mesh=init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))))
compare("frozen", each, freeze=True)
compare("prefetch", ahead)
compare("one group", together)
compare("summed", each, train=in_parts)
compare("looked at", each, train=looks_first)

net = Net()
each(net)
register_fsdp_forward_method(net, "encode")
print("encode", tuple(net.encode(part.float()).shape), type(net.first.weight).__name__)
try:
    net(part)
except RuntimeError as e:
    print("raised", net(part.float()).shape == (4, 5))
# A backward that fails: the next step is as if it had not been.
torch.manual_seed(7)
alone, net = Net().double(), Net().double()
net.load_state_dict(alone.state_dict())
dist.barrier()
each(net)


def fail(gradient):
    raise ValueError("in backward")


handle = net.second.register_forward_hook(lambda m, i, o: o.register_hook(fail) and None)
try:
    net(part).square().mean().backward()
except ValueError as e:
    print("raised", e)
handle.remove()
net.zero_grad()
net(part).square().mean().backward()
alone(x).square().mean().backward()
print("again", all(torch.allclose(p.grad, q.grad.full_tensor()) for p, q in zip(alone.parameters(), net.parameters())
                   if p.grad is not None))
weight = net.first.weight
print(weight in list(net.parameters()), torch.equal(weight.data.norm().full_tensor(), weight.full_tensor().norm()))

# Made without memory, sharded, and only then filled.
with torch.device("meta"):
    late = nn.Sequential(nn.Linear(6, 10), nn.Linear(10, 5))
for one in (*late, late):
    fully_shard(one)
late.to_empty(device="cpu")
for one in late:
    one.reset_parameters()
print("late", late(part.float()).isfinite().all().item(), tuple(late[0].weight.shape))

# The root keeps its own parameters from forward to backward.
with torch.no_grad():
    net(part)
print(type(net.unused.weight).__name__)
net.reshard()
norms = [nn.utils.get_total_norm([p.detach() for p in net.parameters()], order).item()
         for order in (2.0, 1.0, float("inf"))]
wholes = [p.full_tensor() for p in net.parameters()]
expected = [nn.utils.get_total_norm(wholes, order).item() for order in (2.0, 1.0, float("inf"))]
print("norms", all(abs(a - b) < 1e-4 for a, b in zip(norms, expected)))
