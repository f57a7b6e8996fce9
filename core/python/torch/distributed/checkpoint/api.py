"""What goes wrong. Behaviour: torch/distributed/checkpoint/api.py."""
import traceback

__all__ = ["CheckpointException"]


class CheckpointException(BaseException):
    """Ranks that failed: `failures`, {rank: exception}."""

    def __init__(self, msg, failures):
        super().__init__(msg, failures)
        self._failures = failures

    @property
    def failures(self):
        return self._failures

    def __str__(self):
        text = f"CheckpointException ranks:{self._failures.keys()}\n"
        for rank, error in self._failures.items():
            text += f"Traceback (most recent call last): (RANK {rank})\n"
            text += "".join(traceback.format_tb(error.__traceback__))
            text += "".join(traceback.format_exception_only(type(error), value=error))
        return text
