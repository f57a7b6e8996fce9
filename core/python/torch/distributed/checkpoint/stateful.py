"""Objects that keep a state themselves. Behaviour: torch/distributed/checkpoint/stateful.py."""
from typing import Any, Protocol, runtime_checkable

__all__ = ["Stateful"]


@runtime_checkable
class Stateful(Protocol):
    """What has state_dict() and load_state_dict()."""

    def state_dict(self) -> dict[str, Any]:
        ...

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        ...
