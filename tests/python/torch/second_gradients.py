"""Gradients of gradients through what was written in place; losses of few dimensions; parameters wider than inputs."""
import torch
import torch.nn.functional as F
from torch.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
import torch.autograd.gradcheck


def shown(action):
    try:
        print(action())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


print(gradcheck is torch.autograd.gradcheck, issubclass(GradcheckError, RuntimeError))
x = torch.tensor([1., 2.], requires_grad=True, dtype=torch.double)
y = torch.tensor([3., 4.], requires_grad=True, dtype=torch.double)
grad, = torch.autograd.grad((x * 1).mul_(y).sum(), y, create_graph=True)
print(grad, torch.autograd.grad(grad.sum(), x))


def on_view(root):
    x = root.clone()
    F.elu(x.narrow(0, 1, 3), inplace=True)
    return x


root = torch.linspace(-2, 2, 8, dtype=torch.double, requires_grad=True)
print(gradgradcheck(lambda r: F.elu(r.clone(), inplace=True), [root]), gradgradcheck(on_view, [root]))

x = torch.randn(0, 4, 10, requires_grad=True)
weight = torch.randn(5, 4, 3, requires_grad=True)
made = F.conv1d(x, weight)
print([g.requires_grad for g in torch.autograd.grad(made, [x, weight], torch.ones_like(made).requires_grad_(), create_graph=True)])

print(F.multilabel_margin_loss(torch.tensor(0.5), torch.tensor(0), reduction="none"))
print(F.multi_margin_loss(torch.ones(5), torch.tensor(2), reduction="none").shape,
      F.multi_margin_loss(torch.ones(5), torch.tensor([2]), reduction="none").shape)
shown(lambda: F.fold(torch.randn(1, 12, 12), (4, 5), (2, 2), dilation=8))

norm, wide = torch.nn.GroupNorm(2, 4), torch.nn.GroupNorm(2, 4)
x, out_grad = torch.randn(2, 4, 3, 3).bfloat16(), torch.randn(2, 4, 3, 3).bfloat16()
norm(x).backward(out_grad)
wide(x.float()).backward(out_grad.float())
print(norm(x).dtype, torch.allclose(norm.weight.grad, wide.weight.grad, atol=1e-5), norm.bias.grad.dtype)

conv = torch.nn.utils.spectral_norm(torch.nn.Linear(3, 4))
conv(torch.ones(1, 3))
state = conv.state_dict()
old = {name: value.clone() for name, value in state.items() if not name.endswith("_v")}
old["weight"] = conv.weight.detach().clone()
fresh = torch.nn.utils.spectral_norm(torch.nn.Linear(3, 4))
fresh.load_state_dict(old)
fresh.eval()
print(torch.allclose(fresh(torch.eye(3)), F.linear(torch.eye(3), old["weight"], old["bias"]), atol=1e-5))
print(torch.nn.utils.prune._compute_nparams_toprune(0.3, 10))
shown(lambda: torch.nn.utils.prune._validate_pruning_amount(11, 10))
