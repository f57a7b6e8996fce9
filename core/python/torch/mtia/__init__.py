"""torch.mtia. Behaviour: torch/mtia/__init__.py, of a PyTorch without Meta's accelerators."""


def is_available():
    return False


def is_initialized():
    return False


def device_count():
    return 0


def init():
    raise AssertionError("Torch not compiled with MTIA enabled. Ensure you have `import mtia.host_runtime.torch_mtia` in "
                         "your python src file and include `//mtia/host_runtime/torch_mtia:torch_mtia` as your target "
                         "dependency!")
