"""Modules and containers of torch.nn in compiled code: what their Python does is traced."""
import torch
from torch import nn

torch.manual_seed(0)
x = torch.arange(12.0).reshape(3, 4) / 10


def show(title, fn, *args):
    """The nodes of the one graph, and whether compiled code gives what plain code gives."""
    torch._dynamo.reset()
    graphs = []

    def backend(gm, inputs):
        graphs.append([node.name for node in gm.graph.nodes if node.op not in ("placeholder", "output")])
        return gm.forward

    wanted = fn(*args)
    given = torch.compile(fn, backend=backend, fullgraph=True)(*args)
    parts = [wanted, given] if torch.is_tensor(wanted) else [torch.cat([p.flatten() for p in w]) for w in (wanted, given)]
    print(title, graphs, torch.allclose(*parts))


layers = nn.ModuleList([nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4)])


def walk(t):
    for layer in reversed(layers):
        t = layer(t)
    for layer in layers[1:]:
        t = layer(t)
    return t


show("reversed and sliced", walk, x)

row = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
show("slice of a Sequential", lambda t: row[:1](t), x)
show("sum of Sequentials", lambda t: (row + row)(t), x)
show("product of a Sequential", lambda t: (row * 2)(t), x)
show("a new Sequential", lambda t: nn.Sequential(row[0], nn.Tanh())(t), x)


class Changed(nn.Module):
    """Its containers are not what they were when it was made."""

    def __init__(self):
        super().__init__()
        self.list = nn.ModuleList([nn.Linear(4, 4)])
        self.dict = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()})

    def forward(self, t):
        self.list.insert(0, nn.Sigmoid())
        self.list.extend([nn.ReLU(), nn.Tanh()])
        del self.list[-1]
        taken = self.dict.pop("b")
        self.dict.update({"c": taken})
        self.dict["b"] = nn.ReLU()
        for layer in self.list:
            t = layer(t)
        for name, layer in self.dict.items():
            t = layer(t) + len(name)
        return t


torch.manual_seed(1)
plain = Changed()
torch.manual_seed(1)
compiled = Changed()
wanted = plain(x)
given = torch.compile(compiled, backend="eager", fullgraph=True)(x)
print(torch.equal(wanted, given), [type(m).__name__ for m in compiled.list], list(compiled.dict))

attention = nn.MultiheadAttention(4, 2, batch_first=True)
show("attention", lambda t: attention(t, t, t), x.unsqueeze(0))
encoder = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)
show("encoder", encoder, x.unsqueeze(0))
cell = nn.LSTMCell(4, 3)
show("cell", cell, x)
pool = nn.LPPool1d(2, 2)
show("pool", pool, x)
loss = nn.TripletMarginLoss()
show("loss", lambda t: loss(t, t + 1, t * 2), x)
scores = torch.randn(5, 2, 4).log_softmax(2)
ctc = nn.CTCLoss()
lengths = torch.tensor([5, 5]), torch.tensor([2, 2])
show("ctc", lambda s: ctc(s, torch.tensor([[1, 2], [2, 1]]), *lengths), scores)

weight = torch.ones(4, 4)
linear = nn.Linear(4, 4)
show("functional_call", lambda t: torch.func.functional_call(linear, {"weight": weight}, (t,)), x)


class Named(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(4))

    def forward(self, t):
        found = hasattr(self, "w")
        del self.w
        return t + found + 10 * hasattr(self, "w")


print(torch.equal(torch.compile(Named(), backend="eager", fullgraph=True)(x), x + 1))


class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()

    def forward(self, t):
        self.act.register_forward_hook(lambda module, args, out: out + 1)
        return self.act(t)


try:
    torch.compile(Hooked(), backend="eager", fullgraph=True)(x)
except torch._dynamo.exc.Unsupported as error:
    print(str(error).splitlines()[:2])
