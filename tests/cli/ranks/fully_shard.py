# A model sharded over the ranks against the same model on one with the whole batch: parameters after each step, the
# clipped norm, and how many bytes a rank holds between steps.
# Arguments: mlp, cnn or gpt; keep, reshard or a number of ranks (after forward); SGD or AdamW.
import sys

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
kind, after_forward, optimiser = sys.argv[1:4]
after_forward = {"keep": False, "reshard": True}.get(after_forward) if after_forward in ("keep", "reshard") \
    else int(after_forward)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, 2, c // 2).permute(2, 0, 3, 1, 4)
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, t, c))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(11, 8), nn.Embedding(6, 8)
        self.blocks = nn.ModuleList([Block(8) for _ in range(2)])
        self.head = nn.Linear(8, 11, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, x):
        x = self.tokens(x) + self.places(torch.arange(x.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(x).transpose(1, 2)


def make():
    torch.manual_seed(7)
    if kind == "gpt":
        return GPT().double()
    if kind == "mlp":
        # 7 and 3 rows divide by none of 2, 4; 1 row leaves ranks without any.
        return nn.Sequential(nn.Linear(6, 33), nn.Tanh(), nn.Linear(33, 1), nn.Linear(1, 7), nn.Tanh(),
                             nn.Linear(7, 3)).double()
    return nn.Sequential(nn.Conv2d(2, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(8, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(16, 3)).double()


def shard(net):
    for inner in net.blocks if kind == "gpt" else [net[0], net[2]] if kind == "mlp" else [net[4]]:
        fully_shard(inner, reshard_after_forward=after_forward)
    return fully_shard(net, reshard_after_forward=after_forward)


torch.manual_seed(3)
batch = 4 * size
x = torch.randint(0, 11, (batch, 6)) if kind == "gpt" else \
    torch.randn(batch, 6).double() if kind == "mlp" else torch.randn(batch, 2, 8, 8).double()
y = torch.randint(0, 11, (batch, 6)) if kind == "gpt" else torch.randint(0, 3, (batch,))
alone, net = make().eval(), shard(make().eval())
assert isinstance(net, FSDPModule) and type(net).__name__ == f"FSDP{type(alone).__name__}"
assert [name for name, _ in net.named_parameters()] == [name for name, _ in alone.named_parameters()]
assert all(isinstance(p, DTensor) and isinstance(p, nn.Parameter) for p in net.parameters())
options = {"lr": 0.3, "momentum": 0.9} if optimiser == "SGD" else {"lr": 0.01}
opts = [getattr(torch.optim, optimiser)(m.parameters(), **options) for m in (alone, net)]
loss = nn.CrossEntropyLoss()
part = slice(4 * rank, 4 * rank + 4)


def held():
    """Bytes of parameters, gradients and optimiser states, each storage once."""
    tensors = [p.to_local() for p in net.parameters()] + [p.grad.to_local() for p in net.parameters()]
    tensors += [t for state in opts[1].state.values() for t in state.values() if isinstance(t, torch.Tensor)]
    storages = {one.untyped_storage()._cdata: one.untyped_storage().nbytes() for one in tensors}
    return sum(storages.values())


far, norms = 0.0, []
for step in range(4):
    for opt in opts:
        opt.zero_grad()
    loss(alone(x), y).backward()
    # Two statements: ranks that take turns wait for each other in both.
    mean = loss(net(x[part]), y[part])
    mean.backward()
    norm = nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    norms.append(abs(norm.item() - nn.utils.clip_grad_norm_(alone.parameters(), 0.5).item()))
    for opt in opts:
        opt.step()
    for p, q in zip(alone.parameters(), net.parameters()):
        q = q.full_tensor()
        far = max(far, (p - q).abs().max().item())
        assert torch.allclose(p, q, rtol=1e-9, atol=1e-11), (step, (p - q).abs().max())
# Parameters, gradients, and one or two states. Padding adds a row to each, and AdamW a number of steps.
copies = 4 if optimiser == "AdamW" else 3
whole = copies * sum(p.numel() * 8 for p in alone.parameters())
rows = copies * sum(p[0].numel() * 8 for p in alone.parameters())
steps = 8 * len(list(alone.parameters()))
assert held() <= whole / size + rows + steps, (held(), whole / size, rows)
assert max(norms) < 1e-9
print("equal", far < 1e-9)
