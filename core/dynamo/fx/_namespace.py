"""Names that are used once. Behaviour: torch/fx/graph.py, _Namespace."""
import builtins
import keyword
import math
import re

import torch
from torch.fx import _pytree as fx_pytree
from torch.utils import _pytree as pytree

# What code of graphs may always refer to: how it would be imported, and what it is.
CUSTOM_BUILTINS = {
    "inf": ("from math import inf", math.inf),
    "nan": ("from math import nan", math.nan),
    "NoneType": ("NoneType = type(None)", type(None)),
    "torch": ("import torch", torch),
    "device": ("from torch import device", torch.device),
    "fx_pytree": ("import torch.fx._pytree as fx_pytree", fx_pytree),
    "pytree": ("import torch.utils._pytree as pytree", pytree),
}
# Names that stand for something else in every program.
_TAKEN = {**{word: object() for word in keyword.kwlist}, **vars(builtins), **{name: one for name, (_, one) in CUSTOM_BUILTINS.items()}}
_NAME = re.compile(r"^([a-zA-Z_][0-9a-zA-Z_]*?)(?:_(\d+))?$")


class Namespace:
    """Gives each object one name, and each name to one object."""

    def __init__(self):
        self._obj_to_name, self._used_names, self._base_count = {}, set(), {}

    def create_name(self, candidate, obj):
        """A name like the candidate that nothing has yet; that of the object if it has one."""
        if obj is not None and obj in self._obj_to_name:
            return self._obj_to_name[obj]
        found = _NAME.match(candidate)
        if found is None:
            candidate = re.sub("[^0-9a-zA-Z_]+", "_", candidate) or "_unnamed"
            if candidate[0].isdigit():
                candidate = "_" + candidate
            found = _NAME.match(candidate)
        base, number = found.group(1), found.group(2)
        if number is None or candidate in self._used_names:
            number = self._base_count.get(candidate, 0)
            if _TAKEN.get(candidate, obj) is not obj:
                number += 1
                candidate = f"{base}_{number}"
        else:
            number = int(number)
        while candidate in self._used_names:
            number += 1
            candidate = f"{base}_{number}"
        self._used_names.add(candidate)
        self._base_count[base] = number
        if obj is not None:
            self._obj_to_name[obj] = candidate
        return candidate

    def associate_name_with_obj(self, name, obj):
        if self._obj_to_name.setdefault(obj, name) != name:
            raise AssertionError("obj is already associated")

    def _rename_object(self, obj, name):
        self._obj_to_name[obj] = name
        self._used_names.add(name)
