"""Ops of ATen that are made of others, as nodes of these. Behaviour: aten/src/ATen/native (CompositeImplicitAutograd), and of the
table for Core ATen torch/_decomp/decompositions.py.

A rule takes the walk, the node and its arguments in the new graph, and gives the node in its place; None: it stays."""
import torch
from torch.export._values import FakeTensor, contiguous_stride, times


def _shape(node):
    return tuple(node.meta["val"].shape)


def lies_contiguously(node):
    """Whether what the node gives lies in the order of its dimensions."""
    value = node.meta["val"]
    wanted = contiguous_stride(value.shape)
    return all(str(size) == "1" or str(a) == str(b) for size, a, b in zip(value.shape, value.stride(), wanted))


def flat(walk, node):
    """The node, or a copy of what it gives that a view can take apart."""
    if lies_contiguously(node):
        return node
    return walk.call("clone", "default", node, shape=_shape(node), memory_format=torch.contiguous_format)


def _linear(walk, node, input, weight, bias=None):
    shape, made = _shape(input), tuple(node.meta["val"].shape)
    turned = walk.call("permute", "default", weight, [1, 0], shape=tuple(reversed(_shape(weight))))
    if len(shape) == 2:
        if bias is None:
            return walk.call("mm", "default", input, turned)
        return walk.call("addmm", "default", bias, input, turned)
    rows = 1
    for size in shape[:-1]:
        rows = times(rows, size)
    if not isinstance(rows, int) or len(shape) < 2:
        return None if len(shape) != 1 else _linear_vector(walk, input, turned, bias)
    as_rows = walk.call("view", "default", flat(walk, input), [rows, shape[-1]], shape=(rows, shape[-1]))
    product = walk.call("mm", "default", as_rows, turned, shape=(rows, made[-1])) if bias is None else \
        walk.call("addmm", "default", bias, as_rows, turned, shape=(rows, made[-1]))
    return walk.call("view", "default", product, list(made))


def _linear_vector(walk, input, turned, bias):
    size = _shape(input)[0]
    row = walk.call("view", "default", input, [1, size], shape=(1, size))
    width = _shape(turned)[1]
    product = walk.call("mm", "default", row, turned, shape=(1, width)) if bias is None else \
        walk.call("addmm", "default", bias, row, turned, shape=(1, width))
    return walk.call("view", "default", product, [width])


def _matmul(walk, node, a, b):
    left, right = _shape(a), _shape(b)
    if len(left) == 2 and len(right) == 2:
        return walk.call("mm", "default", a, b)
    if len(left) == 1 and len(right) == 1:
        return walk.call("dot", "default", a, b)
    if len(left) == 2 and len(right) == 1:
        return walk.call("mv", "default", a, b)
    if len(left) == 3 and len(right) == 3 and left[0] == right[0]:
        return walk.call("bmm", "default", a, b)
    if not all(isinstance(size, int) for size in (*left, *right)):
        return None
    if len(left) >= 3 and len(right) == 2:
        rows = 1
        for size in left[:-1]:
            rows *= size
        as_rows = walk.call("view", "default", flat(walk, a), [rows, left[-1]], shape=(rows, left[-1]))
        product = walk.call("mm", "default", as_rows, b, shape=(rows, right[1]))
        return walk.call("view", "default", product, list(node.meta["val"].shape))
    if len(left) == len(right) and len(left) > 3 and left[:-2] == right[:-2]:
        count = 1
        for size in left[:-2]:
            count *= size
        flat_a = walk.call("view", "default", flat(walk, a), [count, *left[-2:]], shape=(count, *left[-2:]))
        flat_b = walk.call("view", "default", flat(walk, b), [count, *right[-2:]], shape=(count, *right[-2:]))
        product = walk.call("bmm", "default", flat_a, flat_b, shape=(count, left[-2], right[-1]))
        return walk.call("view", "default", product, list(node.meta["val"].shape))
    return None


def _convolution(dims, is_transposed):
    def rule(walk, node, input, weight, bias=None, stride=None, padding=None, *rest):
        if isinstance(padding, str):
            return None
        ones, zeros = [1] * dims, [0] * dims
        if is_transposed:
            output_padding, groups, dilation = (*rest, *(zeros, 1, ones)[len(rest):])
        else:
            dilation, groups = (*rest, *(ones, 1)[len(rest):])
            output_padding = zeros
        return walk.call("convolution", "default", input, weight, bias, stride or ones, padding or zeros, dilation, is_transposed,
                         output_padding, groups)
    return rule


def _batch_norm(walk, node, input, weight, bias, mean, var, training, momentum, eps, cudnn_enabled):
    like = input.meta["val"]
    channels = FakeTensor((like.shape[1],), (1,), like.dtype, like.device)
    if not training:
        made = walk.call("_native_batch_norm_legit_no_training", "default", input, weight, bias, mean, var, momentum, eps)
        made.meta["val"] = (node.meta["val"], channels, channels)
        return walk.item(made, 0)
    if mean is None:
        made = walk.call("_native_batch_norm_legit", "no_stats", input, weight, bias, True, momentum, eps)
        made.meta["val"] = (node.meta["val"], channels, channels)
        return walk.item(made, 0)
    made = walk.call("_native_batch_norm_legit_functional", "default", input, weight, bias, mean, var, True, momentum, eps)
    made.meta["val"] = (node.meta["val"], channels, channels, channels, channels)
    result = walk.item(made, 0)
    # The statistics go on from what this call found.
    for old, index in ((node.args[3], 3), (node.args[4], 4)):
        walk._changed(old, walk.item(made, index))
    return result


def _layer_norm(walk, node, input, shape, weight=None, bias=None, eps=1e-05, cudnn_enable=True):
    like = input.meta["val"]
    rows = FakeTensor((*like.shape[:len(like.shape) - len(shape)], *[1] * len(shape)), [1] * len(like.shape), like.dtype, like.device)
    made = walk.call("native_layer_norm", "default", input, shape, weight, bias, eps)
    made.meta["val"] = (node.meta["val"], rows, rows)
    return walk.item(made, 0)


def _group_norm(walk, node, input, groups, weight=None, bias=None, eps=1e-05, cudnn_enabled=True):
    like = input.meta["val"]
    if not all(isinstance(size, int) for size in like.shape):
        return None
    area = 1
    for size in like.shape[2:]:
        area *= size
    made = walk.call("native_group_norm", "default", input, weight, bias, like.shape[0], like.shape[1], area, groups, eps)
    sums = FakeTensor((like.shape[0], groups), (groups, 1), like.dtype, like.device)
    made.meta["val"] = (node.meta["val"], sums, sums)
    return walk.item(made, 0)


def _dropout(walk, node, input, p, train):
    if not train or p == 0:
        return walk.call("clone", "default", input)
    made = walk.call("native_dropout", "default", input, p, True)
    like = node.meta["val"]
    made.meta["val"] = (like, FakeTensor(like.shape, like.stride(), torch.bool, like.device))
    return walk.item(made, 0)


def _softmax(name):
    def rule(walk, node, input, dim, dtype=None):
        if dtype is not None and dtype is not input.meta["val"].dtype:
            input = walk.call("_to_copy", "default", input, dtype=dtype)
        return walk.call(name, "default", input, dim, False)
    return rule


def _max_pool(walk, node, input, *args):
    made = walk.call("max_pool2d_with_indices", "default", input, *args)
    like = node.meta["val"]
    made.meta["val"] = (like, FakeTensor(like.shape, like.stride(), torch.int64, like.device))
    return walk.item(made, 0)


def _adaptive_pool(walk, node, input, size):
    if list(size) == [1, 1]:
        return walk.call("mean", "dim", input, [-1, -2], True)
    return walk.call("_adaptive_avg_pool2d", "default", input, size)


def _viewed(walk, node, input, *rest):
    if not _all_ints(node):
        return None
    return walk.call("view", "default", flat(walk, input), list(node.meta["val"].shape))


def _reshaped(walk, node, input, shape):
    return walk.call("view", "default", flat(walk, input), list(node.meta["val"].shape) if _all_ints(node) else shape)


def _all_ints(node):
    return all(isinstance(size, int) for size in node.meta["val"].shape)


def _turned(walk, node, input, *rest):
    ndim = len(_shape(input))
    order = list(range(ndim))
    if rest:
        first, second = (dim % ndim for dim in rest)
        order[first], order[second] = order[second], order[first]
    else:
        order.reverse()
    return walk.call("permute", "default", input, order)


def _transposed(walk, node, input, *rest):
    return walk.call("transpose", "int", input, *(rest or (-2, -1)))


def _to(walk, node, input, *args, **kwargs):
    return walk.call("_to_copy", "default", input, dtype=node.meta["val"].dtype)


def _chunk(walk, node, input, chunks, dim=0):
    size = _shape(input)[dim]
    if not isinstance(size, int):
        return None
    each = -(-size // chunks)
    made = walk.call("split", "Tensor", input, each, dim)
    made.meta["val"] = node.meta["val"]
    return made




def _elementwise(name, overload):
    return lambda walk, node, *args, **kwargs: walk.call(name, overload, *args, **kwargs)




# What goes whatever the table says: other names of views, what writes without saying so, copies that may copy nothing.
COMPOSITES = {
    ("batch_norm", None): _batch_norm, ("dropout", None): _dropout, ("reshape", None): _reshaped, ("flatten", None): _viewed,
    ("unflatten", None): _viewed, ("view_as", None): _viewed, ("reshape_as", None): _viewed, ("numpy_T", None): _turned,
    ("mT", None): _transposed, ("swapaxes", None): _transposed, ("swapdims", None): _transposed, ("to", None): _to,
    ("chunk", None): _chunk, ("feature_dropout", None): lambda walk, node, input, p, train: input if not train else None,
    ("alpha_dropout", None): lambda walk, node, input, p, train: input if not train else None,
}


def _silu(walk, node, input):
    return walk.call("mul", "Tensor", input, walk.call("sigmoid", "default", input))


def _square(walk, node, input):
    return walk.call("pow", "Tensor_Scalar", input, 2)


def _rsub(walk, node, input, other, alpha=1):
    if alpha != 1:
        return None
    like = input.meta["val"]
    number = walk.call("full", "default", [], other, shape=(), dtype=like.dtype)
    return walk.call("sub", "Tensor", number, input)


# By "name.overload". Ops that are made of others, which the table for Core ATen takes apart.
_CORE = {
    "linear.default": _linear, "matmul.default": _matmul, "layer_norm.default": _layer_norm, "group_norm.default": _group_norm,
    "softmax.int": _softmax("_softmax"), "log_softmax.int": _softmax("_log_softmax"), "max_pool2d.default": _max_pool,
    "adaptive_avg_pool2d.default": _adaptive_pool, "transpose.int": _turned, "t.default": _turned, "silu.default": _silu,
    "square.default": _square, "rsub.Scalar": _rsub, "__and__.Tensor": _elementwise("bitwise_and", "Tensor"),
    "__or__.Tensor": _elementwise("bitwise_or", "Tensor"), "__xor__.Tensor": _elementwise("bitwise_xor", "Tensor"),
    "__and__.Scalar": _elementwise("bitwise_and", "Scalar"), "__or__.Scalar": _elementwise("bitwise_or", "Scalar"),
    "__xor__.Scalar": _elementwise("bitwise_xor", "Scalar"), "conv1d.default": _convolution(1, False),
    "conv2d.default": _convolution(2, False), "conv3d.default": _convolution(3, False),
    "conv_transpose1d.default": _convolution(1, True), "conv_transpose2d.input": _convolution(2, True),
    "conv_transpose3d.input": _convolution(3, True),
}


def core_table():
    """The table for Core ATen: {op: rule}."""
    made = {}
    for key, rule in _CORE.items():
        name, _, overload = key.partition(".")
        made[getattr(getattr(torch.ops.aten, name), overload)] = rule
    return made
