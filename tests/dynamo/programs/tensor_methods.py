# Methods and attributes of tensors that are more than nodes of the graph.
import copy

import torch


def shown(value):
    if isinstance(value, torch.Tensor):
        return f"tensor {value.tolist()}{' with gradient' if value.requires_grad else ''}"
    if isinstance(value, (list, tuple)):
        return [shown(one) for one in value]
    return value


def plain_input(): return torch.tensor([1.0, -2.0, 3.0])
def leaf(): return torch.tensor([1.0, -2.0, 3.0], requires_grad=True)


def check(function, make=plain_input):
    plain = shown(function(make()))
    torch._dynamo.reset()
    nodes = []

    def backend(graph_module, inputs):
        nodes.append(" ".join(node.name for node in graph_module.graph.nodes if node.op not in ("placeholder", "output")))
        return graph_module.forward

    compiled = shown(torch.compile(function, backend=backend)(make()))
    print(function.__name__, plain if plain == compiled else f"{plain} is {compiled} where it is compiled", nodes)
    torch._dynamo.reset()
    for break_reason in torch._dynamo.explain(function)(make()).break_reasons:
        print(*("  " + line.strip() for line in break_reason.reason.split("\n\n For more")[0].split("\n") if line.strip()), sep="\n")


def require_gradient(x):
    z = x * 2
    z.requires_grad_()
    return z + 1
def require_gradient_inside(x):
    z = x * 2
    z.requires_grad_()
    return (z * 3).detach()
def require_gradient_of_input(x): return x.requires_grad_() * 2
def require_what_is(x): return x.requires_grad_(False) * 2
def write_requires_grad(x):
    z = x * 2
    z.requires_grad = True
    return z + 1
def resize(x):
    z = x * 2
    z.resize_(2)
    return z + 1
def unsqueeze_input(x):
    x.unsqueeze_(0)
    return x + 1
def unsqueeze_by_class(x):
    torch.Tensor.unsqueeze_(x, 0)
    return x + 1
def unsqueeze(x):
    z = x + 0
    z.unsqueeze_(0)
    return z + 1
def share(x): return (x * 2).share_memory_() + 1
def retain(x):
    z = x * 2
    w = z + 1
    w.retain_grad()
    return w + 1
def random(x): return (x * 2).random_() * 0
def function_of(x):
    z = x * 2
    w = z + 1
    return w.grad_fn is None, w + 1
def function_of_leaf(x): return x.grad_fn is None, x + 1
def gradient(x):
    x.grad = torch.ones(3)
    return x * 2, x.grad
def gradient_of_new(x):
    z = x + 1
    z.grad = x * 2
    return z.grad, z
def data(x): return x.data * 2
def write_data(x):
    x.data = x * 2
    return x + 1
def write_data_of_new(x):
    z = x + 1
    z.data = x
    return z + 1
def is_leaf(x): return x.is_leaf, (x * 2).is_leaf, x + 1
def own_attribute(x):
    x.mark = 5
    return x.mark, hasattr(x, "mark"), hasattr(x, "other"), hasattr(x, "sum"), getattr(x, "other", 3), x + 1
def missing_attribute(x):
    try:
        return x.other
    except AttributeError:
        return x + 1
def backward(x):
    z = (x * 2).sum()
    z.backward()
    return z.detach(), x.grad
def grad(x): return torch.autograd.grad((x * 2).sum(), x)[0]
def create(x): return (torch.ones(3, requires_grad=True) * x).detach()
def out_of_other_size(x):
    o = torch.empty(0)
    torch.add(x, 1, out=o)
    return o
def out(x):
    o = torch.empty(3)
    torch.add(x, 1, out=o)
    return o
def generator(x):
    g = torch.Generator()
    g.manual_seed(1)
    return torch.rand(2, generator=g) * 0, x + 1
def seed(x):
    torch.manual_seed(3)
    return torch.rand(2), x + 1
def kinds(x): return isinstance(x, torch.FloatTensor), isinstance(x, torch.LongTensor), x.type(), x.to("cpu") * 2
def sizes(x): return x.stride(0), x.size(dim=0), x.is_contiguous(), x + 1
def no_tensor(x): return x.is_same_size(x), x + 1
def deepcopy(x): return copy.deepcopy(x) + 1
def inference(x): return x.is_inference(), x + 1
def apply(x): return (x + 0).apply_(lambda one: one + 1)


for function, make in (
    (require_gradient, plain_input), (require_gradient_inside, plain_input), (require_gradient_of_input, plain_input),
    (require_what_is, plain_input), (write_requires_grad, plain_input), (resize, plain_input),
    (unsqueeze_input, plain_input), (unsqueeze_by_class, plain_input), (unsqueeze, plain_input), (share, plain_input),
    (retain, leaf), (random, plain_input), (function_of, leaf), (function_of_leaf, leaf), (gradient, leaf),
    (gradient_of_new, plain_input), (data, leaf), (write_data, plain_input), (write_data_of_new, plain_input),
    (is_leaf, leaf), (own_attribute, plain_input), (missing_attribute, plain_input), (backward, leaf), (grad, leaf),
    (create, plain_input), (out_of_other_size, plain_input), (out, plain_input), (generator, plain_input),
    (seed, plain_input), (kinds, plain_input), (sizes, plain_input), (no_tensor, plain_input),
    (deepcopy, plain_input), (inference, plain_input), (apply, plain_input),
):
    check(function, make)


def mark_new(x):
    z = x + 1
    z.mark = x * 3
    z.name_of = "z"
    return z


marked = torch.compile(mark_new, backend="eager", fullgraph=True)(plain_input())
print(marked, marked.mark, marked.name_of)


def hooked(x):
    handle = x.register_hook(lambda gradient: gradient * 10)
    other = x.register_hook(lambda gradient: gradient * 100)
    other.remove()
    return x * 2, handle


given = leaf()
result, handle = torch.compile(hooked, backend="eager", fullgraph=True)(given)
result.sum().backward()
print(given.grad)
handle.remove()
(given * 2).sum().backward()
print(given.grad)

shallow = plain_input()
shallow.mark = 1
other = copy.copy(shallow)
other += 1
print(shallow, other.mark, other is shallow)
