"""torch.FloatTensor, torch.cuda.FloatTensor and their like: classes of no object, which make tensors of a dtype.

Behaviour: torch/csrc/tensor/python_tensor.cpp; torch/csrc/utils/tensor_new.cpp, legacy_tensor_ctor."""
import torch


class tensortype(type):
    """The class of these classes."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, torch.Tensor) and instance.dtype == cls.dtype and instance.is_cuda == cls.is_cuda

    def __call__(cls, *args, device=None, **keywords):
        if not cls.is_cuda:
            return _new(cls.dtype, args, device, keywords)
        if not torch.cuda.is_available():
            raise TypeError(f"type {cls.__module__}.{cls.__name__} not available. Torch not compiled with CUDA enabled.")
        if device is not None and torch.device(device).type != "cuda":
            raise RuntimeError("legacy constructor expects device type: cuda but device type: "
                               f"{torch.device(device).type} was passed")
        on_host = [one.cpu() if isinstance(one, torch.Tensor) else one for one in args]
        return _new(cls.dtype, on_host, None, keywords).to(device or "cuda")

    @property
    def is_cuda(cls):
        return cls.__module__ == "torch.cuda"

    @property
    def is_sparse(cls):
        return False

    @property
    def layout(cls):
        return torch.strided


tensortype.__module__ = "torch"
tensortype.__qualname__ = "tensortype"


def _refusal(args, keywords):
    given = [type(one).__name__ for one in args]
    given += [f"{name}={'torch.' if type(value).__module__ == 'torch' else ''}{type(value).__name__}"
              for name, value in keywords.items()]
    wrong = ", ".join(keywords)
    unknown = f"      didn't match because some of the keywords were incorrect: {wrong}\n" if keywords else ""
    return TypeError(f"new() received an invalid combination of arguments - got ({', '.join(given)}), but expected one of:\n"
                     f" * (*, torch.device device = None)\n{unknown} * (torch.Storage storage)\n"
                     " * (Tensor other)\n * (tuple of ints size, *, torch.device device = None)\n"
                     " * (object data, *, torch.device device = None)\n")


def _new(dtype, args, device, keywords):
    if keywords:
        raise _refusal(args, keywords)
    if device is not None and torch.device(device).type != "cpu":
        raise RuntimeError("legacy constructor expects device type: cpu but device type: "
                           f"{torch.device(device).type} was passed")
    if not args:
        return torch.empty(0, dtype=dtype)
    if all(isinstance(one, int) for one in args):
        return torch.empty(args, dtype=dtype)
    if len(args) > 1:
        raise _refusal(args, keywords)
    given = args[0]
    if isinstance(given, torch.Size):
        return torch.empty(given, dtype=dtype)
    if isinstance(given, torch.Tensor):
        if given.dtype != dtype:
            raise TypeError(f"expected {_name_of(dtype)} (got {given.type()})")
        return given.detach()
    if isinstance(given, torch.UntypedStorage) or hasattr(given, "_untyped_storage"):
        return torch.empty(0, dtype=dtype).set_(given)
    if not hasattr(given, "__len__") and not hasattr(given, "__iter__"):
        raise _refusal(args, keywords)
    return torch.tensor(given, dtype=dtype)


_names = {"FloatTensor": torch.float32, "DoubleTensor": torch.float64, "HalfTensor": torch.float16,
          "BFloat16Tensor": torch.bfloat16, "LongTensor": torch.int64, "IntTensor": torch.int32,
          "ShortTensor": torch.int16, "CharTensor": torch.int8, "ByteTensor": torch.uint8, "BoolTensor": torch.bool}


def _name_of(dtype):
    return next((f"torch.{name}" for name, one in _names.items() if one == dtype), str(dtype))


def _made(module):
    return {name: tensortype(name, (), {"__module__": module, "dtype": dtype}) for name, dtype in _names.items()}


globals().update(_made("torch"))
_cuda_classes = _made("torch.cuda")
_tensor_classes = {*(globals()[name] for name in _names), *_cuda_classes.values()}


def new_of_default_dtype(*args, device=None, **keywords):
    """torch.Tensor(...): as of FloatTensor, but a tensor of any dtype gives an alias of itself."""
    if len(args) == 1 and isinstance(args[0], torch.Tensor) and not keywords:
        return args[0].view_as(args[0])
    if len(args) == 1 and isinstance(args[0], (float, complex)) and not keywords:
        raise TypeError(f"new(): data must be a sequence (got {type(args[0]).__name__})")
    return _new(torch.get_default_dtype(), args, device, keywords)


def new(tensor, *args, device=None):
    """tensor.new(...): the same of the tensor's dtype."""
    if device is None and tensor.device.type == "cuda":
        return _new(tensor.dtype, [one.cpu() if isinstance(one, torch.Tensor) else one for one in args], None,
                    {}).to(tensor.device)
    return _new(tensor.dtype, args, device, {})


def set_default_tensor_type(t):
    """The dtype of floating tensors that a class or its name stands for."""
    name = t if isinstance(t, str) else f"{t.__module__}.{t.__qualname__}"
    dtype = _names.get(name.removeprefix("torch."))
    if dtype is None:
        if name.startswith("torch.cuda."):
            raise TypeError(f"type {name} not available. Torch not compiled with CUDA enabled.")
        raise TypeError("invalid type object")
    if not dtype.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    torch.set_default_dtype(dtype)
