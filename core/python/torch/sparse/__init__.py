"""torch.sparse: functions on tensors of layout torch.sparse_coo. Behaviour: torch/sparse/__init__.py.

Not there, and refused by name: the compressed layouts (sparse_csr, sparse_csc, sparse_bsr, sparse_bsc)."""
import torch
from torch.sparse import _tensors

__all__ = ["addmm", "mm", "sum", "softmax", "log_softmax", "spdiags", "check_sparse_tensor_invariants"]


def mm(mat1, mat2, reduce=None):
    """The product of a sparse matrix and a matrix."""
    if reduce is not None:
        raise NotImplementedError("nnscope has no torch.sparse.mm() with reduce")
    return _tensors.matmul(mat1, mat2)


def addmm(mat, mat1, mat2, *, beta=1., alpha=1.):
    """beta * mat + alpha * (mat1 @ mat2), of a sparse mat1."""
    return _tensors.addmm(mat, mat1, mat2, beta=beta, alpha=alpha)


def sum(input, dim=None, dtype=None):
    """The sum of a sparse tensor: of all items, or along dimensions."""
    if not isinstance(input, torch.Tensor) or not input.is_sparse:
        raise NotImplementedError("Could not run 'aten::_sparse_sum' with arguments from the 'CPU' backend.")
    return _tensors.sum_sparse(input, dim, dtype=dtype)


def softmax(input, dim, *, dtype=None):
    """softmax of the items that are there along `dim`."""
    return _tensors.softmax(input, dim, dtype, torch.softmax)


def log_softmax(input, dim, *, dtype=None):
    """Its logarithm."""
    return _tensors.softmax(input, dim, dtype, torch.log_softmax)


def spdiags(diagonals, offsets, shape, layout=None):
    """A matrix with the rows of `diagonals` on its diagonals."""
    if layout not in (None, torch.sparse_coo):
        raise NotImplementedError(f"nnscope has no tensors of layout {layout}")
    diagonals, offsets = torch.atleast_2d(diagonals), torch.atleast_1d(offsets)
    if offsets.unique().numel() != offsets.numel():
        raise RuntimeError("Offset tensor contains duplicate values")
    rows, columns, values = [], [], []
    for k, offset in enumerate(offsets.tolist()):
        for j in range(max(0, offset), min(shape[1], shape[0] + offset, diagonals.size(1))):
            rows.append(j - offset)
            columns.append(j)
            values.append(diagonals[k, j])
    stacked = torch.stack(values) if values else diagonals.new_empty(0)
    return torch.sparse_coo_tensor(torch.tensor([rows, columns], dtype=torch.long), stacked, shape)


class check_sparse_tensor_invariants:
    """Whether sparse_coo_tensor() looks at each index: a switch, a context and a decorator."""

    @staticmethod
    def is_enabled():
        return _tensors.checks_invariants

    @staticmethod
    def enable():
        _tensors.checks_invariants = True

    @staticmethod
    def disable():
        _tensors.checks_invariants = False

    def __init__(self, enable=True):
        self.state = enable
        self.saved_state = None

    def __enter__(self):
        if self.saved_state is not None:
            raise RuntimeError("This context manager instance is already activated. "
                               "Use a different context manager instance for context nesting.")
        self.saved_state = self.is_enabled()
        _tensors.checks_invariants = self.state

    def __exit__(self, type, value, traceback):
        _tensors.checks_invariants = self.saved_state
        self.saved_state = None

    def __call__(self, mth):
        def test_mth(*args, **kwargs):
            with type(self)(self.state):
                return mth(*args, **kwargs)

        return test_mth


def _legacy(name, dtype):
    def make(*args):
        if not args:
            return torch.sparse_coo_tensor((0,), dtype=dtype)
        if all(isinstance(one, int) for one in args):
            return torch.sparse_coo_tensor(args, dtype=dtype)
        if isinstance(args[0], torch.Size):
            return torch.sparse_coo_tensor(args[0], dtype=dtype)
        if args[1].dtype != dtype:
            raise TypeError(f"expected {dtype} (got {args[1].dtype})")
        return torch.sparse_coo_tensor(*args)

    make.__name__ = make.__qualname__ = name
    return make


for _name, _dtype in (("FloatTensor", torch.float), ("DoubleTensor", torch.double), ("HalfTensor", torch.half),
                      ("BFloat16Tensor", torch.bfloat16), ("LongTensor", torch.long), ("IntTensor", torch.int),
                      ("ShortTensor", torch.short), ("CharTensor", torch.int8), ("ByteTensor", torch.uint8)):
    globals()[_name] = _legacy(_name, _dtype)


def __getattr__(name):
    if name in ("SparseSemiStructuredTensor", "SparseSemiStructuredTensorCUSPARSELT", "to_sparse_semi_structured",
                "sampled_addmm", "as_sparse_gradcheck"):
        raise NotImplementedError(f"nnscope has no torch.sparse.{name}")
    raise AttributeError(f"module 'torch.sparse' has no attribute '{name}'")
