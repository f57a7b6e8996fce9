# What is a view, and what a tensor knows of gradients that reached it through another view.
import torch

x = torch.zeros(2, 2)
for name, made in (("repeat", x.repeat(1, 1)), ("tile", x.tile(1, 1)), ("expand", x.expand(2, 2)), ("view", x.view(4)),
                   ("clone", x.clone())):
    print(name, made._is_view(), made.data_ptr() == x.data_ptr())

w = torch.ones(2, requires_grad=True)
print(w.repeat(2, 3).grad_fn.name(), w.repeat(2, 3).shape)
(w.repeat(2, 3) * torch.arange(12.0).reshape(2, 6)).sum().backward()
print(w.grad)
w.grad = None
w.repeat(0, 2).sum().backward()
print(w.grad)
for wrong in ((), (2, -1)):
    try:
        w.repeat(wrong) if wrong else torch.ones(2, 2).repeat(2)
    except RuntimeError as error:
        print(error)

base = torch.zeros(4)
first, second = base[:2], base[:]
second[1:3] = w
print(base.requires_grad, first.requires_grad, second.requires_grad)
print(base.grad_fn.name(), first.grad_fn.name())
with torch.no_grad():
    unseen = base.view(2, 2)
print(unseen.requires_grad)

m = torch.eye(3)[None].repeat(1, 1, 1)
m[:, :2, 2] = w
print(m.requires_grad, m.grad_fn.name())


def shifted(c):
    made = torch.eye(3, dtype=c.dtype)[None].repeat(2, 1, 1)
    made[:, :2, 2] = c
    made[:, 0, 0] *= c[:, 1]
    return made @ made


print(torch.autograd.gradcheck(shifted, (torch.ones(2, 2, dtype=torch.float64, requires_grad=True),)))

# A linear layer is one product and a view of it where its input lies in order.
layer = torch.nn.Linear(3, 4)
for given in (torch.ones(3), torch.ones(2, 3), torch.ones(2, 2, 3), torch.ones(2, 2, 3).transpose(0, 1)):
    print(layer(given).grad_fn.name())
print(torch.nn.Linear(3, 4, bias=False)(torch.ones(2, 2, 3)).grad_fn.name())
for shape in ((), (2,), (2, 2)):
    try:
        layer(torch.ones(shape))
    except RuntimeError as error:
        print(error)

# Writes through views, one after the other, in whatever order their histories are asked for.
w = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
for root in ("base", "view"):
    base = w * 2
    view = base.view(2, 2)
    view[:, 0] = 5 * view[:, 0].clone()
    view[:, 1] = 7 * view[:, 1].clone()
    given = torch.arange(1.0, 5.0)
    chosen, cotangent = (base, given) if root == "base" else (view, given.view(2, 2))
    print(torch.autograd.grad(chosen, w, cotangent)[0], given)
base = w * 2
view = base.view(2, 2)
view.mul_(5)
view.mul_(7)
print(torch.autograd.grad(view.sum(), w)[0])
base = w * 2
view, other = base.view(2, 2), base.view(4)
view.mul_(5)
other.add_(other.sum())
view.mul_(7)
print(torch.autograd.grad(other.sum(), w)[0])
for call in (lambda b: b[:2].mul_(b[2:]), lambda b: b.mul_(b), lambda b: b.mul_(b.view(4).detach())):
    base = w * 2
    call(base)
    try:
        base.sum().backward()
    except RuntimeError as error:
        print(str(error).split(" Hint")[0])

# Views that may not be written where gradients are recorded, nor may views of them.
w = torch.ones(4, requires_grad=True)


def of_no_grad(plain):
    with torch.no_grad():
        view = plain.view(2, 2)
    view[0] = w[:2]


def without_record(plain):
    with torch.no_grad():
        view = plain.view(2, 2)
        view[0] = w[:2]
    view[0, 0] = 5
    print(plain)


for write in (of_no_grad, without_record, lambda plain: (w * 1).unbind()[0].view(1).mul_(2),
              lambda plain: (w * 1).split(2)[0][1:].mul_(2)):
    try:
        write(torch.zeros(4))
    except RuntimeError as error:
        print(str(error)[:90])
