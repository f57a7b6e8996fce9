"""Batches made of samples.

Behaviour: torch/utils/data/_utils/collate.py."""
import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence

import torch
from torch.utils.data._utils import worker

default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}")


def default_convert(data):
    """The sample with tensors in place of what can be one. Tuples become lists."""
    if isinstance(data, (torch.Tensor, str, bytes)):
        return data
    if type(data).__module__ == "numpy":
        return torch.as_tensor(data)
    if isinstance(data, Mapping):
        converted = {key: default_convert(data[key]) for key in data}
        try:
            if not isinstance(data, MutableMapping):
                return type(data)(converted)
            # A class of a program may hold more than its items.
            clone = copy.copy(data)
            clone.update(converted)
            return clone
        except TypeError:
            return converted
    if isinstance(data, tuple):
        converted = [default_convert(one) for one in data]
        return type(data)(*converted) if hasattr(data, "_fields") else converted
    if isinstance(data, Sequence):
        converted = [default_convert(one) for one in data]
        try:
            if not isinstance(data, MutableSequence):
                return type(data)(converted)
            clone = copy.copy(data)
            for i, one in enumerate(converted):
                clone[i] = one
            return clone
        except TypeError:
            return converted
    return data


def collate(batch, *, collate_fn_map=None):
    """One batch of a list of samples; `collate_fn_map`: what to do with samples of a type, asked first."""

    def joined(samples):
        return collate(samples, collate_fn_map=collate_fn_map)

    elem = batch[0]
    elem_type = type(elem)
    if collate_fn_map is default_collate_fn_map and elem_type.__module__ == "numpy":
        return (collate_numpy_array_fn if elem_type.__name__ == "ndarray" else collate_numpy_scalar_fn)(
            batch, collate_fn_map=collate_fn_map)
    if collate_fn_map is not None:
        if elem_type in collate_fn_map:
            return collate_fn_map[elem_type](batch, collate_fn_map=collate_fn_map)
        for known in collate_fn_map:
            if isinstance(elem, known):
                return collate_fn_map[known](batch, collate_fn_map=collate_fn_map)

    if isinstance(elem, Mapping):
        columns = {key: joined([sample[key] for sample in batch]) for key in elem}
        try:
            if not isinstance(elem, MutableMapping):
                return elem_type(columns)
            # A class of a program may hold more than its items.
            clone = copy.copy(elem)
            clone.update(columns)
            return clone
        except TypeError:
            return columns
    if isinstance(elem, tuple) and hasattr(elem, "_fields"):
        return elem_type(*(joined(samples) for samples in zip(*batch)))
    if isinstance(elem, Sequence):
        if any(len(sample) != len(elem) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [joined(samples) for samples in zip(*batch)]
        if isinstance(elem, tuple):
            return columns
        try:
            if not isinstance(elem, MutableSequence):
                return elem_type(columns)
            clone = copy.copy(elem)
            for i, column in enumerate(columns):
                clone[i] = column
            return clone
        except TypeError:
            return columns
    raise TypeError(default_collate_err_msg_format.format(elem_type))


def collate_tensor_fn(batch, *, collate_fn_map=None):
    elem = batch[0]
    if elem.layout in (torch.sparse_coo, torch.sparse_csr, torch.sparse_bsr, torch.sparse_csc, torch.sparse_bsc):
        raise RuntimeError("Batches of sparse tensors are not currently supported by the default collate_fn; "
                           "please provide a custom collate_fn to handle them appropriately.")
    made = torch.stack(list(batch), 0)
    # What a worker makes goes to the loader through shared memory.
    return made if worker.get_worker_info() is None else made.share_memory_()


def collate_numpy_array_fn(batch, *, collate_fn_map=None):
    return collate([torch.as_tensor(one) for one in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch, *, collate_fn_map=None):
    return torch.as_tensor(batch)


def collate_float_fn(batch, *, collate_fn_map=None):
    return torch.tensor(batch, dtype=torch.float64)


def collate_int_fn(batch, *, collate_fn_map=None):
    return torch.tensor(batch)


def collate_str_fn(batch, *, collate_fn_map=None):
    return batch


default_collate_fn_map = {
    torch.Tensor: collate_tensor_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def default_collate(batch):
    """Tensors of numbers and tensors with a new first dimension; mappings and sequences of such batches."""
    return collate(batch, collate_fn_map=default_collate_fn_map)
