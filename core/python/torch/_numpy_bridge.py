"""Between tensors and numpy's arrays, which share their bytes. Behaviour: torch/csrc/utils/tensor_numpy.cpp."""
import torch


def numpy(tensor, force=False):
    """Tensor.numpy(): an ndarray over the same bytes. Errors: RuntimeError, TypeError."""
    if tensor.is_sparse:
        raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")
    if force:
        tensor = tensor.detach().cpu()
    if tensor.device.type != "cpu":
        raise TypeError(f"can't convert {tensor.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to "
                        "host memory first.")
    if tensor.requires_grad and torch.is_grad_enabled():
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    from numpy._array import ndarray
    from numpy._dtypes import of_tensor
    return ndarray._of(tensor.detach(), of_tensor(tensor))


def __array__(tensor, dtype=None):
    made = numpy(tensor)
    return made if dtype is None else made.astype(dtype, copy=False)


def from_numpy(ndarray):
    """torch.from_numpy(ndarray): a tensor over the same bytes."""
    from numpy import ndarray as array_class
    if not isinstance(ndarray, array_class):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    if ndarray._flips:
        raise ValueError("At least one stride in the given numpy array is negative, and tensors with negative strides are not "
                         "currently supported. (You can probably work around this by making a copy of your array  with "
                         "array.copy().) ")
    if not ndarray._writeable:
        import warnings
        warnings.warn("The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means "
                      "writing to this tensor will result in undefined behavior. You may want to copy the array to protect its "
                      "data or make it writable before converting it to a tensor. This type of warning will be suppressed for "
                      "the rest of this program.", UserWarning, stacklevel=2)
    return ndarray._raw.detach()


_has_warned_of_buffers = False


def _warn_of_buffer():
    global _has_warned_of_buffers
    if _has_warned_of_buffers and not torch.is_warn_always_enabled():
        return
    _has_warned_of_buffers = True
    import warnings
    warnings.warn("The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can write "
                  "to the underlying (supposedly non-writable) buffer using the tensor. You may want to copy the buffer to protect "
                  "its data or make it writable before converting it to a tensor. This type of warning will be suppressed for the "
                  "rest of this program.", UserWarning, stacklevel=3)


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """torch.frombuffer(buffer): of a view of an ndarray without a copy, of bytes, which cannot change, with one. Differs: the bytes
    of a bytearray or an array would be shared, so they are refused.

    Errors: ValueError  nothing to take, or not where offset and count say.
    Behaviour: torch/csrc/utils/tensor_new.cpp, tensor_frombuffer.
    """
    from torch import _bytes
    try:
        view = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    is_array = type(view.obj).__module__.startswith("numpy")
    if not (is_array or isinstance(view.obj, bytes)):
        raise NotImplementedError(f"torch.frombuffer of {type(view.obj).__name__}, whose bytes it would share, is not in nnscope")
    if is_array and view.nbytes != view.obj.nbytes:
        raise NotImplementedError("torch.frombuffer of a part of an ndarray is not in nnscope; take the part as an ndarray first")
    if view.readonly:
        _warn_of_buffer()
    length, size = view.nbytes, torch.empty(0, dtype=dtype).element_size()
    if length == 0 or count == 0:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({length} bytes) minus 1")
    if count < 0:
        if (length - offset) % size:
            raise ValueError(f"buffer length ({length - offset} bytes) after offset ({offset} bytes) must be a multiple of element "
                             f"size ({size})")
        count = (length - offset) // size
    elif count * size > length - offset:
        raise ValueError(f"requested buffer length ({count} * {size} bytes) after offset ({offset} bytes) must not be greater than "
                         f"actual buffer length ({length} bytes)")
    if not is_array:
        return _bytes.from_bytes(view.tobytes(), dtype, offset, count).requires_grad_(requires_grad)
    items = view.obj._raw.detach().reshape(-1).view(torch.uint8)
    return items[offset:offset + count * size].view(dtype).requires_grad_(requires_grad)
