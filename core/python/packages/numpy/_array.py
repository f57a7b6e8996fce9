"""ndarray: a tensor on the CPU whose bytes it shares. Behaviour: numpy/_core/src/multiarray/arrayobject.c, methods.c."""
import pickle
import sys
import warnings

import torch
from torch import _bytes

from numpy import _index, _scalars, _text, _ufunc
from numpy._dtypes import (
    BOOL, COMPLEX128, FLOAT64, INT64, UINT8, UINT64, absent, as_dtype, bounds, can_cast, promote, real_for,
)
from numpy._flags import flagsobj
from numpy._scalars import generic, make
from numpy._shapes import no_axis, normal_axis, reshaped, shape_of
from numpy._ufunc import tensor_of_number, wrap
from numpy.exceptions import ComplexWarning


_NOT_REAL = {"f": "float() argument must be a string or a real number, not 'complex'",
             "i": "int() argument must be a string, a bytes-like object or a real number, not 'complex'"}


class ndarray:
    """Items of one type in a grid. What slicing, reshaping and torch.from_numpy make shares its bytes.

    Differs: numpy's negative strides are kept as dimensions that are read backwards; reshaping those makes a copy.
    """

    __slots__ = ("_raw", "_flips", "dtype", "base", "_writeable", "__weakref__")
    __array_priority__ = 0.0
    __hash__ = None

    def __new__(cls, shape, dtype=float, buffer=None, offset=0, strides=None, order=None):
        if buffer is not None or strides is not None:
            raise absent("ndarray(buffer=..., strides=...)")
        found = as_dtype(dtype)
        return cls._of(torch.zeros(shape_of(shape), dtype=found.torch), found)

    @staticmethod
    def _of(tensor, found, flips=(), base=None):
        made = object.__new__(ndarray)
        made._raw, made.dtype, made._flips = tensor, found, flips
        made.base = base if base is None or base.base is None else base.base
        made._writeable = base is None or base._writeable
        return made

    @property
    def _t(self):
        return torch.flip(self._raw, self._flips) if self._flips else self._raw

    def _write(self, tensor):
        """All items at once."""
        if not self._writeable:
            raise ValueError("assignment destination is read-only")
        self._raw.copy_(torch.flip(tensor, self._flips) if self._flips else tensor)

    def __torch_tensor__(self):
        return self._t

    # What it is.

    @property
    def shape(self):
        return tuple(self._raw.shape)

    @shape.setter
    def shape(self, shape):
        if self._flips:
            raise AttributeError("Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the "
                                 "desired shape.")
        self._raw = self._raw.view(reshaped(self.size, shape))

    @property
    def ndim(self):
        return self._raw.ndim

    @property
    def size(self):
        return self._raw.numel()

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self._raw.numel() * self.dtype.itemsize

    @property
    def strides(self):
        return tuple(stride * self.itemsize * (-1 if d in self._flips else 1) for d, stride in enumerate(self._raw.stride()))

    @property
    def flags(self):
        return flagsobj(self)

    @property
    def T(self):
        return self.transpose()

    @property
    def mT(self):
        if self.ndim < 2:
            raise ValueError("matrix transpose with ndim < 2 is undefined")
        return self.swapaxes(-1, -2)

    @property
    def real(self):
        return self if self.dtype.kind != "c" else self._of(self._raw.real, real_for(self.dtype), self._flips, base=self)

    @real.setter
    def real(self, value):
        self.real[...] = value

    @property
    def imag(self):
        if self.dtype.kind == "c":
            return self._of(self._raw.imag, real_for(self.dtype), self._flips, base=self)
        made = self._of(torch.zeros_like(self._t), self.dtype)
        made._writeable = False
        return made

    @imag.setter
    def imag(self, value):
        if self.dtype.kind != "c":
            raise TypeError("array does not have imaginary part to set")
        self.imag[...] = value

    @property
    def flat(self):
        return flatiter(self)

    @property
    def data(self):
        raise absent("ndarray.data")

    @property
    def device(self):
        return "cpu"

    def to_device(self, device, /, *, stream=None):
        if device != "cpu":
            raise ValueError(f'Unsupported device: {device}. Only "cpu" is accepted.')
        return self

    @property
    def ctypes(self):
        raise absent("ndarray.ctypes")

    # Items.

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("len() of unsized object")
        return self._raw.shape[0]

    def __iter__(self):
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        if self.ndim == 1:
            return iter([make(self.dtype, value) for value in self.tolist()])
        return (self[i] for i in range(self._raw.shape[0]))

    def __getitem__(self, key):
        return _index.get_item(self, key)

    def __setitem__(self, key, value):
        _index.set_item(self, key, value)

    def __contains__(self, value):
        return bool((self == value).any())

    def item(self, *args):
        if args:
            place = args[0] if len(args) == 1 else args
            found = self.reshape(-1)[place] if isinstance(place, int) else self[place]
            return found.item()
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return _ufunc.item_of(self._raw, self.dtype)

    def tolist(self):
        values = self._t.tolist()
        return _unsigned(values) if self.dtype is UINT64 else values

    def tobytes(self, order="C"):
        return _bytes.to_bytes(self._t)

    def tofile(self, fid, sep="", format="%s"):
        from numpy._files import tofile
        tofile(self, fid, sep, format)

    def dumps(self):
        return pickle.dumps(self)

    def dump(self, file):
        if hasattr(file, "write"):
            pickle.dump(self, file)
        else:
            with open(file, "wb") as fp:
                pickle.dump(self, fp)

    def fill(self, value):
        self._write(_stored_as(value, self.dtype).expand(self.shape))

    def _number(self):
        if self.size != 1:
            raise TypeError("only length-1 arrays can be converted to Python scalars")
        if self.ndim:
            warnings.warn("Conversion of an array with ndim > 0 to a scalar is deprecated, and will error in future. Ensure you "
                          "extract a single element from your array before performing this operation. (Deprecated NumPy "
                          "1.25.)", DeprecationWarning, stacklevel=3)
        return self.item()

    def __bool__(self):
        if self.size != 1:
            if self.size == 0:
                raise ValueError("The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array "
                                 "is not empty.")
            raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()")
        return bool(self.item())

    def __float__(self):
        return float(self._number())

    def __int__(self):
        return int(self._number())

    def __complex__(self):
        return complex(self._number())

    def __index__(self):
        if self.ndim or self.dtype.kind not in "iu":
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return self.item()

    def __repr__(self):
        return _text.array_repr(self)

    def __str__(self):
        return _text.array_str(self)

    def __format__(self, spec):
        if self.ndim == 0:
            return format(self[()], spec)
        if spec:
            raise TypeError("unsupported format string passed to numpy.ndarray.__format__")
        return str(self)

    def __array__(self, dtype=None, copy=None):
        return self if dtype is None else self.astype(dtype, copy=False)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        from numpy._core.multiarray import _reconstruct
        is_fortran = self.flags.f_contiguous and not self.flags.c_contiguous
        state = 1, self.shape, self.dtype, is_fortran, (self.T if is_fortran else self).tobytes()
        return _reconstruct, (ndarray, (0,), b"b"), state

    def __setstate__(self, state):
        shape, found, is_fortran, data = state[-4:]
        if isinstance(data, list):
            raise absent("ndarray of objects")
        data = data.encode("latin1") if isinstance(data, str) else bytes(data)
        made = _bytes.from_bytes(data, found.torch, 0, len(data) // found.itemsize)
        made = made.reshape(shape[::-1]).permute(list(range(len(shape)))[::-1]) if is_fortran else made.reshape(shape)
        self._raw, self.dtype, self._flips, self.base, self._writeable = made, found, (), None, True

    # The same items otherwise.

    def copy(self, order="C"):
        tensor = self._t
        if order == "F" or (order == "A" and self.flags.f_contiguous and not self.flags.c_contiguous):
            turned = list(range(self.ndim))[::-1]
            return self._of(tensor.permute(turned).clone(memory_format=torch.contiguous_format).permute(turned), self.dtype)
        kept = torch.preserve_format if order == "K" else torch.contiguous_format
        return self._of(tensor.clone(memory_format=kept), self.dtype)

    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        found = as_dtype(dtype)
        if found is self.dtype:
            return self.copy(order) if copy else self
        if not can_cast(self.dtype, found, casting):
            raise TypeError(f"Cannot cast array data from {self.dtype!r} to {found!r} according to the rule {casting!r}")
        return self._of(_cast(self._t, self.dtype, found, warns=True), found)

    def view(self, dtype=None, type=None):
        if dtype is None or dtype is ndarray:
            return self._of(self._raw, self.dtype, self._flips, base=self)
        found = as_dtype(dtype)
        try:
            tensor = _bytes.reinterpret(self._t, found.torch)
        except RuntimeError:
            raise ValueError("When changing to a larger dtype, its size must be a divisor of the total size in bytes of the "
                             "last axis of the array.") from None
        return self._of(tensor, found, base=self)

    def reshape(self, *shape, order="C", copy=None):
        sizes = reshaped(self.size, shape[0] if len(shape) == 1 else shape)
        if order in ("F",):
            return self.T.reshape(sizes[::-1]).T if self.ndim > 1 or len(sizes) > 1 else self.reshape(sizes)
        return self._of(self._t.reshape(sizes), self.dtype, base=self)

    def ravel(self, order="C"):
        if order == "F":
            return self.T.ravel()
        return self._of(self._t.reshape(-1), self.dtype, base=self)

    def flatten(self, order="C"):
        return self.ravel(order).copy()

    def byteswap(self, inplace=False):
        """The bytes of each item, or of each part of a complex one, in the other order."""
        size = self.itemsize // (2 if self.dtype.kind == "c" else 1)
        flat = ndarray._of(_bytes.reinterpret(self._t.reshape(-1).clone(), torch.uint8).reshape(-1, size).flip(1), UINT8)
        made = flat.reshape(-1).copy().view(self.dtype).reshape(self.shape)
        if not inplace:
            return made
        self._write(made._t)
        return self

    def resize(self, *new_shape, refcheck=True):
        """In place, with zeros for items that are new."""
        if not self._writeable or self.base is not None or self._flips:
            raise ValueError("cannot resize this array: it does not own its data")
        sizes = shape_of(new_shape[0] if len(new_shape) == 1 else new_shape)
        made = torch.zeros(sizes, dtype=self.dtype.torch)
        count = min(self.size, made.numel())
        made.reshape(-1)[:count] = self._raw.reshape(-1)[:count]
        self._raw = made

    def transpose(self, *axes):
        if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
            axes = axes[0]
        order = [axis % self.ndim if -self.ndim <= axis < self.ndim else no_axis(axis, self.ndim) for axis in axes] \
            if axes else list(range(self.ndim))[::-1]
        if sorted(order) != list(range(self.ndim)):
            raise ValueError("axes don't match array" if len(order) != self.ndim else "repeated axis in transpose")
        flips = tuple(order.index(d) for d in self._flips)
        return self._of(self._raw.permute(order), self.dtype, flips, base=self)

    def swapaxes(self, axis1, axis2):
        order = list(range(self.ndim))
        a, b = normal_axis(axis1, self.ndim), normal_axis(axis2, self.ndim)
        order[a], order[b] = order[b], order[a]
        return self.transpose(order)

    def squeeze(self, axis=None):
        axes = [d for d in range(self.ndim) if self.shape[d] == 1] if axis is None else \
            [normal_axis(one, self.ndim) for one in (axis if isinstance(axis, tuple) else (axis,))]
        for one in axes:
            if self.shape[one] != 1:
                raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        return self[tuple(0 if d in axes else slice(None) for d in range(self.ndim)) + (Ellipsis,)]

    def diagonal(self, offset=0, axis1=0, axis2=1):
        return self._of(torch.diagonal(self._t, offset, axis1, axis2), self.dtype, base=self)

    # In place.

    def sort(self, axis=-1, kind=None, order=None):
        from numpy._searching import sort
        self._write(sort(self, axis)._t)

    def partition(self, kth, axis=-1, kind="introselect", order=None):
        self.sort(axis)

    def put(self, indices, values, mode="raise"):
        from numpy._changing import put
        put(self, indices, values, mode)

    def setflags(self, write=None, align=None, uic=None):
        if write is not None:
            self._writeable = bool(write)


class flatiter:
    """The items in order: a.flat."""

    def __init__(self, array):
        self.base = array
        self._next = 0

    def __len__(self):
        return self.base.size

    def __iter__(self):
        return iter(self.base.reshape(-1))

    def __next__(self):
        if self._next >= self.base.size:
            raise StopIteration
        self._next += 1
        return self.base.reshape(-1)[self._next - 1]

    def __getitem__(self, key):
        made = self.base.reshape(-1)[key]
        return made.copy() if isinstance(made, ndarray) else made

    def __setitem__(self, key, value):
        flat = self.base.flatten()
        flat[key] = value
        self.base._write(flat._t.reshape(self.base.shape))


ndarray.__module__ = flatiter.__module__ = "numpy"
for _module in (_index, _scalars, _ufunc):
    _module._array = sys.modules[__name__]


def _unsigned(values):
    if isinstance(values, list):
        return [_unsigned(one) for one in values]
    return values + 2 ** 64 if values < 0 else values


def _cast(tensor, from_, to, warns=False):
    """The items in another type; `warns` of imaginary parts that are lost."""
    if from_.kind == "c" and to.kind != "c" and to is not BOOL:
        if warns:
            _ufunc.warn_at_caller("Casting complex values to real discards the imaginary part", ComplexWarning)
        tensor, from_ = tensor.real, real_for(from_)
    if from_.kind == "f" and to.kind == "u" and to.itemsize < 8:
        return tensor.to(torch.int64).to(to.torch)
    return tensor.to(to.torch)


def _stored_as(value, found):
    """What is written into items of a type, as a tensor."""
    if isinstance(value, (ndarray, generic)):
        return _cast(value._t, value.dtype, found, warns=True)
    if isinstance(value, complex):
        if found.kind not in "cb":
            raise TypeError(_NOT_REAL["f" if found.kind == "f" else "i"])
        return torch.tensor(value, dtype=torch.complex128).to(found.torch)
    if isinstance(value, bool) or (isinstance(value, int) and found.kind in "iufc"):
        return tensor_of_number(value, found)
    if isinstance(value, float):
        return _cast(torch.tensor(value, dtype=torch.float64), FLOAT64, found)
    if isinstance(value, torch.Tensor):
        return value.detach().to(found.torch)
    made = asarray(value, found) if isinstance(value, (list, tuple)) else asarray(value)
    return _cast(made._t, made.dtype, found, warns=True)


# Arrays of what Python has.

def _kind_of(value):
    """The dtype of a number of Python."""
    for cls, found in ((bool, BOOL), (float, FLOAT64), (complex, COMPLEX128)):
        if isinstance(value, cls):
            return found
    if not -2 ** 63 <= value < 2 ** 64:
        raise absent("ndarray of objects: an int beyond 64 bits")
    return INT64 if value < 2 ** 63 else UINT64


def _read(value, depth, shape, leaves, kinds):
    """Collects the numbers of nested lists in order; `shape` is that of the first ones."""
    if isinstance(value, torch.Tensor):
        value = asarray(value)
    if isinstance(value, (ndarray, generic)) or isinstance(value, (bool, int, float, complex)):
        if isinstance(value, (ndarray, generic)):
            kinds.add(value.dtype)
            inner, numbers = value.shape, value.ravel().tolist() if value.ndim else [value.item()]
        else:
            kinds.add(_kind_of(value))
            inner, numbers = (), [value]
        if shape[1] is None:
            shape[1] = shape[0][:depth] + list(inner)
        if len(shape[1]) != depth + len(inner) or tuple(shape[1][depth:]) != tuple(inner):
            _uneven(shape, depth, len(inner))
        leaves.extend(numbers)
        return
    if isinstance(value, (list, tuple, range)):
        count = len(value)
        if len(shape[0]) <= depth:
            shape[0].append(count)
        if shape[1] is not None and (len(shape[1]) <= depth or shape[1][depth] != count):
            _uneven(shape, depth, 1)
        if shape[0][depth] != count:
            _uneven(shape, depth, 1)
        if count == 0 and shape[1] is None:
            shape[1] = shape[0][:depth + 1]
        for one in value:
            _read(one, depth + 1, shape, leaves, kinds)
        return
    if isinstance(value, (str, bytes)):
        raise absent(f"ndarray of {type(value).__name__}")
    if hasattr(value, "__array__"):
        _read(value.__array__(), depth, shape, leaves, kinds)
    elif hasattr(value, "__len__") and hasattr(value, "__getitem__") and not isinstance(value, dict):
        _read([value[i] for i in range(len(value))], depth, shape, leaves, kinds)
    elif hasattr(value, "__complex__") and not isinstance(value, type) and not hasattr(value, "__float__"):
        _read(complex(value), depth, shape, leaves, kinds)
    elif hasattr(value, "__float__") and not isinstance(value, type):
        _read(float(value), depth, shape, leaves, kinds)
    else:
        raise absent(f"ndarray of {type(value).__name__}")


def _uneven(shape, depth, inner):
    detected = tuple(shape[0][:max(depth, 1)])
    raise ValueError("setting an array element with a sequence. The requested array has an inhomogeneous shape after "
                     f"{len(detected)} dimensions. The detected shape was {detected} + inhomogeneous part.")


def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, like=None):
    """A new array of nested lists, numbers, tensors or another array."""
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(object, torch.Tensor):
        object = object.__array__()
        if copy is True:
            object = object.copy("K")
    elif hasattr(object, "__array_interface__") and not isinstance(object, (ndarray, generic)):
        object = object.__array__()  # of an image: its pixels
    if isinstance(object, ndarray):
        made = object if wanted is None or wanted is object.dtype else object.astype(wanted)
        made = made.copy("K") if copy is True and made is object else made
    elif isinstance(object, generic):
        made = ndarray._of(object._t, object.dtype)
        made = made if wanted is None else made.astype(wanted, copy=False)
    else:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.\nIf using `np.array(obj, copy=False)`"
                             " replace it with `np.asarray(obj)` to allow a copy when needed (no behavior change in NumPy "
                             "1.x).\nFor more details, see https://numpy.org/devdocs/numpy_2_0_migration_guide.html"
                             "#adapting-to-changes-in-the-copy-keyword.")
        shape, leaves, kinds = [[], None], [], set()
        _read(object, 0, shape, leaves, kinds)
        found = None
        for one in kinds:
            found = one if found is None else promote(found, one)
        found = wanted or found or FLOAT64
        made = ndarray._of(_tensor_of_list(leaves, found, kinds).reshape(shape[1] or []), found)
    return made if made.ndim >= ndmin else made.reshape((1,) * (ndmin - made.ndim) + made.shape)


def _tensor_of_list(leaves, found, kinds):
    if found.kind == "c":
        return torch.tensor([complex(one) for one in leaves], dtype=found.torch)
    if found.kind in "iuf" and any(one.kind == "c" for one in kinds):
        raise TypeError(_NOT_REAL["f" if found.kind == "f" else "i"])
    if found.kind in "iu" and not any(one.kind == "f" for one in kinds):
        low, high = bounds(found)
        for one in leaves:
            if not low <= one <= high:
                raise OverflowError(f"Python integer {one} out of bounds for {found.name}")
        if found is UINT64:
            signed = torch.tensor([one - 2 ** 64 if one >= 2 ** 63 else one for one in leaves], dtype=torch.int64)
            return _bytes.reinterpret(signed, torch.uint64)
    if found.kind in "iu":
        return _cast(torch.tensor(leaves, dtype=torch.float64), FLOAT64, found)
    if UINT64 in kinds:
        leaves = [float(one) if found.kind == "f" else bool(one) for one in leaves]  # beyond 64 bits with a sign
    if found is BOOL:
        leaves = [bool(one) for one in leaves]
    return torch.tensor(leaves, dtype=found.torch)


def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """The array itself where it is one of that type already."""
    if isinstance(a, ndarray) and (dtype is None or as_dtype(dtype) is a.dtype):
        return a.copy() if copy else a
    return array(a, dtype=dtype, copy=None)


def empty(shape, dtype=float, order="C", *, device=None, like=None):
    found = as_dtype(dtype)
    return ndarray._of(torch.zeros(shape_of(shape), dtype=found.torch), found)
