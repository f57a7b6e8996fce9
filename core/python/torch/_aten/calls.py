"""What runs when torch.ops.aten.<name> is called, where no function of torch takes ATen's arguments in their order."""
import torch
from torch.nn import functional as F

VIEWS = frozenset("""view reshape expand expand_as view_as transpose permute t squeeze unsqueeze select slice narrow diagonal unfold
as_strided unbind split split_with_sizes chunk alias detach view_as_real view_as_complex movedim swapaxes swapdims numpy_T mT mH
flatten unflatten""".split())

_REDUCTIONS = ("none", "mean", "sum")


def _op(name):
    return torch._C._op_function(name)


def _size(given):
    """An empty list of ATen's is None here."""
    return None if isinstance(given, (list, tuple)) and not given else given


def _pool(name):
    def call(self, kernel_size, stride=(), *rest, **kwargs):
        return _op(name)(self, kernel_size, _size(stride), *rest, **kwargs)
    return call


def _inplace(function, *names):
    def call(self, *args):
        return function(self, *args, inplace=True)
    return call




def _l1_loss(self, target, reduction=1):
    return F.l1_loss(self, target, reduction=_REDUCTIONS[reduction])


def _kl_div(self, target, reduction=1, *, log_target=False):
    return F.kl_div(self, target, reduction=_REDUCTIONS[reduction], log_target=log_target)


def _margin_loss(function, tensors):
    def call(*args):
        given, rest = args[:tensors], list(args[tensors:])
        reduction = rest.pop() if len(rest) > 1 else 1
        return function(*given, *rest, reduction=_REDUCTIONS[reduction])
    return call


def _triplet(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-06, swap=False, reduction=1):
    return F.triplet_margin_loss(anchor, positive, negative, margin=margin, p=p, eps=eps, swap=swap,
                                 reduction=_REDUCTIONS[reduction])


def _poisson(input, target, log_input, full, eps, reduction):
    return F.poisson_nll_loss(input, target, log_input=log_input, full=full, eps=eps, reduction=_REDUCTIONS[reduction])


def _multi_margin(self, target, p=1, margin=1, weight=None, reduction=1):
    return F.multi_margin_loss(self, target, p=p, margin=margin, weight=weight, reduction=_REDUCTIONS[reduction])


def _instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled=True):
    return F.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def _index(self, indices):
    return self[tuple(slice(None) if one is None else one for one in indices)]


def _index_put_(self, indices, values, accumulate=False):
    key = [slice(None) if one is None else one for one in indices]
    if accumulate:
        return self.index_put_(tuple(indices), values, accumulate=True)
    self[tuple(key)] = values
    return self


def _index_put(self, indices, values, accumulate=False):
    return _index_put_(self.clone(), indices, values, accumulate)


def _to(self, *args, **kwargs):
    kwargs = {key: value for key, value in kwargs.items() if key not in ("layout", "pin_memory")}
    return self.to(*args, **kwargs)


def _to_copy(self, *, dtype=None, layout=None, device=None, pin_memory=None, non_blocking=False, memory_format=None):
    kwargs = {key: value for key, value in (("dtype", dtype), ("device", device)) if value is not None}
    return self.to(**kwargs, copy=True) if kwargs else self.clone()


def _recurrence(name):
    def call(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first):
        state = hx if name == "lstm" else (hx,)
        hidden = params[1].shape[1]
        width = 4 if has_biases else 2
        projected = name == "lstm" and len(params) == (width + 1) * num_layers * (2 if bidirectional else 1)
        kinds = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "rnn_tanh": torch.nn.RNN, "rnn_relu": torch.nn.RNN}
        extra = {"nonlinearity": name[4:]} if name.startswith("rnn_") else {}
        if projected:
            hidden, extra["proj_size"] = params[0].shape[0] // 4, params[1].shape[1]
        layer = kinds[name](input.shape[-1], hidden, num_layers, bias=has_biases, batch_first=batch_first, dropout=dropout,
                            bidirectional=bidirectional, device="meta", **extra)
        names = [key for key, _ in layer.named_parameters()]
        layer.train(train)
        given = state if name == "lstm" else state[0]
        output, last = torch.func.functional_call(layer, dict(zip(names, params)), (input, tuple(given) if name == "lstm" else given))
        return (output, *last) if name == "lstm" else (output, last)
    return call


def _upsample(name, has_corners):
    def call(input, output_size, *rest):
        corners, scales = (rest[0], rest[1]) if has_corners else (False, rest[0])
        if output_size is None:
            output_size = [int(size * scale) for size, scale in zip(input.shape[2:], scales)]
        return _op(name)(input, tuple(output_size), corners, None if scales is None else tuple(scales))
    return call


def _norm(self, p=2, dim=None, keepdim=False, dtype=None):
    return torch.norm(self, p, dim, keepdim, dtype=dtype)


def _native_batch_norm_legit_functional(input, weight, bias, running_mean, running_var, training, momentum, eps):
    mean, var = running_mean.clone(), running_var.clone()
    made = torch.native_batch_norm(input, weight, bias, mean, var, training, momentum, eps)
    return (*made, mean, var)


def _native_batch_norm_legit_no_training(input, weight, bias, running_mean, running_var, momentum, eps):
    return torch.native_batch_norm(input, weight, bias, running_mean, running_var, False, momentum, eps)


def _without_options(function):
    """Makers of tensors take no layout here."""
    def call(*args, **kwargs):
        kwargs = {key: value for key, value in kwargs.items() if key not in ("layout", "pin_memory") and value is not None}
        return function(*args, **kwargs)
    return call


BODIES = {
    "max_pool1d": _pool("max_pool1d"), "max_pool2d": _pool("max_pool2d"), "max_pool3d": _pool("max_pool3d"),
    "max_pool2d_with_indices": _pool("max_pool2d_with_indices"), "avg_pool1d": _pool("avg_pool1d"),
    "avg_pool2d": _pool("avg_pool2d"), "avg_pool3d": _pool("avg_pool3d"), "log_sigmoid": F.logsigmoid,
    "nll_loss_nd": lambda *args, **kwargs: _op("nll_loss")(*args, **kwargs), "l1_loss": _l1_loss, "kl_div": _kl_div,
    "margin_ranking_loss": _margin_loss(F.margin_ranking_loss, 3), "cosine_embedding_loss": _margin_loss(F.cosine_embedding_loss, 3),
    "hinge_embedding_loss": _margin_loss(F.hinge_embedding_loss, 2), "triplet_margin_loss": _triplet, "poisson_nll_loss": _poisson,
    "multi_margin_loss": _multi_margin, "instance_norm": _instance_norm, "relu6": F.relu6,
    "multilabel_margin_loss": lambda self, target, reduction=1: F.multilabel_margin_loss(self, target,
                                                                                        reduction=_REDUCTIONS[reduction]),
    "dropout_": _inplace(F.dropout), "alpha_dropout_": _inplace(F.alpha_dropout), "feature_dropout": torch.feature_dropout,
    "silu_": _inplace(F.silu), "mish_": _inplace(F.mish), "hardsigmoid_": _inplace(F.hardsigmoid), "hardswish_": _inplace(F.hardswish),
    "relu6_": _inplace(F.relu6), "index": _index, "index_put": _index_put, "index_put_": _index_put_, "to": _to, "_to_copy": _to_copy,
    "lift_fresh_copy": lambda self: self.clone(), "lift_fresh": lambda self: self, "detach_": lambda self: self.detach_(),
    "numpy_T": lambda self: self.T, "mT": lambda self: self.mT, "mH": lambda self: self.mH, "norm": _norm,
    "polygamma": lambda n, self: torch.polygamma(n, self), "rsub": lambda self, other, alpha=1: other - self * alpha if alpha != 1
    else other - self, "_softmax": lambda self, dim, half_to_float: torch.softmax(self, dim),
    "_log_softmax": lambda self, dim, half_to_float: torch.log_softmax(self, dim),
    "einsum": lambda equation, tensors, path=None: torch.einsum(equation, *tensors),
    "meshgrid": lambda tensors, indexing="ij": torch.meshgrid(*tensors, indexing=indexing),
    "broadcast_tensors": lambda tensors: torch.broadcast_tensors(*tensors), "block_diag": lambda tensors: torch.block_diag(*tensors),
    "clamp_min": lambda self, min: torch.clamp(self, min=min), "clamp_max": lambda self, max: torch.clamp(self, max=max),
    "affine_grid_generator": lambda theta, size, align_corners: F.affine_grid(theta, list(size), align_corners=align_corners),
    "sym_size": lambda self, dim: self.shape[dim], "sym_numel": lambda self: self.numel(),
    "_assert_tensor_metadata": lambda *args, **kwargs: None, "t_copy": lambda self: self.t().clone(),
    "__and__": lambda self, other: self & other, "__or__": lambda self, other: self | other, "__xor__": lambda self, other: self ^ other,
    "__lshift__": lambda self, other: self << other, "__rshift__": lambda self, other: self >> other,
    "_native_batch_norm_legit_functional": _native_batch_norm_legit_functional,
    "_native_batch_norm_legit_no_training": _native_batch_norm_legit_no_training, "lstm": _recurrence("lstm"),
    "_unsafe_view": lambda self, size: self.reshape(size), "gru": _recurrence("gru"), "rnn_tanh": _recurrence("rnn_tanh"),
    "rnn_relu": _recurrence("rnn_relu"), "split": lambda self, size, dim=0: self.split(size, dim),
    "clone": lambda self, *, memory_format=None: self.clone(),
    "contiguous": lambda self, *, memory_format=None: self.contiguous(),
    "embedding_bag": lambda *args: (_op("embedding_bag")(*args), None, None, None),
    "_local_scalar_dense": lambda self: self.item(),
    "copy": lambda self, src, non_blocking=False: self.clone().copy_(src),
    "adjoint": lambda self: self.adjoint(), "matrix_H": lambda self: self.H,
}
for _name in ("nearest1d", "nearest2d", "nearest3d"):
    BODIES[f"upsample_{_name}"] = _upsample(f"upsample_{_name}", False)
    _exact = f"_upsample_{_name.replace('nearest', 'nearest_exact')}"
    BODIES[_exact] = _upsample(_exact, False)
for _name in ("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d", "_upsample_bilinear2d_aa",
              "_upsample_bicubic2d_aa"):
    BODIES[_name] = _upsample(_name, True)
for _name in ("empty", "zeros", "ones", "full", "rand", "randn", "eye", "arange", "linspace", "logspace", "randint", "randperm",
              "zeros_like", "ones_like", "empty_like", "rand_like", "randn_like", "full_like"):
    BODIES[_name] = _without_options(getattr(torch, _name))
for _name in ("new_zeros", "new_ones", "new_empty", "new_full"):
    BODIES[_name] = _without_options(getattr(torch.Tensor, _name))
