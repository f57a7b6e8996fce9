# torch.cond and its relatives: results, gradients, and what they refuse.
import torch
from functorch.experimental import control_flow
from torch._higher_order_ops import associative_scan, cond, map, scan, while_loop


def tried(act):
    try:
        print(act())
    except (RuntimeError, ValueError, IndexError, AssertionError) as error:
        print(type(error).__name__, error)


x = torch.tensor([1.0, -2.0], requires_grad=True)
for pred in (x.sum() > 0, x.sum() < 0):
    made = torch.cond(pred, lambda a: a * 2, lambda a: a * a, (x,))
    (grad,) = torch.autograd.grad(made.sum(), x)
    print(made.tolist(), grad.tolist())
print(torch.cond(torch.tensor([[True]]), lambda a: a["k"] + 1, lambda a: a["k"], ({"k": torch.ones(1)},)))
print(cond is torch.cond, control_flow.cond is cond, torch.cond(torch.tensor(False), lambda: 1, lambda: torch.zeros(1)))
tried(lambda: torch.cond(x > 0, lambda a: a, lambda a: a, (x,)))
tried(lambda: torch.cond("yes", lambda a: a, lambda a: a, (x,)))
tried(lambda: torch.cond(torch.tensor(True), 3, lambda a: a, (x,)))
tried(lambda: torch.cond(torch.tensor(True), lambda a: a, lambda a: a, (1,)))


class Chooses(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.small, self.large = torch.nn.Linear(2, 2, bias=False), torch.nn.Linear(2, 2, bias=False)
        with torch.no_grad():
            self.small.weight.fill_(1.0)
            self.large.weight.fill_(2.0)

    def forward(self, x):
        return torch.cond(x.norm() > 1, self.large, self.small, (x,))


net = Chooses()
print(net(torch.tensor([0.5, 0.0])).tolist(), net(torch.tensor([3.0, 0.0])).tolist())

print(while_loop(lambda i, v: i < 4, lambda i, v: (i + 1, v * 2), (torch.tensor(0), torch.ones(2))))
same = torch.ones(1)
kept = while_loop(lambda v: torch.tensor(False), lambda v: (v,), (same,))
print(kept, kept[0] is same)
print(while_loop(lambda n, v: n < 3, lambda n, v: (n + 1, v + n), (0, torch.zeros(1))))
tried(lambda: while_loop(lambda v: v, lambda v: (v,), (torch.ones(2),)))
tried(lambda: while_loop(lambda v: v.sum() < 3, lambda v: (v, v), (torch.ones(2),)))
tried(lambda: while_loop(lambda v: v.sum() < 3, lambda v: v, (torch.ones(2),)))
tried(lambda: while_loop(lambda v: v.sum() < 3, lambda v: v, torch.ones(2)))

print(map(lambda row, k: row * k, torch.arange(6.0).reshape(3, 2), torch.tensor(2.0)))
print(map(lambda pair: (pair[0] + pair[1], pair[0].sum()), (torch.ones(2, 3), torch.ones(2, 1))))
tried(lambda: map(lambda row: row, [torch.ones(2), torch.ones(3)]))
tried(lambda: map(lambda row: row, torch.ones(0, 2)))

steps = torch.arange(1.0, 6.0, requires_grad=True)
carry, sums = scan(lambda c, s: (c + s, (c + s).clone()), torch.zeros(()), steps)
print(carry, sums.tolist())
print(torch.autograd.grad(sums.sum(), steps)[0].tolist())
carry, sums = scan(lambda c, s: (c + s, c), torch.zeros(2), torch.arange(6).reshape(2, 3), dim=1, reverse=True)
print(carry, sums)
tried(lambda: scan(lambda c, s: (c, c), torch.zeros(1), torch.ones(0)))
tried(lambda: scan(lambda c, s: ((c, c), c), torch.zeros(1), torch.ones(2)))
tried(lambda: scan(lambda c, s: (c, c), 1.0, torch.ones(2)))
tried(lambda: scan(lambda c, s: (c, c), torch.zeros(1), torch.ones(2), dim=3))

for count in range(1, 10):
    values = torch.arange(1, count + 1)
    assert torch.equal(associative_scan(torch.add, values, 0), values.cumsum(0)), count
    assert torch.equal(associative_scan(torch.mul, values, 0, reverse=True), values.flip(0).cumprod(0).flip(0)), count
rows = torch.arange(12.0).reshape(2, 2, 3)
print(associative_scan(torch.maximum, rows, 2).tolist())
print(torch.equal(associative_scan(lambda a, b: a @ b, rows[..., :2].expand(2, 2, 2), 0)[1], rows[0, :, :2] @ rows[1, :, :2]))
# A recurrence h = a * h + b as pairs.
a, b = torch.tensor([0.5, 2.0, 1.0]), torch.tensor([1.0, 1.0, 3.0])
print(associative_scan(lambda l, r: (l[0] * r[0], l[1] * r[0] + r[1]), (a, b), 0)[1].tolist())
tried(lambda: associative_scan(torch.add, (torch.ones(2), torch.ones(3)), 0))
tried(lambda: associative_scan(lambda l, r: (l, r), torch.ones(3), 0))
tried(lambda: associative_scan(torch.add, [], 0))
