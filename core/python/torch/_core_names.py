"""More of torch._C. Behaviour: torch/csrc/Module.cpp, torch/csrc/autograd/init.cpp."""
import weakref
from enum import Enum

import torch
from torch._C import _EngineBase


class _WeakTensorRef:
    """Tells whether a tensor is gone."""

    def __init__(self, tensor):
        self._reference = weakref.ref(tensor)

    def expired(self):
        return self._reference() is None


class _ImperativeEngine(_EngineBase):
    """What runs backward."""


DispatchKey = Enum("DispatchKey", """
    Undefined Dense BackendSelect Python Functionalize Conjugate Negative ADInplaceOrView Sparse Meta CPU CUDA MPS XPU
    AutogradOther AutogradFunctionality AutogradNestedTensor AutogradCPU AutogradCUDA AutogradMeta AutogradMPS AutogradXPU
    Tracer AutocastCPU AutocastCUDA FuncTorchBatched BatchedNestedTensor FuncTorchVmapMode Batched PreDispatch PythonDispatcher
    Autograd CompositeImplicitAutograd CompositeImplicitAutogradNestedTensor CompositeExplicitAutograd
    CompositeExplicitAutogradNonFunctional""", module="torch._C")
DispatchKey.__doc__ = "What an operator may be implemented for: c10/core/DispatchKey.h, the keys that programs name."


def _get_privateuse1_backend_name():
    """What the device of a backend outside of PyTorch is called."""
    return "privateuseone"


def _is_any_autocast_enabled():
    return any(torch.is_autocast_enabled(kind) for kind in ("cpu", "cuda"))


_ConvBackend = Enum("_ConvBackend", """
    CudaDepthwise2d CudaDepthwise3d Cudnn CudnnTranspose Empty Miopen MiopenDepthwise MiopenTranspose Mkldnn MkldnnTranspose
    MkldnnEmpty NnpackSpatial Overrideable Slow2d Slow3d SlowDilated2d SlowDilated3d SlowTranspose2d SlowTranspose3d
    Winograd3x3Depthwise Xnnpack2d Mps MpsTranspose""", module="torch._C")
_ConvBackend.__doc__ = "What may carry out a convolution: aten/src/ATen/native/ConvUtils.h, ConvBackend."

_shows_vmap_warnings = False


def _debug_only_display_vmap_fallback_warnings(shown):
    """Whether vmap says that an op ran once for each item: here all do, and none is told."""
    global _shows_vmap_warnings
    _shows_vmap_warnings = bool(shown)


def _debug_only_are_vmap_fallback_warnings_enabled():
    return _shows_vmap_warnings
