"""Tensors of layout torch.sparse_coo: indices and values, and what functions of torch make of them.

Behaviour: aten/src/ATen/native/sparse/{SparseTensor,SparseTensorMath,SoftMax}.cpp; torch/csrc/utils/tensor_new.cpp.
Gradients flow through the values."""
import torch
from torch._type_info import cpp_name
from torch.autograd.function import BackwardCFunction, Function

_make = torch._C._sparse
_parts = torch._C._sparse_parts
checks_invariants = False


def _is_sparse(value):
    return isinstance(value, torch.Tensor) and value.is_sparse


def _no_kernel(name):
    return NotImplementedError(
        f"Could not run 'aten::{name}' with arguments from the 'SparseCPU' backend. This could be because the operator "
        "doesn't exist for this backend, or was omitted during the selective/custom build process (if using custom "
        "build).")


def _with_values(self, values):
    indices, _, is_coalesced = _parts(self)
    return _make(indices, values, tuple(self.shape), is_coalesced)


def _positions(indices, sizes):
    """The place of each column in a row of all places."""
    place = torch.zeros(indices.size(1), dtype=torch.long)
    for row, size in zip(indices.unbind(0), sizes):
        place = place * size + row
    return place


def _add_up(values, places, count):
    """values whose places are equal, added."""
    out = torch.zeros((count, *values.shape[1:]), dtype=values.dtype)
    if values.dtype == torch.bool:
        return out.int().index_add(0, places, values.int()) > 0
    return out.index_add(0, places, values)


class SparseAddmm(Function):
    """matrix @ dense, of a sparse matrix."""

    @staticmethod
    def forward(ctx, indices, values, rows, dense):
        ctx.save_for_backward(indices, values, dense)
        return _add_up(values.unsqueeze(1) * dense[indices[1]], indices[0], rows)

    @staticmethod
    def backward(ctx, gradient):
        indices, values, dense = ctx.saved_tensors
        of_values = of_dense = None
        if ctx.needs_input_grad[1]:
            of_values = (gradient[indices[0]] * dense[indices[1]]).sum(1)
        if ctx.needs_input_grad[3]:
            of_dense = _add_up(values.unsqueeze(1) * gradient[indices[0]], indices[1], dense.size(0))
        return None, of_values, None, of_dense


class ToSparse(Function):
    """The items of a dense tensor at the places of `indices`."""

    @staticmethod
    def forward(ctx, dense, indices):
        ctx.save_for_backward(indices)
        ctx.shape = dense.shape
        return dense[tuple(indices.unbind(0))].contiguous()

    @staticmethod
    def backward(ctx, gradient):
        indices, = ctx.saved_tensors
        out = torch.zeros(ctx.shape, dtype=gradient.dtype)
        out[tuple(indices.unbind(0))] = gradient
        return out, None


class ToDense(Function):
    """A dense tensor with the items at their places."""

    @staticmethod
    def forward(ctx, indices, values, shape):
        ctx.save_for_backward(indices)
        count = indices.size(0)
        places = 1
        for size in shape[:count]:
            places *= size
        return _add_up(values, _positions(indices, shape), places).view(shape)

    @staticmethod
    def backward(ctx, gradient):
        indices, = ctx.saved_tensors
        return None, gradient[tuple(indices.unbind(0))], None


for _function in (SparseAddmm, ToSparse, ToDense):
    _name = f"{_function.__name__}Backward0"
    _function._backward_cls = type(_name, (BackwardCFunction,), {"__module__": "torch.autograd.function"})


def sparse_coo_tensor(indices, values=None, size=None, *, dtype=None, device=None, pin_memory=False,
                      requires_grad=False, check_invariants=None, is_coalesced=None):
    """A tensor of the items `values` at the columns of `indices`; of a size alone one without items."""
    if pin_memory:
        raise RuntimeError("Only dense CPU tensors can be pinned")
    if values is None or (size is None and isinstance(indices, (tuple, torch.Size))
                          and all(isinstance(one, int) for one in indices)):
        shape = tuple(indices if size is None else size)
        made = _make(torch.empty((len(shape), 0), dtype=torch.long, device=device),
                     torch.empty(0, dtype=dtype, device=device), shape, True)
        return made.requires_grad_() if requires_grad else made
    if not isinstance(indices, torch.Tensor):
        indices = torch.tensor(indices)
    if indices.dtype != torch.long:
        indices = indices.long()
    if isinstance(values, torch.Tensor):
        values = values.to(device=device, dtype=dtype)
    else:
        values = torch.tensor(values, dtype=dtype, device=device)
    if indices.dim() != 2:
        raise RuntimeError("indices must be sparse_dim x nnz, but got: "
                           f"[{', '.join(map(str, indices.shape))}]")
    if values.dim() == 0:
        values = values.expand(indices.size(1))
    if indices.size(1) != values.size(0):
        raise RuntimeError("indices and values must have same nnz, but got nnz from indices: "
                           f"{indices.size(1)}, nnz from values: {values.size(0)}")
    if size is None:
        if (indices < 0).any():
            raise RuntimeError("found negative index "
                               f"{indices.min().item()} for dim {int((indices < 0).any(1).nonzero()[0])}")
        sizes = [int(row.max()) + 1 if row.numel() > 0 else 0 for row in indices]
        size = (*sizes, *values.shape[1:])
    size = tuple(size)
    if len(size) != indices.size(0) + values.dim() - 1:
        raise RuntimeError("'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = "
                           f"{len(size)}, sparse_dim = {indices.size(0)}, dense_dim = {values.dim() - 1}")
    if tuple(values.shape[1:]) != size[indices.size(0):]:
        raise RuntimeError("values has incorrect size, expected "
                           f"[{', '.join(map(str, (values.size(0), *size[indices.size(0):])))}], got "
                           f"[{', '.join(map(str, values.shape))}]")
    if checks_invariants if check_invariants is None else check_invariants:
        for dim, row in enumerate(indices):
            if row.numel() > 0 and int(row.min()) < 0:
                raise RuntimeError(f"found negative index {int(row.min())} for dim {dim}")
            if row.numel() > 0 and int(row.max()) >= size[dim]:
                raise RuntimeError(f"size is inconsistent with indices: for dim {dim}, size is {size[dim]} but found "
                                   f"index {int(row.max())}")
    if requires_grad:
        values = values.detach().requires_grad_()
    return _make(indices, values, size, bool(is_coalesced))


def _checked(indices, sizes):
    """The indices, which are inside of the sizes: whoever reads by them needs that."""
    for dim, size in enumerate(sizes[:indices.size(0)]):
        row = indices[dim]
        if row.numel() > 0 and (int(row.min()) < 0 or int(row.max()) >= size):
            raise RuntimeError(f"size is inconsistent with indices: for dim {dim}, size is {size} but found index "
                               f"{int(row.max()) if int(row.max()) >= size else int(row.min())}")
    return indices


# Methods of Tensor.

def to_sparse(self, sparse_dim=None, *, layout=None, blocksize=None, dense_dim=None):
    if layout not in (None, torch.sparse_coo) or blocksize is not None:
        raise NotImplementedError(f"nnscope has no tensors of layout {layout or torch.sparse_bsr}")
    if self.is_sparse:
        return self
    if sparse_dim is None:
        sparse_dim = self.dim() - (dense_dim or 0)
    if not 0 < sparse_dim <= self.dim() and self.dim() > 0:
        raise RuntimeError(f"sparse_dim expected to be in range (0, {self.dim()}], but got {sparse_dim}")
    with torch.no_grad():
        there = self != 0
        if sparse_dim < self.dim():
            there = there.flatten(sparse_dim).any(-1)
        indices = there.nonzero().t().contiguous()
    return _make(indices, ToSparse.apply(self, indices), tuple(self.shape), True)


def to_sparse_coo(self):
    return to_sparse(self)


def to_dense(self, dtype=None, *, masked_grad=None):
    if self.is_sparse:
        indices, values, _ = _parts(self)
        self = ToDense.apply(_checked(indices, self.shape), values, tuple(self.shape))
    return self if dtype is None else self.to(dtype)


def _expect_sparse(self, name):
    if not self.is_sparse:
        raise RuntimeError(f"{name} expected sparse coordinate tensor layout but got Strided")
    return _parts(self)


def coalesce(self):
    indices, values, is_coalesced = _expect_sparse(self, "coalesce")
    if is_coalesced:
        return self
    if values.dtype != torch.bool:
        return torch._C._sparse_coalesced(self)
    places, number = torch.unique(_positions(indices, self.shape), return_inverse=True)
    order = torch.argsort(number, stable=True)
    first = torch.zeros(places.numel(), dtype=torch.long)
    if places.numel() > 0:
        first[number[order.flip(0)]] = order.flip(0)
    return _make(indices[:, first], _add_up(values[order], number[order], places.numel()), tuple(self.shape), True)


def is_coalesced(self):
    return _expect_sparse(self, "is_coalesced")[2]


def indices(self):
    found, _, is_coalesced = _expect_sparse(self, "indices")
    if not is_coalesced:
        raise RuntimeError("Cannot get indices on an uncoalesced tensor, please call .coalesce() first")
    return found


def values(self):
    _, found, is_coalesced = _expect_sparse(self, "values")
    if not is_coalesced:
        raise RuntimeError("Cannot get values on an uncoalesced tensor, please call .coalesce() first")
    return found


def _strided_has_no(name):
    return NotImplementedError(
        f"Could not run 'aten::{name}' with arguments from the 'CPU' backend. This could be because the operator "
        "doesn't exist for this backend, or was omitted during the selective/custom build process (if using custom "
        "build).")


def _indices(self):
    if not self.is_sparse:
        raise _strided_has_no("_indices")
    return _parts(self)[0]


def _values(self):
    if not self.is_sparse:
        raise _strided_has_no("_values")
    return _parts(self)[1].detach()


def _nnz(self):
    if not self.is_sparse:
        raise _strided_has_no("_nnz")
    return _parts(self)[0].size(1)


def _coalesced_(self, coalesced):
    found, held, _ = _expect_sparse(self, "_coalesced_")
    torch._C._set_sparse(self, found, held, tuple(self.shape), coalesced)
    return self


def sparse_dim(self):
    return _parts(self)[0].size(0) if self.is_sparse else 0


def dense_dim(self):
    return _parts(self)[1].dim() - 1 if self.is_sparse else self.dim()


def sparse_mask(self, mask):
    found, _, is_coalesced = _parts(mask)
    if self.shape != mask.shape:
        raise RuntimeError("sparse_mask(): operands have incompatible sizes; self has size "
                           f"{list(self.shape)} but mask has size {list(mask.shape)}")
    dense = to_dense(self)
    return _make(found, ToSparse.apply(dense, _checked(found, mask.shape)), tuple(mask.shape), is_coalesced)


def _refuse_csr(self, *args, **kwargs):
    raise NotImplementedError("nnscope has no tensors of layout torch.sparse_csr")


to_sparse_csr = to_sparse_csc = to_sparse_bsr = to_sparse_bsc = crow_indices = col_indices = _refuse_csr


# Functions that tensors of this layout have, by the name under which torch knows them.

def matmul(a, b):
    if _is_sparse(a) and not _is_sparse(b):
        if b.dim() == 1:
            return matmul(a, b.unsqueeze(1)).squeeze(1)
        if a.dim() != 2 or b.dim() != 2:
            if a.dim() == 3 and b.dim() == 3:
                return _batched(a, b)
            raise RuntimeError(f"mat1 must be a matrix, got {a.dim()}-D tensor" if a.dim() != 2 else
                               f"mat2 must be a matrix, got {b.dim()}-D tensor")
        if a.size(1) != b.size(0):
            raise RuntimeError("mat1 and mat2 shapes cannot be multiplied "
                               f"({a.size(0)}x{a.size(1)} and {b.size(0)}x{b.size(1)})")
        if a.dtype != b.dtype:
            raise RuntimeError(f"expected scalar type {cpp_name(a.dtype)} but found {cpp_name(b.dtype)}")
        found, held, _ = _parts(a)
        if held.dim() > 1:
            raise RuntimeError("addmm: matrices expected, got a hybrid tensor")
        return SparseAddmm.apply(_checked(found, a.shape), held, a.size(0), b)
    if _is_sparse(b) and not _is_sparse(a):
        if a.dim() == 1:
            return matmul(transpose(b, 0, 1), a)
        return matmul(transpose(b, 0, 1), a.transpose(0, 1)).transpose(0, 1).contiguous()
    return _product_of_two(coalesce(a), coalesce(b))


def spmm(mat1, mat2):
    """torch.spmm(), torch.mm() of older programs."""
    return torch.mm(mat1, mat2)


smm = dsmm = spmm


def _batched(a, b):
    found, held, _ = _parts(coalesce(a))
    out = []
    for i in range(a.size(0)):
        there = found[0] == i
        one = _make(found[1:, there], held[there], tuple(a.shape[1:]), True)
        out.append(matmul(one, b[i]))
    return torch.stack(out)


def _product_of_two(a, b):
    """Each item of a meets the items of the row of b that its column names."""
    found_a, held_a, _ = _parts(a)
    found_b, held_b, _ = _parts(b)
    if a.size(1) != b.size(0):
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied "
                           f"({a.size(0)}x{a.size(1)} and {b.size(0)}x{b.size(1)})")
    counts = torch.bincount(_checked(found_b, b.shape)[0], minlength=b.size(0))
    starts = counts.cumsum(0) - counts
    partners = counts[_checked(found_a, a.shape)[1]]
    left = torch.arange(found_a.size(1)).repeat_interleave(partners)
    within = torch.arange(left.numel()) - (partners.cumsum(0) - partners).repeat_interleave(partners)
    right = starts[found_a[1]].repeat_interleave(partners) + within
    return coalesce(_make(torch.stack([found_a[0][left], found_b[1][right]]), held_a[left] * held_b[right],
                          (a.size(0), b.size(1)), False))


def addmm(input, mat1, mat2, *, beta=1, alpha=1, out=None):
    product = matmul(mat1, mat2)
    return beta * input + alpha * product if (beta, alpha) != (1, 1) else input + product


def transpose(self, dim0, dim1):
    found, held, _ = _parts(self)
    count = found.size(0)
    dim0, dim1 = dim0 % self.dim(), dim1 % self.dim()
    shape = list(self.shape)
    shape[dim0], shape[dim1] = shape[dim1], shape[dim0]
    if dim0 < count and dim1 < count:
        rows = list(found.unbind(0))
        rows[dim0], rows[dim1] = rows[dim1], rows[dim0]
        return _make(torch.stack(rows), held, tuple(shape), False if dim0 != dim1 else _parts(self)[2])
    if dim0 >= count and dim1 >= count:
        return _make(found, held.transpose(dim0 - count + 1, dim1 - count + 1), tuple(shape), _parts(self)[2])
    raise RuntimeError(f"Sparse transpose expects both dims to be sparse or dense dims, got {dim0} and {dim1}")


def t(self):
    if self.dim() > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {sparse_dim(self)} "
                           f"sparse and {dense_dim(self)} dense dimensions")
    return self if self.dim() < 2 else transpose(self, 0, 1)


def _adds_by_items(self, other, alpha):
    """Whether the work can be that of the items of `other` alone."""
    return (isinstance(self, torch.Tensor) and self.dtype == other.dtype != torch.bool and self.shape == other.shape
            and isinstance(alpha, (int, float)))


def add_(self, other, *, alpha=1):
    """self.add_(sparse): by the items of `other`, whatever else `self` has."""
    if _is_sparse(other) and _adds_by_items(self, other, alpha):
        asks = torch.is_grad_enabled() and (self.requires_grad or other.requires_grad)
        if not asks:
            return torch._C._add_sparse_(self, other, alpha)
    return _into(add)(self, other, alpha=alpha)


def sub_(self, other, *, alpha=1):
    return add_(self, other, alpha=-alpha)


def add(self, other, *, alpha=1, out=None):
    if not _is_sparse(other):
        if not isinstance(other, torch.Tensor):
            raise _no_kernel("add.Tensor")
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    if not _is_sparse(self):
        if _adds_by_items(self, other, alpha):
            return torch._C._sparse_sum(self, other, alpha)
        return self + (to_dense(other) if alpha == 1 else alpha * to_dense(other))
    if self.shape != other.shape:
        raise RuntimeError(f"add: expected 'self' and 'other' to have same size, but self has size {list(self.shape)} "
                           f"while other has size {list(other.shape)} (FYI: op2-op1 broadcasting not supported)")
    if _adds_by_items(self, other, alpha):
        return torch._C._sparse_sum(self, other, alpha)
    found_a, held_a, ordered_a = _parts(self)
    found_b, held_b, ordered_b = _parts(other)
    if alpha != 1:
        held_b = held_b * alpha
    both = _make(torch.cat([found_a, found_b], 1), torch.cat([held_a, held_b]), tuple(self.shape), False)
    return coalesce(both) if ordered_a and ordered_b else both


def sub(self, other, *, alpha=1, out=None):
    if not _is_sparse(self):
        if _adds_by_items(self, other, alpha):
            return add(self, other, alpha=-alpha)
        return self - (to_dense(other) if alpha == 1 else alpha * to_dense(other))
    return add(self, other, alpha=-alpha)


def mul(self, other, *, out=None):
    if _is_sparse(self) and _is_sparse(other):
        a, b = coalesce(self), coalesce(other)
        found_a, held_a, _ = _parts(a)
        found_b, held_b, _ = _parts(b)
        place_a, place_b = _positions(found_a, a.shape), _positions(found_b, b.shape)
        in_both = torch.isin(place_a, place_b)
        return _make(found_a[:, in_both], held_a[in_both] * held_b[torch.isin(place_b, place_a)], tuple(a.shape), True)
    if _is_sparse(other):
        self, other = other, self
    found, held, _ = _parts(self)
    if isinstance(other, torch.Tensor) and other.dim() > 0:
        factors = other.expand(self.shape)[tuple(_checked(found, self.shape).unbind(0))]
        return _with_values(self, held * factors)
    return _with_values(self, held * other)


def div(self, other, *, rounding_mode=None, out=None):
    if not _is_sparse(self) or (isinstance(other, torch.Tensor) and other.dim() > 0):
        raise RuntimeError("Sparse division requires a scalar or zero-dim dense tensor divisor "
                           f"(got shape {list(getattr(other, 'shape', []))} for divisor)")
    return _with_values(self, torch.div(_parts(self)[1], other, rounding_mode=rounding_mode))


def sum_sparse(self, dim=None, keepdim=False, *, dtype=None):
    found, held, _ = _parts(self)
    if dtype is not None:
        held = held.to(dtype)
    if dim is None or dim == []:
        return held.sum()
    dims = sorted({one % self.dim() for one in ([dim] if isinstance(dim, int) else dim)})
    count = found.size(0)
    if keepdim:
        raise _no_kernel("sum.dim_IntList with keepdim")
    over_values = [one - count + 1 for one in dims if one >= count]
    if over_values:
        held = held.sum(over_values)
    kept = [one for one in range(count) if one not in dims]
    if not kept:
        return held.sum(0)
    shape = tuple(size for one, size in enumerate(self.shape) if one not in dims)
    if len(kept) == count:
        return _make(found, held, shape, _parts(self)[2])
    return coalesce(_make(found[kept], held, shape, False))


def softmax(input, dim, dtype, function):
    input = coalesce(input if dtype is None else input.to(dtype))
    found, held, _ = _parts(input)
    dim %= input.dim()
    count = found.size(0)
    if dim >= count:
        return _with_values(input, function(held, dim - count + 1))
    others = [one for one in range(count) if one != dim]
    _, group = torch.unique(_positions(found[others], [input.size(one) for one in others]), return_inverse=True)
    out = torch.empty_like(held)
    for one in range(int(group.max()) + 1 if group.numel() else 0):
        there = (group == one).nonzero().squeeze(1)
        out = out.index_copy(0, there, function(held[there], 0))
    return _with_values(input, out)


def cat(tensors, dim=0, *, out=None):
    if not all(_is_sparse(one) for one in tensors):
        raise RuntimeError("Concatenating sparse tensors, but a dense tensor was found at position "
                           f"{[_is_sparse(one) for one in tensors].index(False)}.")
    first = tensors[0]
    dim %= first.dim()
    count = _parts(first)[0].size(0)
    if dim >= count:
        raise _no_kernel("cat along a dense dimension")
    columns, held, at = [], [], 0
    for one in tensors:
        found, items, _ = _parts(one)
        shift = torch.zeros(count, 1, dtype=torch.long)
        shift[dim] = at
        columns.append(found + shift)
        held.append(items)
        at += one.size(dim)
    shape = list(first.shape)
    shape[dim] = at
    return _make(torch.cat(columns, 1), torch.cat(held), tuple(shape), False)


def unsqueeze(self, dim):
    found, held, is_coalesced = _parts(self)
    dim %= self.dim() + 1
    shape = list(self.shape)
    shape.insert(dim, 1)
    if dim <= found.size(0):
        rows = list(found.unbind(0))
        rows.insert(dim, torch.zeros(found.size(1), dtype=torch.long))
        return _make(torch.stack(rows), held, tuple(shape), is_coalesced)
    return _make(found, held.unsqueeze(dim - found.size(0) + 1), tuple(shape), is_coalesced)


def stack(tensors, dim=0, *, out=None):
    return cat([unsqueeze(one, dim) for one in tensors], dim)


def select(self, dim, index):
    found, held, is_coalesced = _parts(self)
    dim %= self.dim()
    size = self.size(dim)
    if not -size <= index < size:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(self.shape)} at dimension "
                         f"{dim}")
    index %= size
    shape = tuple(one for i, one in enumerate(self.shape) if i != dim)
    if dim >= found.size(0):
        return _make(found, held.select(dim - found.size(0) + 1, index), shape, is_coalesced)
    there = found[dim] == index
    rest = [i for i in range(found.size(0)) if i != dim]
    if not rest:
        return held[there].sum(0)
    return _make(found[rest][:, there], held[there], shape, is_coalesced)


def getitem(self, key):
    if isinstance(key, tuple):
        for one in key:
            self = getitem(self, one)
        return self
    if isinstance(key, bool) or not isinstance(key, int):
        raise _no_kernel("as_strided")
    return select(self, 0, key)


def index_select(self, dim, index):
    found, held, _ = _parts(self)
    dim %= self.dim()
    shape = list(self.shape)
    shape[dim] = index.numel()
    if dim >= found.size(0):
        return _make(found, held.index_select(dim - found.size(0) + 1, index), tuple(shape), _parts(self)[2])
    columns, items = [], []
    for new, old in enumerate(index.tolist()):
        there = found[dim] == old
        part = found[:, there].clone()
        part[dim] = new
        columns.append(part)
        items.append(held[there])
    return _make(torch.cat(columns, 1), torch.cat(items), tuple(shape), False)


def zero_(self):
    count = _parts(self)[0].size(0)
    held = _parts(self)[1]
    torch._C._set_sparse(self, torch.empty((count, 0), dtype=torch.long), held.new_empty((0, *held.shape[1:])),
                         tuple(self.shape), True)
    return self


def copy_(self, other, non_blocking=False):
    if not (_is_sparse(self) and _is_sparse(other)):
        raise RuntimeError("copy_() between dense and sparse Tensors is not implemented! Found self type = "
                           f"{self.type()} and src type = {other.type()}")
    found, held, is_coalesced = _parts(other)
    torch._C._set_sparse(self, found.clone(), held.to(self.dtype).clone(), tuple(other.shape), is_coalesced)
    return self


def _into(function):
    def in_place(self, other, **keywords):
        if not _is_sparse(self):
            return self.copy_(function(self, other, **keywords))
        made = function(self, other, **keywords)
        torch._C._set_sparse(self, *_parts(made)[:2], tuple(made.shape), _parts(made)[2])
        return self

    return in_place


def norm(self, p=None, dim=None, keepdim=False, *, dtype=None, out=None):
    if dim is not None:
        raise RuntimeError("norm_sparse currently only supports full reductions, so 'dim' must either be empty or "
                           "contain all dimensions of the input")
    return _parts(coalesce(self))[1].norm(2 if p in (None, "fro") else p)


def linear(input, weight, bias=None):
    product = matmul(input, weight.t())
    return product if bias is None else product + bias


def clone(self, *, memory_format=None):
    found, held, is_coalesced = _parts(self)
    return _make(found.clone(), held.clone(), tuple(self.shape), is_coalesced)


def converted(name):
    def convert(self, *args, **kwargs):
        if not _is_sparse(self):
            # x.to(sparse): its dtype and device.
            return self.to(args[0].dtype)
        if name == "type" and not args and not kwargs:
            return _parts(self)[1].type().replace("torch.", "torch.sparse.", 1)
        args = tuple(_parts(one)[1] if _is_sparse(one) else one for one in args)
        found, held, is_coalesced = _parts(self)
        made = getattr(held, name)(*args, **kwargs)
        if made is held:
            return self
        return _make(found.to(made.device), made, tuple(self.shape), is_coalesced)

    return convert


def on_values(name):
    """Functions that leave zero zero, item by item."""
    def apply(self, *args, **kwargs):
        if args and args[0] is False:
            # torch.nn.functional hands `inplace` on.
            args = args[1:]
        self = coalesce(self)
        return _with_values(self, getattr(torch, name)(_parts(self)[1], *args, **kwargs))

    return apply


def power(self, exponent):
    if not isinstance(exponent, (int, float)) or exponent == 0:
        raise RuntimeError("pow: Cannot raise to zeroth power on sparse tensor" if exponent == 0 else
                           "pow: the exponent of a sparse tensor must be a number")
    self = coalesce(self)
    return _with_values(self, _parts(self)[1] ** exponent)


def like(content):
    def make(self, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False, memory_format=None):
        if layout == torch.strided:
            return torch.zeros(self.shape, dtype=dtype or self.dtype, device=device or self.device)
        if content != "zeros":
            raise _no_kernel("fill_.Scalar")
        held = _parts(self)[1]
        return _make(torch.empty((sparse_dim(self), 0), dtype=torch.long),
                     torch.empty((0, *held.shape[1:]), dtype=dtype or held.dtype), tuple(self.shape), True)

    return make


def _reshape(self, *sizes):
    raise RuntimeError("reshape is not implemented for sparse tensors")


def _numpy(self, *args, **kwargs):
    raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")


def _requires_grad_(self, requires_grad=True):
    _parts(self)[1].requires_grad_(requires_grad)
    return self


def _detach(self):
    return _with_values(self, _parts(self)[1].detach())


_functions = {
    "mm": matmul, "matmul": matmul, "mv": matmul, "spmm": matmul, "smm": matmul, "bmm": matmul, "dsmm": matmul,
    "__matmul__": matmul, "__rmatmul__": lambda a, b: matmul(b, a), "addmm": addmm, "linear": linear,
    "transpose": transpose, "t": t, "swapaxes": transpose, "swapdims": transpose,
    "add": add, "__add__": add, "__radd__": lambda a, b: add(b, a), "sub": sub, "__sub__": sub, "subtract": sub,
    "__rsub__": lambda a, b: sub(b, a), "mul": mul, "multiply": mul, "__mul__": mul, "__rmul__": mul,
    "div": div, "divide": div, "true_divide": div, "__truediv__": div, "add_": add_, "__iadd__": add_,
    "sub_": sub_, "__isub__": sub_, "mul_": _into(mul), "__imul__": _into(mul), "div_": _into(div),
    "__itruediv__": _into(div), "sum": sum_sparse, "cat": cat, "concat": cat, "stack": stack, "unsqueeze": unsqueeze,
    "select": select, "__getitem__": getitem, "index_select": index_select, "zero_": zero_, "copy_": copy_,
    "norm": norm, "clone": clone, "pow": power, "__pow__": power, "zeros_like": like("zeros"),
    "empty_like": like("zeros"), "ones_like": like("ones"), "reshape": _reshape, "numpy": _numpy,
    "requires_grad_": _requires_grad_, "detach": _detach,
    "__neg__": lambda self: _with_values(self, -_parts(self)[1]),
}
_functions |= {name: converted(name) for name in (
    "to", "type_as", "float", "double", "half", "bfloat16", "int", "long", "short", "char", "byte", "bool", "cfloat",
    "cdouble", "cpu", "cuda", "type")}
_functions |= {name: on_values(name) for name in (
    "abs", "absolute", "neg", "negative", "sqrt", "relu", "tanh", "sin", "sinh", "asin", "arcsin", "asinh", "arcsinh",
    "tan", "atan", "arctan", "atanh", "arctanh", "log1p", "expm1", "ceil", "floor", "trunc", "round", "sign", "sgn",
    "erf", "erfinv", "deg2rad", "rad2deg", "nan_to_num", "isnan", "isinf", "positive", "square")}
# What asks about shapes and dtypes alone goes on as with any tensor.
_as_with_any = {"size", "dim", "ndimension", "numel", "nelement", "element_size", "is_floating_point", "is_complex",
                "is_signed", "is_same_size", "is_inference", "is_tensor", "result_type", "broadcast_shapes",
                "get_device", "retain_grad", "backward", "register_hook", "item", "__len__", "ndim"}


# How torch's dispatcher calls what it has not, where that is another name.
_kernels = {"__gt__": "gt.Scalar", "__ge__": "ge.Scalar", "__lt__": "lt.Scalar", "__le__": "le.Scalar",
            "__eq__": "eq.Scalar", "__ne__": "ne.Scalar", "gt": "gt.Tensor", "ge": "ge.Tensor", "lt": "lt.Tensor",
            "le": "le.Tensor", "eq": "eq.Tensor", "ne": "ne.Tensor", "mean": "mean.dim", "softmax": "_softmax",
            "log_softmax": "_log_softmax"}


def call(name, args, kwargs):
    """What torch's function or method `name` gives; NotImplemented: it goes on as with any tensor."""
    if name in _as_with_any:
        return NotImplemented
    function = _functions.get(name)
    if function is None:
        raise _no_kernel(_kernels.get(name, name))
    for other in ("input", "self"):
        if other in kwargs and not args:
            args, kwargs = (kwargs[other],), {key: value for key, value in kwargs.items() if key != other}
    return function(*args, **kwargs)
