"""What grad_fn is called: nodes of overloads and of calls in place have numbers. Behaviour: derivatives.yaml."""
import torch
import torch.nn.functional as F

x = torch.rand(2, 3, 1, requires_grad=True)
y = torch.rand(2, 3, 1)
m = torch.rand(3, 3, requires_grad=True)
v = torch.rand(3, requires_grad=True)
batch = torch.rand(4, 3, 3)
index = torch.zeros(1, 3, 1, dtype=torch.long)


def own():
    return x * 1


for name, made in {
        "clamp": (x.clamp(y), x.clamp(0, 1), x.clamp_min(0), x.clamp_min(y), x.clamp_max(0), x.clamp_max(y)),
        "copysign": (x.copysign(y), x.copysign(-1.0)), "fill_": (own().fill_(2), own().fill_(torch.tensor(2.0)), own().zero_()),
        "fmod": (x.fmod(2), x.fmod(y)), "remainder": (x % 2, x % y), "lerp": (x.lerp(y, 0.5), x.lerp(y, y)),
        "xlogy": (torch.xlogy(x, y), torch.xlogy(2, x), torch.xlogy(x, 2)),
        "masked_fill": (x.masked_fill(y > 0.5, 2.0), x.masked_fill(y > 0.5, torch.tensor(2.0))),
        "pow": (x ** 2, x ** y, 2 ** x), "sub": (x - 1, 1 - x, y - x),
        "squeeze": (x.squeeze(), x.squeeze(-1), x.squeeze((0, 2)), own().squeeze_(), own().squeeze_(-1), own().squeeze_((0, 2))),
        "views in place": (own().unsqueeze_(0), own().transpose_(0, 1), (m * 1).t_(), own().as_strided_((2,), (1,))),
        "activations": (F.elu(x), F.elu_(own()), F.celu(x), F.celu_(own()), F.selu(x), F.leaky_relu(x), F.leaky_relu_(own()),
                        F.threshold(x, 0.5, 0.0), F.threshold_(own(), 0.5, 0.0), F.relu_(own())),
        "hyperbolic": ((own() + 2).acosh_(), own().asinh_(), own().atanh_(), x.asinh()),
        "split": (x.split(1)[0], x.split([1, 1])[0], x.chunk(2)[0]),
        "products": (m @ v, v @ m, v @ v, m @ m, batch @ v, batch @ m, torch.mv(m, v)),
        "linear": (F.linear(v, m, v), F.linear(v, m), F.linear(batch, m, v), F.linear(batch, m), F.linear(batch[0], m)),
        "reshape": (x.reshape(-1), x.transpose(0, 1).reshape(-1), x.transpose(0, 1).flatten()),
        "diagonals": (m.diag(), v.diag(), m.trace()),
        "pools": (F.max_pool1d(x.view(1, 2, 3), 2), F.conv1d(x.view(2, 3), torch.rand(1, 2, 1)))}.items():
    print(name, *(type(one.grad_fn).__name__ for one in made))

# What was copied to be reshaped is no view; the products' gradients.
copied = x.transpose(0, 1).reshape(-1)
print(copied._is_view(), x.reshape(-1)._is_view(), (batch @ m)._is_view(), (v @ m)._is_view())
(m @ v).sum().backward()
print(torch.equal(m.grad, v.detach().expand(3, 3)), torch.allclose(v.grad, m.detach().sum(0)))
for function, given in ((torch.mv, (m, v)), (torch.matmul, (v, m)), (torch.matmul, (batch, v))):
    given = [one.detach().double().requires_grad_() for one in given]
    print(torch.autograd.gradcheck(function, given), torch.autograd.gradgradcheck(function, given))
c = torch.randn(3, 2, dtype=torch.complex128, requires_grad=True)
w = torch.randn(2, dtype=torch.complex128, requires_grad=True)
print(torch.autograd.gradcheck(torch.mv, (c, w)))
for a, b in ((torch.ones(2, 3), torch.ones(2)), (torch.ones(2), torch.ones(3)), (torch.ones(2), torch.ones(3, 2)), (torch.ones(2, 2), torch.ones(2).double())):
    try:
        a @ b
    except RuntimeError as error:
        print(error)
