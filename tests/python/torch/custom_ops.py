# torch.ops, torch.library, torch.overrides, forward_ad, flex_attention, checkpoints of sequences, hooks of several gradients.
import torch
import torch.autograd.forward_ad as fwAD
from torch import Tensor
from torch.nn.attention.flex_attention import and_masks, create_block_mask, create_mask, flex_attention
from torch.overrides import handle_torch_function, has_torch_function, is_tensor_like, resolve_name, wrap_torch_function
from torch.utils.checkpoint import checkpoint_sequential


def problem(call, *args, **kwargs):
    try:
        print("no problem:", call(*args, **kwargs))
    except Exception as error:
        print(type(error).__name__, "-", error)


x = torch.tensor([1.0, 2.0])
print(torch.ops.aten.add(x, 1), torch.ops.aten.add.Tensor(x, x), torch.ops.aten.relu.default(-x), torch.ops.aten.mul)
print(torch.ops.aten.add.Tensor.name(), torch.ops.aten.sum.default, str(torch.ops.aten.sum.default), torch.ops.aten.linalg_vector_norm(x))
problem(lambda: torch.ops.aten.no_such_op)
problem(lambda: torch.ops.mine.nothing)
problem(torch.ops.load_library, "x.so")


@torch.library.custom_op("mine::square_plus", mutates_args=())
def square_plus(x: Tensor, y: float) -> Tensor:
    return x * x + y


@square_plus.register_fake
def _(x, y):
    return torch.empty_like(x)


def setup_context(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])


def backward(ctx, grad):
    x, = ctx.saved_tensors
    return grad * 2 * x, None


square_plus.register_autograd(backward, setup_context=setup_context)
w = torch.tensor([3.0, 4.0], requires_grad=True)
out = square_plus(w, 1.0)
out.sum().backward()
print(out.detach(), w.grad, torch.ops.mine.square_plus(x, 0.5), square_plus(x.to("meta"), 1.0).device)
print(torch.library.infer_schema(square_plus._body, mutates_args=()), square_plus)
problem(torch.library.custom_op, "wrong", lambda: None, mutates_args=())
library = torch.library.Library("other", "DEF")
library.define("twice(Tensor x) -> Tensor")
library.impl("twice", lambda x: x + x, "CompositeImplicitAutograd")
twice = torch.ops.other.twice(w)
print(twice.detach(), twice.requires_grad)


class Wrapped:
    def __init__(self, value):
        self.value = value

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return f"asked for {func.__name__} with {len(args)}"


def scale(x, by):
    if has_torch_function((x,)):
        return handle_torch_function(scale, (x,), x, by)
    return x * by


@wrap_torch_function(lambda x: (x,))
def negate(x):
    return -x


print(scale(x, 2), scale(Wrapped(1), 2), negate(x), negate(Wrapped(2)))
print(is_tensor_like(x), is_tensor_like(Wrapped(1)), is_tensor_like(3), has_torch_function((x, 3)), resolve_name(torch.add))
print(torch.add in torch.overrides.get_overridable_functions()[torch], torch.zeros in torch.overrides.get_ignored_functions())

with fwAD.dual_level():
    primal, tangent = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.5])
    dual = fwAD.make_dual(primal, tangent)
    result = fwAD.unpack_dual((dual ** 3).sin() + 1)
    print(torch.allclose(result.primal, (primal ** 3).sin() + 1), torch.allclose(result.tangent, (primal ** 3).cos() * 3 * primal ** 2 * tangent))
    print(fwAD.unpack_dual(dual), fwAD.unpack_dual(primal).tangent, fwAD.unpack_dual(dual * 2).tangent)
    layer = torch.nn.Linear(2, 1)
    print(torch.allclose(fwAD.unpack_dual(layer(dual)).tangent, tangent @ layer.weight.T))
    problem(fwAD.make_dual, torch.ones(2), torch.ones(3))
    problem(fwAD.make_dual, torch.ones(2, dtype=torch.int64), torch.ones(2))
print(fwAD.unpack_dual(x).tangent)
problem(fwAD.make_dual, x, x)

torch.manual_seed(0)
q, k, v = (torch.randn(2, 4, 6, 8) for _ in range(3))


def causal(b, h, q_idx, kv_idx):
    return q_idx >= kv_idx


def near(b, h, q_idx, kv_idx):
    return q_idx - kv_idx < 2


same = torch.nn.functional.scaled_dot_product_attention
print(torch.allclose(flex_attention(q, k, v), same(q, k, v), atol=1e-6))
mask = create_block_mask(causal, 2, 4, 6, 6, BLOCK_SIZE=2)
print(torch.allclose(flex_attention(q, k, v, block_mask=mask), same(q, k, v, is_causal=True), atol=1e-6), mask, mask.to_dense()[0, 0])
bias = torch.linspace(0, 1, 6)
scored = flex_attention(q, k, v, score_mod=lambda score, b, h, i, j: score + bias[j] - h)
print(torch.allclose(scored, same(q, k, v, attn_mask=bias.expand(6, 6)), atol=1e-6))
both = create_mask(and_masks(causal, near), None, None, 4, 4)
print(both.int()[0, 0], create_block_mask(causal, None, None, 256, 256).sparsity())
out, lse = flex_attention(q, k[:, :2], v[:, :2], enable_gqa=True, return_lse=True)
print(torch.allclose(out, same(q, k[:, :2].repeat_interleave(2, 1), v[:, :2].repeat_interleave(2, 1)), atol=1e-6), lse.shape)
problem(flex_attention, q, k[:, :2], v[:, :2])
problem(flex_attention, q[0], k, v)

layers = torch.nn.Sequential(*[torch.nn.Linear(3, 3) for _ in range(4)])
given = torch.ones(2, 3, requires_grad=True)
print(torch.allclose(checkpoint_sequential(layers, 2, given, use_reentrant=False), layers(given)))
told = []
a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
handle = torch.autograd.graph.register_multi_grad_hook([a, b], lambda grads: told.append([grad.tolist() for grad in grads]))
(a * 2 + b * 3).sum().backward()
handle.remove()
(a * 2 + b * 3).sum().backward()
print(told, a.grad)
print(torch.utils.hooks.RemovableHandle.__name__, torch.autograd.graph.get_gradient_edge(a * 2).node.name())
from torch.utils.benchmark import Compare, Timer

timer = Timer("x + 1", globals={"x": x}, label="add", description="small")
measured = timer.timeit(3)
print(measured.number_per_run, len(measured.times), measured.median > 0, "3 runs per measurement, 1 thread" in repr(measured))
print(str(Compare([measured])).splitlines()[0].startswith("["), timer.blocked_autorange(min_run_time=0.001).mean > 0)
