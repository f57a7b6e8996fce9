"""DTensor.

Behaviour: torch/distributed/tensor/_api.py. Differs: ops item by item run on the parts; all others gather their
arguments first and give a replicated tensor (PyTorch has a rule for each op); gradients flow through none of them."""
import torch
from torch._C import _distributed_c10d as _c10d
from torch.distributed._groups import ReduceOp
from torch.distributed._work import _start
from torch.distributed.device_mesh import _default_mesh
from torch.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard

# What says something of the tensor, or works on the part that is here as it does on a whole tensor.
_OF_PARTS = {"dim", "ndimension", "element_size", "is_floating_point", "is_complex", "is_signed", "get_device",
             "is_contiguous", "is_inference", "is_tensor", "is_nonzero", "result_type", "can_cast", "backward"}
# One item of the result from the items at the same place.
_ITEM_BY_ITEM = {"abs", "neg", "negative", "exp", "log", "log2", "log10", "log1p", "expm1", "sqrt", "rsqrt", "square",
                 "reciprocal", "sign", "sin", "cos", "tan", "tanh", "sigmoid", "relu", "floor", "ceil", "round", "trunc",
                 "erf", "clamp", "clamp_min", "clamp_max", "clip", "add", "sub", "subtract", "mul", "multiply", "div",
                 "divide", "true_divide", "floor_divide", "remainder", "pow", "maximum", "minimum", "addcmul", "addcdiv",
                 "lerp", "where", "isnan", "isinf", "isfinite", "eq", "ne", "lt", "le", "gt", "ge", "logical_not",
                 "logical_and", "logical_or", "clone", "contiguous", "zeros_like", "ones_like", "empty_like",
                 "full_like", "to", "float", "double", "half", "bfloat16", "cpu", "detach", "alias", "nan_to_num",
                 "zero", "fill", "copy", "__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__",
                 "__truediv__", "__rtruediv__", "__pow__", "__rpow__", "__neg__", "__eq__", "__ne__", "__lt__",
                 "__le__", "__gt__", "__ge__"}


# Of these nobody expects a gradient.
_WITHOUT_GRADIENT = {"detach", "zeros_like", "ones_like", "empty_like", "full_like", "eq", "ne", "lt", "le", "gt", "ge",
                     "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "isnan", "isinf", "isfinite", "equal",
                     "allclose", "argmax", "argmin", "sign"}


def _chunks(size, count):
    """(begin, length) of each of `count` parts of a dimension. Behaviour: torch.chunk."""
    step = -(-size // count)
    return [(min(i * step, size), max(0, min(size - i * step, step))) for i in range(count)]


class DTensorSpec:
    """Where a distributed tensor lies."""

    def __init__(self, mesh, placements, shape):
        self.mesh, self.placements, self.shape = mesh, tuple(placements), torch.Size(shape)

    def is_like(self, other):
        return self.mesh == other.mesh and self.placements == other.placements and self.shape == other.shape

    def sharded(self):
        """[(dimension of the mesh, dimension of the tensor)] of what is in parts."""
        return [(i, one.dim) for i, one in enumerate(self.placements) if isinstance(one, Shard)]


class DTensor(torch.Tensor):
    """Of the global shape; what it holds is the part of this rank."""

    # What functions do with it is said below them: _call_distributed.
    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def from_local(local_tensor, device_mesh=None, placements=None, *, run_check=False, shape=None, stride=None):
        """A tensor of parts that the ranks have already; without `shape` all are of the same size."""
        if device_mesh is None:
            device_mesh = _default_mesh()
        placements = _normalised(placements, device_mesh, local_tensor.dim())
        if shape is None:
            shape = list(local_tensor.shape)
            for mesh_dim, dim in DTensorSpec(device_mesh, placements, shape).sharded():
                shape[dim] *= device_mesh.size(mesh_dim)
        return _wrap(local_tensor, DTensorSpec(device_mesh, placements, shape))

    @property
    def _local_tensor(self):
        return _c10d._part_here(self)

    def to_local(self, *, grad_placements=None):
        """The part of this rank. It shares its bytes."""
        return _c10d._part_here(self)

    def full_tensor(self, *, grad_placements=None):
        """All of it, on every rank, without a history; all ranks call it."""
        return _whole(self)

    def redistribute(self, device_mesh=None, placements=None, *, async_op=False):
        """The same tensor in other parts."""
        mesh = device_mesh or self.device_mesh
        if mesh != self.device_mesh:
            raise NotImplementedError("Cross device mesh comm not supported yet!")
        placements = _normalised(placements, mesh, self.dim())
        if any(isinstance(one, Partial) for one in placements):
            raise RuntimeError("Can not redistribute to Partial, redistributing to Partial is for internal use only!")
        return distribute_tensor(_whole(self), mesh, placements)

    @property
    def device_mesh(self):
        return self._spec.mesh

    @property
    def placements(self):
        return self._spec.placements

    @property
    def shape(self):
        return self._spec.shape

    @property
    def data(self):
        return self.detach()

    @data.setter
    def data(self, value):
        torch.Tensor.data.__set__(self, _c10d._part_here(value))

    def size(self, dim=None):
        return self._spec.shape if dim is None else self._spec.shape[dim]

    def stride(self, dim=None):
        strides, step = [], 1
        for size in reversed(self._spec.shape):
            strides.insert(0, step)
            step *= max(size, 1)
        return tuple(strides) if dim is None else strides[dim]

    def numel(self):
        return self._spec.shape.numel()

    nelement = numel

    def __len__(self):
        return self._spec.shape[0]

    def __repr__(self):
        return (f"DTensor(local_tensor={self._local_tensor}, device_mesh={self._spec.mesh}, "
                f"placements={self._spec.placements})")

    def detach(self):
        return _wrap(_c10d._part_here(self), self._spec)

    def item(self):
        return _whole(self).item()

    def tolist(self):
        return _whole(self).tolist()

    def numpy(self, *, force=False):
        return _whole(self).numpy(force=force)

    def __float__(self):
        return float(_whole(self))

    def __int__(self):
        return int(_whole(self))

    def __bool__(self):
        return bool(_whole(self))

    def __deepcopy__(self, memo):
        made = _wrap(_c10d._part_here(self).clone(), self._spec, type(self)).requires_grad_(self.requires_grad)
        memo[id(self)] = made
        return made

    def __reduce_ex__(self, protocol):
        raise NotImplementedError("a DTensor cannot be saved; .full_tensor() gives all of it, .to_local() the part of "
                                  "this rank")


class _DTensorParameter(DTensor, torch.nn.Parameter):
    """A DTensor that is a Parameter."""


_DTensorParameter.__name__ = _DTensorParameter.__qualname__ = "DTensor"
for _one in (DTensor, _DTensorParameter):
    _one.__module__ = "torch.distributed.tensor"


def _wrap(part, spec, cls=DTensor):
    """The part of this rank as what it is part of."""
    made = _c10d._part_here(part)
    made.__class__ = cls
    made._spec = spec
    return made


def _normalised(placements, mesh, ndim):
    if placements is None:
        return tuple(Replicate() for _ in range(mesh.ndim))
    placements = tuple(placements)
    if len(placements) != mesh.ndim:
        raise ValueError("`placements` must have the same length as `device_mesh.ndim`! Found placements length: "
                         f"{len(placements)}, and device_mesh.ndim: {mesh.ndim}.")
    for one in placements:
        if not isinstance(one, Placement):
            raise RuntimeError(f"Unknown parallel style placement: {one}")
    return tuple(Shard(one.dim + ndim) if isinstance(one, Shard) and one.dim < 0 else one for one in placements)


def _part_of(tensor, spec):
    """What this rank has of a whole tensor."""
    for mesh_dim, dim in spec.sharded():
        begin, length = _chunks(tensor.size(dim), spec.mesh.size(mesh_dim))[spec.mesh.get_coordinate()[mesh_dim]]
        tensor = tensor.narrow(dim, begin, length)
    return tensor


def distribute_tensor(tensor, device_mesh=None, placements=None, *, src_data_rank=0):
    """A whole tensor in parts: those of rank `src_data_rank` (None: each rank's own)."""
    if device_mesh is None:
        device_mesh = _default_mesh()
    if isinstance(tensor, DTensor):
        return tensor.redistribute(device_mesh, placements)
    if not tensor.is_leaf:
        raise RuntimeError("`distribute_tensor` should be used to distribute leaf tensors! but found non-leaf tensor!")
    placements = _normalised(placements, device_mesh, tensor.dim())
    if any(isinstance(one, Partial) for one in placements):
        raise RuntimeError("distribute_tensor does not support Partial")
    spec = DTensorSpec(device_mesh, placements, tensor.shape)
    with torch.no_grad():
        whole = tensor.detach()
        if src_data_rank is not None and not whole.is_meta:
            whole = whole.contiguous().clone()
            for group in device_mesh.get_all_groups():
                _start(group, "broadcast", root=src_data_rank, outputs=[whole]).wait()
        part = _part_of(whole, spec).clone()
    cls = _DTensorParameter if isinstance(tensor, torch.nn.Parameter) else DTensor
    return _wrap(part, spec, cls).requires_grad_(tensor.requires_grad)


def _gathered(part, group, dim, size):
    """The parts of all ranks of a group, one behind the other."""
    chunks = _chunks(size, group.size())
    most = chunks[0][1]
    own = part.movedim(dim, 0).contiguous()
    padded = own.new_zeros((most, *own.shape[1:]))
    padded[:own.size(0)].copy_(own)
    parts = [torch.empty_like(padded) for _ in range(group.size())]
    _start(group, "all_gather", inputs=[padded], outputs=parts).wait()
    whole = torch.cat([one[:length] for one, (_, length) in zip(parts, chunks)])
    return whole.movedim(0, dim).contiguous()


def _whole(tensor):
    """All of a DTensor, without a history."""
    spec = tensor._spec
    with torch.no_grad():
        part = _c10d._part_here(tensor)
        for mesh_dim, placement in enumerate(spec.placements):
            if isinstance(placement, Partial):
                part = part.clone()
                op = {"sum": ReduceOp.SUM, "avg": ReduceOp.AVG, "max": ReduceOp.MAX,
                      "min": ReduceOp.MIN}[placement.reduce_op]
                _start(spec.mesh.get_group(mesh_dim), "all_reduce", op, outputs=[part]).wait()
        for mesh_dim, dim in reversed(spec.sharded()):
            part = _gathered(part, spec.mesh.get_group(mesh_dim), dim, spec.shape[dim])
        return part


def _is_replicated(spec):
    return all(isinstance(one, Replicate) for one in spec.placements)


def _refuse_gradient(name, tensors):
    if torch.is_grad_enabled() and any(one.requires_grad for one in tensors):
        raise NotImplementedError(f"gradients do not flow through {name}() of a DTensor: call it within torch.no_grad()")


def _tensors_in(values):
    for one in values:
        if isinstance(one, torch.Tensor):
            yield one
        elif isinstance(one, (list, tuple)):
            yield from _tensors_in(one)


def _replaced(value, replace):
    if isinstance(value, DTensor):
        return replace(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_replaced(one, replace) for one in value)
    return value


def _wrapped(value, spec):
    if isinstance(value, torch.Tensor):
        return _wrap(value, DTensorSpec(spec.mesh, spec.placements, value.shape) if spec.shape is None else spec)
    if isinstance(value, (list, tuple)):
        return type(value)(_wrapped(one, spec) for one in value)
    return value


def _call(name, args, kwargs):
    """A function or method of torch that is given distributed tensors; NotImplemented: it does as with any tensor."""
    if name in _OF_PARTS:
        return NotImplemented
    tensors = list(_tensors_in((*args, *kwargs.values())))
    distributed = [one for one in tensors if isinstance(one, DTensor)]
    is_in_place = name.endswith("_") and not name.endswith("__")
    bare = name.rstrip("_") if is_in_place else name
    if is_in_place or bare not in _WITHOUT_GRADIENT:
        _refuse_gradient(name, distributed)
    function = getattr(torch.Tensor, name, None) or getattr(torch, name, None) or getattr(torch.nn.functional, name)
    # Replicated numbers fit to any placement.
    placed = [one for one in distributed if one.dim() > 0 or not _is_replicated(one._spec)] or distributed
    first = placed[0]._spec
    fits = all(one._spec.is_like(first) for one in placed) and not any(
        isinstance(one, Partial) for one in first.placements)
    if bare in _ITEM_BY_ITEM and fits:
        mixed = next((one for one in tensors if not isinstance(one, DTensor) and one.dim() > 0), None)
        if mixed is not None:
            raise RuntimeError(f"aten.{name.strip('_')}.Tensor: got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to "
                               "DTensor before calling distributed operators!")
        made = function(*_replaced(args, _c10d._part_here),
                        **{key: _replaced(value, _c10d._part_here) for key, value in kwargs.items()})
        return args[0] if is_in_place else _wrapped(made, first)
    if is_in_place or "out" in kwargs:
        raise NotImplementedError(f"{name}() writes to a DTensor in a way that is not supported; .to_local() gives the "
                                  "part of this rank")
    made = function(*_replaced(args, _whole), **{key: _replaced(value, _whole) for key, value in kwargs.items()})
    return _wrapped(made, _Replicated(first.mesh))


class _Replicated:
    """The placement of results of any shape."""

    shape = None

    def __init__(self, mesh):
        self.mesh, self.placements = mesh, tuple(Replicate() for _ in range(mesh.ndim))


def _global_norm(tensors, here, order):
    """Behaviour: torch.nn.utils.clip_grad_norm_ of DTensors, whose total is a DTensor, too."""
    spec = tensors[0]._spec
    if not all(one._spec.mesh == spec.mesh and one._spec.placements == spec.placements for one in tensors):
        raise NotImplementedError("the norm of DTensors that lie on several meshes, or in several ways")
    if order == 0:
        raise NotImplementedError("the norm of order 0 of DTensors")
    total = here.clone()
    for mesh_dim, _ in spec.sharded():
        group = spec.mesh.get_group(mesh_dim)
        if order in (float("inf"), float("-inf")):
            op = ReduceOp.MAX if order > 0 else ReduceOp.MIN
            _start(group, "all_reduce", op, outputs=[total]).wait()
        else:
            powers = total ** order
            _start(group, "all_reduce", outputs=[powers]).wait()
            total = powers ** (1.0 / order)
    return _wrap(total, DTensorSpec(spec.mesh, [Replicate()] * spec.mesh.ndim, total.shape))


DTensor._call_distributed, DTensor._norm_distributed = staticmethod(_call), staticmethod(_global_norm)
_c10d._expect_distributed_tensors()
