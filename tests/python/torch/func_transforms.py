# torch.func: derivatives of functions as functions, and functions over a dimension.
import torch
from torch import nn
from torch.func import (functional_call, functionalize, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize,
                        stack_module_state, vjp, vmap)


def fails(call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
    else:
        print("no error")


x = torch.tensor([1.0, 2.0, 3.0])
y = torch.tensor([0.5, -1.0, 2.0])

# grad
print(grad(lambda x: (x ** 3).sum())(x))
print(grad(grad(lambda x: x ** 3))(torch.tensor(2.0)), grad(grad(grad(lambda x: x ** 3)))(torch.tensor(2.0)))
print(grad(lambda x, y: (x * y).sum(), argnums=(0, 1))(x, y))
print(grad(lambda x, y: (x * y).sum(), argnums=-1)(x, y))
print(grad(lambda tree: (tree["a"] * tree["b"][0]).sum())({"a": x, "b": [y]}))
print(grad(lambda x: ((x * 2).sum(), {"seen": x * 10}), has_aux=True)(x))
print(grad_and_value(lambda x: (x ** 2).sum())(x))
print(grad_and_value(lambda x: ((x ** 2).sum(), x + 1), has_aux=True)(x))
print(grad(lambda x: torch.tensor(1.0))(x))

# What happens outside.
weight = torch.tensor(3.0, requires_grad=True)
slope = grad(lambda x: weight * x ** 2)(torch.tensor(5.0))
print(slope, slope.requires_grad)
slope.backward()
print(weight.grad)
print(grad(lambda x: x ** 2)(torch.tensor(2.0)).requires_grad)
with torch.no_grad():
    print(grad(lambda x: weight * x ** 2)(torch.tensor(5.0)))


def stops_inside(x):
    with torch.no_grad():
        held = x ** 2
    return (x - held).sum()


print(grad(stops_inside)(x))
outer = torch.tensor(2.0, requires_grad=True)
second, = torch.autograd.grad(grad(lambda x: x ** 4)(outer), outer)
print(second)

# vjp, jvp, linearize
output, pull = vjp(lambda a, b: (a * b, (a + b).sum()), x, y)
print(output, pull((torch.ones(3), torch.tensor(10.0))))
output, pull, aux = vjp(lambda a: (a.sin(), a), x, has_aux=True)
print(aux, torch.equal(pull(torch.ones(3))[0], x.cos()))
print(jvp(lambda a, b: a * b, (x, y), (torch.ones(3), torch.zeros(3))))
print(jvp(lambda a: {"square": a ** 2, "constant": torch.ones(2)}, (x,), (torch.tensor([1.0, 0.0, -1.0]),)))
print(jvp(lambda a: (a ** 2, a.shape[0]) and (a ** 2, a), (x,), (x,), has_aux=True))
output, push = linearize(lambda a: a ** 2, x)
print(output, push(torch.ones(3)), push(y))

# Jacobians
print(jacrev(lambda x: x ** 2)(x))
print(jacfwd(lambda x: x ** 2)(x))
print(jacrev(lambda x, y: x[:2] * y.sum(), argnums=(0, 1))(x, y))
print(jacfwd(lambda x, y: x[:2] * y.sum(), argnums=(0, 1))(x, y))
print(jacrev(lambda x: {"double": 2 * x, "sum": x.sum()})(x))
print(jacfwd(lambda tree: tree["a"] * tree["b"])({"a": x[:2], "b": y[:2]}))
print(jacrev(lambda x: (x.sum(), x * 100), has_aux=True)(x))
print(hessian(lambda x: (x ** 3).sum())(x))
print(hessian(lambda x, y: (x * y).sum(), argnums=(0, 1))(x[:2], y[:2]))
print(jacrev(jacrev(lambda x: x.prod()))(x))
print(jacrev(lambda m: m @ m)(torch.eye(2)).shape, jacfwd(lambda m: m.sum(0))(torch.ones(2, 3)).shape)

# vmap
batch = torch.arange(6.0).view(2, 3)
print(vmap(torch.dot)(batch, batch))
print(vmap(torch.dot, in_dims=(0, None))(batch, x))
print(vmap(torch.dot, in_dims=1)(batch, batch))
print(vmap(lambda x: (x * 2, x.sum()), out_dims=(1, 0))(batch))
print(vmap(lambda tree: tree["x"] + tree["y"], in_dims=({"x": 0, "y": None},))({"x": batch, "y": y}))
print(vmap(vmap(lambda x: x ** 2))(batch))
print(vmap(lambda x, scale=4.0: x * scale)(batch, scale=10.0))
print(vmap(lambda x: x + 1, in_dims=-1, out_dims=-1)(batch).shape, vmap(lambda x: x + 1, chunk_size=1)(batch))
print(vmap(lambda x: x * 2)(torch.zeros(0, 3)).shape)
torch.manual_seed(0)
same = vmap(lambda x: x + torch.rand(3), randomness="same")(torch.zeros(2, 3))
different = vmap(lambda x: x + torch.rand(3), randomness="different")(torch.zeros(2, 3))
print(torch.equal(same[0], same[1]), torch.equal(different[0], different[1]))
print(torch.vmap is vmap, vmap(torch.dot).__name__)

# Together: the gradient of each example, the Jacobian of a batch, an ensemble.
torch.manual_seed(1)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
params = {name: parameter.detach() for name, parameter in net.named_parameters()}
inputs, targets = torch.randn(5, 3), torch.randn(5, 1)


def loss(params, example, target):
    return ((functional_call(net, params, (example.unsqueeze(0),)) - target) ** 2).mean()


each = vmap(grad(loss), in_dims=(None, 0, 0))(params, inputs, targets)
print({name: tuple(one.shape) for name, one in each.items()})
((net(inputs) - targets) ** 2).mean().backward()
print(all(torch.allclose(each[name].mean(0), parameter.grad, atol=1e-6) for name, parameter in net.named_parameters()))
print(vmap(jacrev(torch.sin))(batch).shape, vmap(hessian(lambda x: x.sin().sum()))(batch).shape)
nets = [nn.Linear(3, 2) for _ in range(4)]
stacked, buffers = stack_module_state(nets)
outputs = vmap(lambda params, buffers, x: functional_call(nets[0], (params, buffers), (x,)), in_dims=(0, 0, None))(
    stacked, buffers, inputs)
print(outputs.shape, torch.allclose(outputs[2], nets[2](inputs)))
print(functionalize(lambda x: x.clone().add_(1))(x))

# Errors
fails(grad(lambda x: x), x)
fails(grad(lambda x: 3.0), x)
fails(grad(lambda x: x.sum(), argnums=1), x)
fails(grad(lambda x: x.sum(), argnums=(0, 0)), x)
fails(grad(lambda x: x.sum(), argnums=()), x)
fails(grad(lambda x: x.sum(), argnums="0"), x)
fails(grad(lambda x: x.sum(), has_aux=True), x)
fails(grad(lambda x: x.sum()), 1.0)
fails(vjp, lambda x: 1, x)
fails(vjp, lambda x: x > 0, x)
fails(vjp(lambda x: x * 2, x)[1], (x, x))
fails(jvp, lambda x: x, x, x)
fails(jvp, lambda x: x, (x,), (x, x))
fails(jvp, lambda x: torch.ones(2), (x,), (x,), strict=True)
fails(jacrev(lambda x: x * 1j), x)
fails(jacfwd(lambda x: x), x * 1j)
fails(jacrev, lambda x: x, chunk_size=0)
fails(linearize(lambda x: x * 2, x)[1], torch.ones(2))
fails(vmap(torch.dot), batch, torch.ones(3, 3))
fails(vmap(torch.dot, in_dims=[0, 0]), batch, batch)
fails(vmap(torch.dot, in_dims=(0,)), batch, batch)
fails(vmap(torch.dot, in_dims=(0, 5)), batch, batch)
fails(vmap(torch.dot, in_dims=(None, None)), batch, batch)
fails(vmap(torch.dot, in_dims=(0, "1")), batch, batch)
fails(vmap(torch.dot))
fails(vmap(torch.mul), batch, 2.0)
fails(vmap(lambda x: 1.0), batch)
fails(vmap(lambda x: (x, x), out_dims=(0, 0, 0)), batch)
fails(vmap(lambda x: x, out_dims="0"), batch)
fails(vmap(lambda x: x + torch.rand(3)), batch)
fails(vmap, torch.dot, randomness="some")
fails(vmap, torch.dot, chunk_size=0)
fails(functionalize, torch.dot, remove="all")
