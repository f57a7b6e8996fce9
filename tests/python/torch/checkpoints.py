"""torch.utils.checkpoint: the second run finds random numbers and autocast as the first did."""
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint


def block(x, scale=1.0):
    return F.dropout(net(x), 0.5) * scale


torch.manual_seed(0)
net = nn.Linear(8, 8)


def gradients(through, enabled=False):
    torch.manual_seed(1)
    x = torch.ones(4, 8, requires_grad=True)
    net.zero_grad()
    with torch.autocast("cpu", enabled=enabled):
        y = through(x)
    y.float().sum().backward()
    return y.dtype, x.grad, net.weight.grad.clone(), torch.rand(1)


def same(a, b):
    return a[0] == b[0] and all(p.equal(q) for p, q in zip(a[1:], b[1:]))


plain = gradients(block)
print(same(plain, gradients(lambda x: checkpoint(block, x, use_reentrant=False))))
print(same(plain, gradients(lambda x: checkpoint(block, x, use_reentrant=True))))
print(same(gradients(lambda x: block(x, scale=3.0)),
           gradients(lambda x: checkpoint(block, x, use_reentrant=False, scale=3.0))))
cast = gradients(block, True)
print(cast[0], same(cast, gradients(lambda x: checkpoint(block, x, use_reentrant=False), True)))
print(torch.is_autocast_enabled("cpu"))
other = gradients(lambda x: checkpoint(block, x, use_reentrant=False, preserve_rng_state=False))
print(other[1].equal(plain[1]))
