"""Quantisation, which is refused by its names; stubs let values through, as they do before a model is converted."""
import torch

_NAMES = ("quantize_dynamic", "quantize", "quantize_qat", "prepare", "prepare_qat", "convert", "fuse_modules",
          "fuse_modules_qat", "get_default_qconfig", "get_default_qat_qconfig", "default_qconfig", "QConfig",
          "get_default_qconfig_mapping")


def _refuse(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"torch.ao.quantization.{name}: nnscope computes on no quantised tensors")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


for _name in _NAMES:
    globals()[_name] = _refuse(_name)


class _Stub(torch.nn.Module):
    def __init__(self, qconfig=None):
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x):
        return x


class QuantStub(_Stub):
    """Where values become quantised, once a model is converted."""


class DeQuantStub(_Stub):
    """Where values become ordinary again, once a model is converted."""
