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
    if tensor.requires_grad:
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


def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """torch.frombuffer(buffer). Differs: the bytes of a bytearray are not shared, so it is refused."""
    from torch import _bytes
    if isinstance(buffer, bytearray):
        raise NotImplementedError("torch.frombuffer of a bytearray, whose bytes it would share, is not in nnscope")
    size = torch.empty(0, dtype=dtype).element_size()
    if len(buffer) == 0 or count == 0:
        raise ValueError(f"both buffer length ({len(buffer)}) and count ({count}) must not be 0")
    if not 0 <= offset < len(buffer):
        raise ValueError(f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({len(buffer)} bytes) "
                         "minus 1")
    if count < 0:
        if (len(buffer) - offset) % size:
            raise ValueError(f"buffer size ({len(buffer) - offset} bytes) after offset ({offset} bytes) must be a multiple of "
                             f"element size ({size})")
        count = (len(buffer) - offset) // size
    elif count * size > len(buffer) - offset:
        raise ValueError(f"requested buffer length ({count} * {size} bytes) after offset ({offset} bytes) must not be greater "
                         f"than actual buffer length ({len(buffer)} bytes)")
    return _bytes.from_bytes(buffer, dtype, offset, count).requires_grad_(requires_grad)
