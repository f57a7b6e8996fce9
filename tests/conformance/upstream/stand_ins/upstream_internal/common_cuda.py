"""Stand-in for torch.testing._internal.common_cuda: there is no GPU."""
import contextlib

TEST_CUDA = TEST_CUDNN = TEST_MULTIGPU = SM53OrLater = SM60OrLater = SM70OrLater = SM75OrLater = SM80OrLater = SM89OrLater = False
SM90OrLater = PLATFORM_SUPPORTS_FLASH_ATTENTION = PLATFORM_SUPPORTS_MEM_EFF_ATTENTION = PLATFORM_SUPPORTS_FUSED_ATTENTION = False
PLATFORM_SUPPORTS_FP8 = PLATFORM_SUPPORTS_BF16 = PLATFORM_SUPPORTS_CUDNN_ATTENTION = TEST_CUSPARSE_GENERIC = False
TEST_CUDNN_VERSION = 0
CUDA_DEVICE = "cpu"


def tf32_is_not_fp32():
    return False


@contextlib.contextmanager
def tf32_off():
    yield


tf32_on = tf32_off


def with_tf32_off(fn):
    return fn


def tf32_on_and_off(*args, **kwargs):
    return lambda fn: fn


def _get_magma_version():
    return (0, 0)


def _get_torch_cuda_version():
    return (0, 0)


def _get_torch_rocm_version():
    return (0, 0)
