"""Gradients of layout torch.sparse_coo: of embeddings, added up, in optimisers, and where they are refused."""
import torch
import torch.nn.functional as F
from torch import nn


def refused(make):
    try:
        print("gave", make())
    except Exception as error:
        # The list of backends behind the first sentence differs from build to build.
        print(type(error).__name__, str(error).split(". This")[0].split(" This could")[0])


def table(rows=5, width=2, **options):
    net = nn.Embedding(rows, width, sparse=True, **options)
    with torch.no_grad():
        net.weight.copy_(torch.arange(rows * width, dtype=torch.float32).view(rows, width))
    return net


# What an embedding gives.
net = table()
net(torch.tensor([3, 1, 3])).sum().backward()
grad = net.weight.grad
print(grad)
print(grad.is_sparse, grad.layout, grad.shape, grad.dtype, grad.device, grad._nnz(), grad.is_coalesced(), grad.is_leaf)
print(grad._indices(), grad._values(), grad.requires_grad)
print(grad.coalesce())
print(grad.to_dense())
(net(torch.tensor([[0, 3]])) * 2).sum().backward()
print(net.weight.grad is grad, net.weight.grad)
net.weight.grad.zero_()
print(net.weight.grad)
net.zero_grad()
print(net.weight.grad)
net(torch.tensor([2])).sum().backward()
net.zero_grad(set_to_none=False)
print(net.weight.grad._nnz(), net.weight.grad.shape)

# Sparse and dense ones together.
net = table()
(net(torch.tensor([1, 1])).sum() + net.weight.sum()).backward()
print(net.weight.grad.is_sparse, net.weight.grad)
net = table()
net.weight.sum().backward()
net(torch.tensor([4])).sum().backward()
print(net.weight.grad)
net = table()
net(torch.tensor([4])).sum().backward()
net.weight.sum().backward()
print(net.weight.grad.is_sparse, net.weight.grad)
both = table()
(both(torch.tensor([1])) + both(torch.tensor([2])) * 3).sum().backward()
print(both.weight.grad.coalesce())

# Padding, nothing, and what is not there.
padded = table(padding_idx=1)
padded(torch.tensor([1, 2, 1])).sum().backward()
print(padded.weight.grad)
padded.weight.grad = None
padded(torch.tensor([1])).sum().backward()
print(padded.weight.grad)
scaled = table(scale_grad_by_freq=True)
refused(lambda: scaled(torch.tensor([1])).sum().backward())
ints = table()
ints(torch.tensor([2, 0], dtype=torch.int32)).sum().backward()
print(ints.weight.grad._indices())
weight = torch.ones(4, 3, requires_grad=True)
found, = torch.autograd.grad(F.embedding(torch.tensor([1, 3]), weight, sparse=True).sum(), weight)
print(found.is_sparse, weight.grad, found._values().shape)

# Bags.
for mode in ("sum", "mean"):
    bag = nn.EmbeddingBag(4, 2, mode=mode, sparse=True)
    bag(torch.tensor([0, 1, 1, 3]), torch.tensor([0, 3])).sum().backward()
    print(mode, bag.weight.grad)
refused(lambda: nn.EmbeddingBag(4, 2, mode="max", sparse=True)(torch.tensor([[1]])))
shares = torch.tensor([0.5, 2.0], requires_grad=True)
weight = torch.ones(3, 2, requires_grad=True)
F.embedding_bag(torch.tensor([2, 0]), weight, torch.tensor([0]), mode="sum", sparse=True,
                per_sample_weights=shares).sum().backward()
print(weight.grad, shares.grad)

# Hooks see it, and gradients of gradients flow through the values.
net = table()
net.weight.register_hook(lambda grad: print("hook", grad.is_sparse, grad._nnz()))
net.weight.register_post_accumulate_grad_hook(lambda one: print("after", one.grad.is_sparse))
net(torch.tensor([1, 2])).sum().backward()
weight = torch.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
first, = torch.autograd.grad((F.embedding(torch.tensor([2, 0]), weight, sparse=True) ** 3).sum(), weight,
                             create_graph=True)
print(first._values().grad_fn is None, first.requires_grad, first.coalesce().to_dense())
second, = torch.autograd.grad(first.to_dense().sum(), weight)
print(second.to_dense())

# Norms and values of gradients are those of dense ones.
net = table()
net(torch.tensor([1])).sum().backward()
refused(lambda: nn.utils.clip_grad_norm_(net.parameters(), 1.0))
refused(lambda: nn.utils.clip_grad_value_(net.parameters(), 0.5))
refused(lambda: setattr(net.weight, "grad", torch.sparse_coo_tensor([[0]], torch.ones(1, 3), (5, 3))))
net.weight.grad = torch.sparse_coo_tensor([[0, 4]], torch.ones(2, 2), (5, 2))
print(net.weight.grad)

# Optimisers.


def trained(make, steps=3, **options):
    net = table(**options)
    optimizer = make(net.parameters())
    for step in range(steps):
        optimizer.zero_grad()
        (net(torch.tensor([0, 2, 2, step])) ** 2).sum().backward()
        optimizer.step()
    return net.weight.detach(), optimizer


def dense(make, steps=3):
    net = nn.Embedding(5, 2)
    with torch.no_grad():
        net.weight.copy_(torch.arange(10.0).view(5, 2))
    optimizer = make(net.parameters())
    for step in range(steps):
        optimizer.zero_grad()
        (net(torch.tensor([0, 2, 2, step])) ** 2).sum().backward()
        optimizer.step()
    return net.weight.detach()


for make in (lambda p: torch.optim.SGD(p, lr=0.1), lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.5),
             lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.5, dampening=0.25, maximize=True),
             lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.5, nesterov=True),
             lambda p: torch.optim.Adagrad(p, lr=0.1, lr_decay=0.01),
             lambda p: torch.optim.Adagrad(p, lr=0.1, initial_accumulator_value=0.5, maximize=True)):
    weight, optimizer = trained(make)
    print(type(optimizer).__name__, torch.allclose(weight, dense(make)), weight[3:], sorted(optimizer.state[
        optimizer.param_groups[0]["params"][0]]))
weight, optimizer = trained(lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.5))
buffer = optimizer.state[optimizer.param_groups[0]["params"][0]]["momentum_buffer"]
print(buffer.is_sparse, buffer.shape, buffer.is_coalesced())

# SparseAdam: rows that no gradient names keep their averages. Of one that is named each time it is Adam.
weight, optimizer = trained(lambda p: torch.optim.SparseAdam(p, lr=0.1))
adam = dense(lambda p: torch.optim.Adam(p, lr=0.1))
state = optimizer.state[optimizer.param_groups[0]["params"][0]]
print(torch.allclose(weight[[0, 2]], adam[[0, 2]]), weight[3:], state["step"], list(state))
print(state["exp_avg"][3:], state["exp_avg_sq"][0] > 0, state["exp_avg"].is_sparse)
print(optimizer)
again = torch.optim.SparseAdam(table().parameters())
again.load_state_dict(optimizer.state_dict())
print(again.param_groups[0]["lr"], again.state_dict()["state"][0]["step"])
up, _ = trained(lambda p: torch.optim.SparseAdam(p, lr=0.1, maximize=True))
print((up[0] > torch.tensor([-1.0, 1.0])).tolist())
for options in ({"lr": 0.0}, {"lr": -1.0}, {"eps": 0.0}, {"betas": (1.0, 0.9)}, {"betas": (0.9, -0.1)},
                {"lr": torch.tensor([0.1, 0.2])}):
    refused(lambda: torch.optim.SparseAdam(table().parameters(), **options))
refused(lambda: torch.optim.SparseAdam([torch.ones(2, dtype=torch.complex64, requires_grad=True)]))
refused(lambda: torch.optim.SparseAdam([torch.ones(2, 2).to_sparse().requires_grad_()]))
plain = nn.Linear(2, 1)
plain(torch.ones(1, 2)).sum().backward()
refused(torch.optim.SparseAdam(plain.parameters()).step)

for make in (torch.optim.Adam, torch.optim.AdamW, torch.optim.Adamax, torch.optim.NAdam, torch.optim.RAdam,
             torch.optim.RMSprop, torch.optim.Rprop, torch.optim.Adadelta, torch.optim.ASGD, torch.optim.Adafactor,
             torch.optim.Muon):
    net = table()
    optimizer = make(net.parameters())
    net(torch.tensor([1])).sum().backward()
    refused(optimizer.step)
refused(lambda: trained(lambda p: torch.optim.SGD(p, lr=0.1, weight_decay=0.1)))
refused(lambda: trained(lambda p: torch.optim.Adagrad(p, weight_decay=0.1)))


def closure():
    optimizer.zero_grad()
    loss = (net(torch.tensor([1, 2])) ** 2).sum()
    loss.backward()
    return loss


net = table()
optimizer = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=4)
before = closure().item()
optimizer.step(closure)
print(before, closure().item() < before)

# Modules around it.
net = nn.Sequential(nn.Embedding(6, 4, sparse=True), nn.Flatten(), nn.Linear(8, 1))
tables = torch.optim.SparseAdam(net[0].parameters(), lr=0.05)
rest = torch.optim.Adam(net[2].parameters(), lr=0.05)
torch.manual_seed(0)
names = torch.randint(0, 6, (32, 2))
wanted = (names.sum(1, keepdim=True) - 5).float()
losses = []
for _ in range(60):
    loss = F.mse_loss(net(names), wanted)
    tables.zero_grad(), rest.zero_grad()
    loss.backward()
    tables.step(), rest.step()
    losses.append(loss.item())
print(losses[-1] < losses[0] / 5)
half = table().half()
half(torch.tensor([1, 1])).sum().backward()
print(half.weight.grad.dtype, half.float().weight.grad.dtype, half.weight.grad.is_sparse)
limited = nn.Embedding(4, 2, max_norm=1.0, sparse=True)
with torch.no_grad():
    limited.weight.copy_(torch.tensor([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0], [0.0, 9.0]]))
print(limited(torch.tensor([0, 1, 0])).detach(), limited.weight.detach())
