"""Memory shared with other libraries. Behaviour: torch/utils/dlpack.py."""
import enum

from torch._dlpack import from_dlpack, to_dlpack


class DLDeviceType(enum.IntEnum):
    """Kinds of devices. Behaviour: dlpack.h."""
    kDLCPU = (1,)
    kDLCUDA = (2,)
    kDLCUDAHost = (3,)
    kDLOpenCL = (4,)
    kDLVulkan = (7,)
    kDLMetal = (8,)
    kDLVPI = (9,)
    kDLROCM = (10,)
    kDLROCMHost = (11,)
    kDLExtDev = (12,)
    kDLCUDAManaged = (13,)
    kDLOneAPI = (14,)
    kDLWebGPU = (15,)
    kDLHexagon = (16,)
    kDLMAIA = (17,)


__all__ = ["DLDeviceType", "from_dlpack"]
