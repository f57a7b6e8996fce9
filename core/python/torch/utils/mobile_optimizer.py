"""Models for phones, which nnscope does not make. Behaviour: torch/utils/mobile_optimizer.py."""


def optimize_for_mobile(script_module, optimization_blocklist=None, preserved_methods=None, backend="CPU"):
    raise NotImplementedError("torch.utils.mobile_optimizer.optimize_for_mobile: nnscope writes no TorchScript")
