# Ops of which only a tensor's values tell what they give, or how much: the graph breaks, and the results are those of the
# uncompiled function. Only of a tensor and a number the larger is a tensor where it is compiled, as in torch._dynamo.
import torch

x = torch.tensor([1.0, -2.0, 3.0])
y = torch.tensor([1.0, 2.0, 3.0])
i = torch.tensor([2, 1, 3])


def shown(value):
    if isinstance(value, torch.Tensor):
        return f"tensor {value.tolist()}"
    if isinstance(value, (list, tuple)):
        return [shown(one) for one in value]
    return value


def check(function, *args):
    plain = shown(function(*(one.clone() for one in args)))
    torch._dynamo.reset()
    compiled = shown(torch.compile(function, backend="eager")(*(one.clone() for one in args)))
    print(function.__name__, plain if plain == compiled else f"{plain} is {compiled} where it is compiled")
    torch._dynamo.reset()
    for break_reason in torch._dynamo.explain(function)(*(one.clone() for one in args)).break_reasons:
        print(*("  " + line.strip() for line in break_reason.reason.split("\n\n For more")[0].split("\n") if line.strip()), sep="\n")


def equal(x, y): return x + 1 if torch.equal(x, y) else x - 1
def allclose(x, y): return x + 1 if torch.allclose(x, y) else x - 1
def is_nonzero(x): return x + 1 if torch.is_nonzero(x.sum()) else x - 1
def mask(x): return x[x > 0] * 2
def write_with_mask(x):
    z = x * 1
    z[z < 0] = 0
    return z + 1
def unique(i): return torch.unique(i) + 1
def unique_rows(i): return torch.unique(i.view(3, 1), dim=0) + 1
def unique_consecutive(i): return i.unique_consecutive() + 1
def masked_select(x): return torch.masked_select(x, x > 0) + 1
def argwhere(x): return torch.argwhere(x > 0) + 1
def where(x): return torch.where(x > 0)[0] + 1
def where_of_three(x): return torch.where(x > 0, x, 0.0) + 1
def bincount(i): return torch.bincount(i) + 1
def repeat(x, i): return torch.repeat_interleave(x, i) + 1
def repeat_by_number(x): return x.repeat_interleave(2) + 1
def one_hot(i): return torch.nn.functional.one_hot(i) + 1
def slice_to(x, i): return x[: i[1]] + 1
def list_item(x, i): return [x, x + 1, x + 2][i[1]] + 1
def contains(x):
    z = x + 1
    found = 2.0 in z
    return z * 2, found
def in_list(x, y): return x[0] in [y[1], y[0]], x in [x, y], x + 1
def index(x, y): return [y[1], y[0]].index(x[0]), [y, x].index(y), x + 1
def lists(x, y): return [x[0]] == [y[0]], x + 1
def integers(i): return i.tolist(), i + 1
def floats(x): return x.tolist(), x + 1
def sort(x): return sorted([x[0], x[1]])[0] + 1
def extremes(x, y): return max(x[0], y[1]), min([x[0], x[1], x[2]]), max(x[0], 2.0), min(0.5, x[0])
def extremes_of_one(x): return max(x), min(x.view(3, 1)), max(range(3)), min(one for one in (3, 1, 2)), x + 1
def from_items(x): return torch.tensor([x.sum(), 1.0]) + 1
def fill(x): return torch.full((2,), x.sum()) + 1
def none(x): return x == None, x != None, x is None, x + 1  # noqa: E711
def in_place(x):
    z = x * 1
    return z.add_(1) is z, x.contiguous() is x, z


for function, args in (
    (equal, (x, y)), (allclose, (x, y)), (is_nonzero, (x,)), (mask, (x,)), (write_with_mask, (x,)), (unique, (i,)),
    (unique_rows, (i,)), (unique_consecutive, (i,)), (masked_select, (x,)), (argwhere, (x,)), (where, (x,)),
    (where_of_three, (x,)), (bincount, (i,)), (repeat, (x, i)), (repeat_by_number, (x,)), (one_hot, (i,)),
    (slice_to, (x, i)), (list_item, (x, i)), (contains, (x,)), (in_list, (x, y)), (index, (x, y)), (lists, (x, y)),
    (integers, (i,)), (floats, (x,)), (sort, (x,)), (extremes, (x, y)), (extremes_of_one, (x,)),
    (from_items, (x,)), (fill, (x,)), (none, (x,)),
    (in_place, (x,)),
):
    check(function, *args)

# Numbers that the graph reads are of the kind that is asked for.
for function in (
    lambda x: x * int(x[0]), lambda x: x * float(x[0]), lambda x: x * bool(x[0]), lambda x: x * int(x[0] > 0),
    lambda x: x * float(x.to(torch.int64)[2]),
):
    given = torch.tensor([2.75, -2.5, 3.5])
    compiled = torch.compile(function, backend="eager", fullgraph=True)
    print(compiled(given).tolist(), [torch.equal(compiled(one), function(one)) for one in (given, given - 2.75)])

# Where the whole has to be one graph, a mask gives as many items as it lets through.
print(torch.compile(mask, backend="eager", fullgraph=True)(x))
for other in (torch.tensor([-1.0, -2.0]), torch.tensor([[1.0, 2.0], [3.0, -4.0]])):
    print(torch.compile(mask, backend="eager", fullgraph=True)(other))
