"""What a program calls, as calls of ATen's ops: torch.add(x, 1) is add.Tensor(x, 1), nn.functional.dropout is dropout.default.

A step is what core/ops/op_recorder.h tells of: a place ("" an op, "torch" a function or method, "nn.functional"), a name
and the arguments that are no defaults. Most have ATen's name and its parameters' names; the tables below are those that have not.
Behaviour: tools/autograd/templates/python_variable_methods.cpp, torch/functional.py, torch/nn/functional.py."""
import torch
from torch import _aten

_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
_END = 9223372036854775807

# Ops of ours that are no ops of ATen: they are parts of derivatives, or of functions that are taken whole. The op that runs alone
# has no name in a graph.
PARTS = frozenset("""trunc_divide as_strided_backward unfold_backward _pool_scatter _pool_gather _avg_pool_backward
_adaptive_avg_pool_backward _upsample_backward _grid_sampler_backward native_layer_norm_backward native_group_norm_backward
_fused_rms_norm_backward native_batch_norm_backward _scaled_dot_product_flash_attention_for_cpu_backward embedding_dense_backward
_cross_entropy_fused _cross_entropy_backward _class_loss_shares _ctc_loss _ctc_loss_backward _convolution_weight_gradient
convolution_backward _pad_backward _pad_circular _linalg_solve_ex _linalg_det _linalg_slogdet _linalg_svd _linalg_eigh _linalg_eig
_linalg_pinv _linalg_lstsq rrelu_with_noise_functional native_dropout_backward _dropped_attention
_dropped_attention_backward""".split())


# Functions of torch.nn.functional in Python, which are one op here: a tape writes down what they are made of.
_STEPWISE = ("softsign",)


class NoOp(NotImplementedError):
    """A call that is no op of ATen."""


def _renamed(name, **names):
    """The op of another name, with other names for some parameters."""
    def rewrite(given):
        return name, {names.get(key, key): value for key, value in given.items()}
    return rewrite


def _casting(dtype):
    return lambda given: ("to", {"self": given["input"], "dtype": dtype})


def _sub(given):
    if isinstance(given["input"], torch.Tensor):
        return "sub", given
    # 1 - x
    return "rsub", {**given, "self": given["other"], "other": given["input"], "input": None}


def _slice(given):
    start, end = given.get("start"), given.get("end")
    return "slice", {**given, "start": 0 if start is None else start, "end": _END if end is None else end}


def _places(given):
    """The list of indices that ATen takes: None for each dimension without one."""
    places = [None] * (max(given["dims"]) + 1)
    for dim, index in zip(given["dims"], given["indices"]):
        places[dim] = index
    return places


def _index(given):
    return "index", {"self": given["input"], "indices": _places(given)}


def _index_put(given):
    return "index_put", {"self": given["input"], "indices": _places(given), "values": given["values"],
                         "accumulate": given.get("accumulate", False)}


def _split(given):
    size = given.get("split_size_or_sections", given.get("split_size", given.get("split_sizes")))
    tensor = given.get("input", given.get("tensor"))
    if isinstance(size, (tuple, list)) and len(size) == 1 and "split_size_or_sections" not in given:
        size = size[0]
    if isinstance(size, (tuple, list)):
        return "split_with_sizes", {"self": tensor, "split_sizes": size, "dim": given.get("dim", 0)}
    return "split", {"self": tensor, "split_size": size, "dim": given.get("dim", 0)}


def _to(given):
    tensor, dtype, device = given["input"], given.get("dtype"), given.get("device")
    rest = {key: given[key] for key in ("non_blocking", "copy", "memory_format") if given.get(key) is not None}
    if "other" in given:
        return "to", {"self": tensor, "other": given["other"], **rest}
    if device is None:
        return "to", {"self": tensor, "dtype": dtype if dtype is not None else tensor.dtype, **rest}
    if dtype is None:
        return "to", {"self": tensor, "dtype": tensor.dtype, "layout": torch.strided, "device": torch.device(device), **rest}
    return "to.device", {"self": tensor, "device": torch.device(device), "dtype": dtype, **rest}


def _norm(given):
    order = given.get("p", 2)
    return "linalg_vector_norm", {"self": given["input"], "ord": 2 if order in (None, "fro") else order, "dim": given.get("dim"),
                                  "keepdim": given.get("keepdim", False), "dtype": given.get("dtype")}


def _upsample(name, has_corners):
    def rewrite(given):
        scales = given.get("scales")
        made = {"input": given["input"], "output_size": given["output_size"] if scales is None else None,
                "scale_factors": None if scales is None else [float(one) for one in scales]}
        if has_corners:
            made["align_corners"] = given.get("align_corners", False)
        return name, made
    return rewrite


def _dropout(name):
    def rewrite(given):
        return name + ("_" if given.get("inplace") else ""), {
            "input": given["input"], "self": None, "p": float(given.get("p", 0.5)),
            "train": given.get("training", name not in ("alpha_dropout", "feature_alpha_dropout"))}
    return rewrite


def _loss(name, *keep, **names):
    def rewrite(given):
        made = {names.get(key, key): given[key] for key in ("input", *keep) if key in given}
        return name, {**made, "reduction": _REDUCTIONS[given.get("reduction") or "mean"]}
    return rewrite


def _in_place_if_asked(name):
    def rewrite(given):
        rest = {key: value for key, value in given.items() if key != "inplace"}
        return name + ("_" if given.get("inplace") else ""), rest
    return rewrite


def _factory(name, has_device):
    """Makers of tensors say where, and whether pinned. Behaviour: torch/csrc/utils/python_arg_parser.h, TensorOptions."""
    def rewrite(given):
        rest = {key: value for key, value in given.items() if key not in ("requires_grad", "out", "generator", "layout")}
        device = rest.get("device")
        if device is not None:
            device = torch.device(device)
            rest["device"] = torch.device("cpu") if device.type == "meta" else device
        elif has_device:
            rest["device"] = torch.device("cpu")
        rest["pin_memory"] = bool(given.get("pin_memory"))
        return name, rest
    return rewrite


# By "place:name", else by the name alone.
_SPECIAL = {
    ":sub": _sub, ":slice": _slice, ":index": _index, ":_index_put_impl": _index_put, "split": _split,
    "split_with_sizes": _split, "to": _to, "norm": _norm, ":_vector_norm": _norm, "copy_": _renamed("copy_", other="src"),
    "cpu": lambda given: _to({**given, "device": "cpu"}), ":bitwise_and": _renamed("__and__"), ":bitwise_or": _renamed("__or__"),
    ":bitwise_xor": _renamed("__xor__"), ":bitwise_left_shift": _renamed("__lshift__"),
    ":bitwise_right_shift": _renamed("__rshift__"), "logsigmoid": _renamed("log_sigmoid"), "nll_loss": _renamed("nll_loss_nd"),
    ":_block_diag": _renamed("block_diag"), ":to": _renamed("to"), ":mish": _renamed("mish"),
    "nn.functional:instance_norm": _renamed("instance_norm"),
    "nn.functional:affine_grid": lambda given: ("affine_grid_generator", {
        "theta": given["theta"], "size": given["size"], "align_corners": bool(given.get("align_corners"))}),
    "nn.functional:dropout1d": _dropout("feature_dropout"), "nn.functional:dropout2d": _dropout("feature_dropout"),
    "nn.functional:dropout3d": _dropout("feature_dropout"), "nn.functional:relu6": _in_place_if_asked("relu6"),
    "nn.functional:rrelu": _in_place_if_asked("rrelu"),
    "nn.functional:l1_loss": _loss("l1_loss", "target"),
    "nn.functional:kl_div": _loss("kl_div", "target", "log_target"),
    "nn.functional:hinge_embedding_loss": _loss("hinge_embedding_loss", "target", "margin"),
    "nn.functional:margin_ranking_loss": _loss("margin_ranking_loss", "input1", "input2", "target", "margin"),
    "nn.functional:cosine_embedding_loss": _loss("cosine_embedding_loss", "input1", "input2", "target", "margin"),
    "nn.functional:multi_margin_loss": _loss("multi_margin_loss", "target", "p", "margin", "weight"),
    "nn.functional:multilabel_margin_loss": _loss("multilabel_margin_loss", "target"),
    "nn.functional:triplet_margin_loss": _loss("triplet_margin_loss", "anchor", "positive", "negative", "margin", "p", "eps", "swap"),
    "nn.functional:poisson_nll_loss": lambda given: ("poisson_nll_loss", {
        "input": given["input"], "target": given["target"], "log_input": given.get("log_input", True),
        "full": given.get("full", False), "eps": given.get("eps", 1e-8), "reduction": _REDUCTIONS[given.get("reduction") or "mean"]}),
    "nn.functional:bilinear": _renamed("bilinear"), "nn.functional:cosine_similarity": _renamed("cosine_similarity"),
    "nn.functional:pairwise_distance": _renamed("pairwise_distance"), "nn.functional:pdist": _renamed("pdist"),
}
for _name in ("dropout", "alpha_dropout", "feature_alpha_dropout"):
    _SPECIAL[f"nn.functional:{_name}"] = _dropout(_name)
for _name, _dtype in (("float", torch.float32), ("double", torch.float64), ("half", torch.float16), ("bfloat16", torch.bfloat16),
                      ("int", torch.int32), ("long", torch.int64), ("short", torch.int16), ("char", torch.int8),
                      ("byte", torch.uint8), ("bool", torch.bool), ("cfloat", torch.complex64), ("cdouble", torch.complex128)):
    _SPECIAL[f"torch:{_name}"] = _casting(_dtype)
for _name in ("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d"):
    _SPECIAL[_name] = _upsample(_name, False)
    _SPECIAL[f"_{_name.replace('nearest', 'nearest_exact')}"] = _upsample(f"_{_name.replace('nearest', 'nearest_exact')}", False)
for _name in ("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d", "upsample_bicubic2d", "_upsample_bilinear2d_aa",
              "_upsample_bicubic2d_aa"):
    _SPECIAL[_name] = _upsample(_name, True)
_NEW = ("zeros_like", "ones_like", "empty_like", "rand_like", "randn_like", "full_like", "randint_like", "new_zeros", "new_ones",
        "new_empty", "new_full")
for _name in ("empty", "zeros", "ones", "full", "rand", "randn", "eye", "arange", "linspace", "logspace", "randint", "randperm",
              "scalar_tensor", "empty_strided", "tril_indices", "triu_indices", "hann_window", "hamming_window", "blackman_window",
              "bartlett_window"):
    _SPECIAL[f"torch:{_name}"] = _factory(_name, True)
for _name in _NEW:
    _SPECIAL[f"torch:{_name}"] = _factory(_name, False)

# Functions of torch.linalg and their like are ATen's with the module in front.
_PREFIXES = {"torch.linalg": "linalg_", "torch.fft": "fft_", "torch.special": "special_"}
_PLAIN = {"special_expm1": "expm1", "special_exp2": "exp2", "special_gammaln": "lgamma", "special_psi": "digamma",
          "special_digamma": "digamma", "special_erf": "erf", "special_erfc": "erfc", "special_erfinv": "erfinv",
          "special_expit": "sigmoid", "special_i0": "i0", "special_log1p": "log1p", "special_logit": "logit", "special_sinc": "sinc",
          "special_xlogy": "xlogy", "special_logsumexp": "logsumexp", "special_softmax": "softmax", "special_log_softmax": "log_softmax"}


def taken():
    """The names that a recorder takes as one step."""
    names = {name for name in _aten.names() if not name.startswith("sym_")} - {"where_"}
    names |= {key.partition(":")[2] if key.startswith(("torch:", ":")) else key for key in _SPECIAL if ":" not in key or
              key.startswith(("torch:", ":"))}
    # Their own names; "torch.linalg.inv" is linalg_inv.
    for module, prefix in _PREFIXES.items():
        names |= {f"{module}.{name[len(prefix):]}" for name in _aten.names() if name.startswith(prefix)}
        names |= {f"{module}.{name[len(prefix):]}" for name in _PLAIN if name.startswith(prefix)}
    names |= {key.replace(":", ".") for key in _SPECIAL if key.startswith("nn.functional:")}
    return sorted(names | {"tensor", "_lifted_number"})


def _candidates(name):
    base, dot, overload = name.partition(".")
    found = _aten.schemas(base)
    return [one for one in found if not dot or one.overload == overload]


def aten_name(place, name):
    """The name of ATen's op for a step without its arguments, or None; for tables and tests."""
    full = _PREFIXES.get(place, "") + name
    full = _PLAIN.get(full, full)
    for key in (f"{place}:{name}", full):
        if key in _SPECIAL:
            return full
    return full if _aten.schemas(full) or _aten.schemas(f"{full}_") or full in _STEPWISE else None


def aten_call(place, name, is_in_place, names, values):
    """(name, schema, args, kwargs) of the op that a step is. Errors: NoOp."""
    given = dict(zip(names, values))
    full = _PREFIXES.get(place, "") + name
    full = _PLAIN.get(full, full)
    rewrite = _SPECIAL.get(f"{place}:{name}") or _SPECIAL.get(full)
    if rewrite is not None:
        full, given = rewrite(given)
    if is_in_place and not full.endswith("_"):
        full += "_"
    elif is_in_place and full.endswith("__"):
        full = "__i" + full[2:]
    for schema in _candidates(full):
        wanted = {one.name for one in schema.arguments}
        fitting = dict(given)
        for other in ("input", "self"):
            if other in fitting and other not in wanted:
                partner = "self" if other == "input" else "input"
                if partner in wanted and fitting.get(partner) is None:
                    fitting[partner] = fitting.pop(other)
        bound = schema.bind(fitting)
        if bound is not None:
            return full.partition(".")[0], schema, *bound
    where = f"{place}." if place else "aten::"
    raise NoOp(f"torch.export: {where}{name} with the arguments ({', '.join(given)}) has no op of ATen here")
