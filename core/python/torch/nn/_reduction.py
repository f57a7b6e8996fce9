"""What `reduction` of a loss means, and the two flags that said it before. Behaviour: torch/nn/_reduction.py."""
import warnings


def get_enum(reduction):
    """0, 1 or 2 for none, mean, sum. Errors: ValueError."""
    if reduction == "elementwise_mean":
        warnings.warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.", stacklevel=2)
        reduction = "mean"
    numbers = {"none": 0, "mean": 1, "sum": 2}
    if reduction not in numbers:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return numbers[reduction]


def legacy_get_string(size_average, reduce, emit_warning=True):
    """The reduction that size_average and reduce (None: True) mean."""
    averages = size_average is None or size_average
    reduces = reduce is None or reduce
    found = "none" if not reduces else "mean" if averages else "sum"
    if emit_warning:
        warnings.warn(f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.",
                      stacklevel=2)
    return found


def legacy_get_enum(size_average, reduce, emit_warning=True):
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
