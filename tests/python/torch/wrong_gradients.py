"""Gradients that a function of the program gives in another shape or dtype. Behaviour: validate_outputs of the engine."""
import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, how):
        ctx.how = how
        return x * 1
    @staticmethod
    def backward(ctx, g):
        return ctx.how(g), None
def run(how, dtype=torch.float32):
    x = torch.ones(3, 4, dtype=dtype, requires_grad=True)
    try:
        F.apply(x, how).sum().backward()
        print(x.grad.shape, x.grad.dtype, x.grad[0, 0].item())
    except Exception as e:
        print(type(e).__name__, e)
run(lambda g: g.double())
run(lambda g: g, torch.float16)
run(lambda g: g[None].expand(2, 3, 4))
run(lambda g: g[:2])
run(lambda g: g.sum())
