"""Stand-in for torch.testing._internal.common_dtype: tuples of dtypes."""
import torch

_FLOATING = (torch.float32, torch.float64)
_INTEGRAL = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
_COMPLEX = (torch.complex64, torch.complex128)


def _and(types):
    return lambda *dtypes: (*types, *dtypes)


def floating_types():
    return _FLOATING


floating_types_and_half = _and((*_FLOATING, torch.half))
floating_types_and = _and(_FLOATING)
floating_and_complex_types = _and((*_FLOATING, *_COMPLEX))
floating_and_complex_types_and = _and((*_FLOATING, *_COMPLEX))
integral_types = _and(_INTEGRAL)
integral_types_and = _and(_INTEGRAL)
all_types = _and((*_FLOATING, *_INTEGRAL))
all_types_and = _and((*_FLOATING, *_INTEGRAL))
all_types_and_half = _and((*_FLOATING, *_INTEGRAL, torch.half))
complex_types = _and(_COMPLEX)
complex_types_and = _and(_COMPLEX)
all_types_and_complex = _and((*_FLOATING, *_INTEGRAL, *_COMPLEX))
all_types_and_complex_and = _and((*_FLOATING, *_INTEGRAL, *_COMPLEX))
double_types = _and((torch.float64, torch.complex128))


def get_all_dtypes(include_half=True, include_bfloat16=True, include_bool=True, include_complex=True, include_complex32=False,
                   include_qint=False):
    made = [*get_all_int_dtypes(), *get_all_fp_dtypes(include_half, include_bfloat16)]
    return made + ([torch.bool] if include_bool else []) + (list(_COMPLEX) if include_complex else [])


def get_all_int_dtypes():
    return list(_INTEGRAL)


def get_all_fp_dtypes(include_half=True, include_bfloat16=True):
    return [*_FLOATING] + ([torch.float16] if include_half else []) + ([torch.bfloat16] if include_bfloat16 else [])


def get_all_complex_dtypes(include_complex32=False):
    return list(_COMPLEX)


def get_all_math_dtypes(device):
    return [*get_all_int_dtypes(), *get_all_fp_dtypes(include_half=False), *_COMPLEX]


def get_all_qint_dtypes():
    return []


float_to_corresponding_complex_type_map = {torch.float16: torch.complex32, torch.float32: torch.complex64,
                                           torch.float64: torch.complex128}
