"""What leads from a container to one of its children. Behaviour: torch/utils/_pytree.py."""
from dataclasses import dataclass


@dataclass(frozen=True)
class SequenceKey:
    idx: int

    def __str__(self):
        return f"[{self.idx!r}]"

    def get(self, sequence):
        return sequence[self.idx]


@dataclass(frozen=True)
class MappingKey:
    key: object

    def __str__(self):
        return f"[{self.key!r}]"

    def get(self, mapping):
        return mapping[self.key]


@dataclass(frozen=True)
class GetAttrKey:
    name: str

    def __str__(self):
        return f".{self.name}"

    def get(self, obj):
        return getattr(obj, self.name)


def keystr(kp):
    """A path as text: "[0]['foo'].x"."""
    return "".join(str(key) for key in kp)


def key_get(obj, kp):
    """What lies at a path in `obj`."""
    for key in kp:
        obj = key.get(obj)
    return obj
