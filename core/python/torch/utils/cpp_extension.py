"""Extensions in C++, which nnscope neither builds nor loads. Behaviour: torch/utils/cpp_extension.py."""
CUDA_HOME = ROCM_HOME = CUDNN_HOME = SYCL_HOME = None
IS_WINDOWS = IS_MACOS = IS_HIP_EXTENSION = False
IS_LINUX = True


def _refuse(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"torch.utils.cpp_extension.{name}: nnscope runs no extensions in C++")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


load, load_inline, CppExtension, CUDAExtension, include_paths, library_paths = map(
    _refuse, ("load", "load_inline", "CppExtension", "CUDAExtension", "include_paths", "library_paths"))


class BuildExtension:
    """What a setup script builds with: refused."""

    def __init__(self, *args, **kwargs):
        _refuse("BuildExtension")()

    @classmethod
    def with_options(cls, **options):
        return cls
