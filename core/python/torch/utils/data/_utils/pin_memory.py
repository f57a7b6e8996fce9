"""Batches in memory that a device reads by itself.

Behaviour: torch/utils/data/_utils/pin_memory.py.
Differs: tensors stay where they are, because all our memory is copied to a device the same way."""


def pin_memory(data, device=None):
    if callable(own := getattr(data, "pin_memory", None)):
        return own()
    return data
