"""What a checkpoint without a backward of its own keeps in place of tensors. Behaviour: torch/utils/checkpoint.py.

In the first run each tensor that would be saved becomes a Place, which the graph holds. When backward asks for the first of them, the
function runs again, and what it saves, in the same order, is what the places stand for: for this backward, and until it is taken."""
import contextlib
import weakref
from collections import defaultdict

import torch
from torch.autograd.graph import saved_tensors_hooks


class CheckpointError(RuntimeError):
    """The second run did not save what the first did."""


class _Enough(Exception):
    """All that backward needs is there."""


_TIP = """
Tip: To see a more detailed error message, either pass `debug=True` to
`torch.utils.checkpoint.checkpoint(...)` or wrap the code block
with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to
enable checkpoint\u2011debug mode globally.
"""
_CHECKS = {
    "default": lambda x: {"shape": x.shape, "dtype": x.dtype, "device": x.device},
    "none": lambda x: None,
}


class _Place:
    """A tensor that was not saved. `tensors`: by the number of a backward, what stands for it there; None: it was taken."""

    def __init__(self):
        self.tensors = {}


class _Inputs(torch.autograd.Function):
    """Keeps inputs as saved tensors, so that a checkpoint around this one keeps them in its way."""

    @staticmethod
    def forward(ctx, anchor, *tensors):
        ctx.save_for_backward(*tensors)
        return anchor.detach().clone()

    @staticmethod
    def backward(ctx, *grads):
        raise AssertionError("a checkpoint's inputs have no gradient of their own")


class Frame:
    """One call of checkpoint(). `run_again`: takes its inputs; `tell`: raises what is to be raised for a CheckpointError, or None.
    Errors: ValueError  `check` is no known one."""

    def __init__(self, run_again, stops_early, tell, check):
        if check not in _CHECKS:
            raise ValueError(f"determinism_check should be one of {list(_CHECKS)}, but got {check}")
        self.run_again, self.stops_early, self.tell, self.describe = run_again, stops_early, tell, _CHECKS[check]
        self.places, self.descriptions = [], []
        self.counts, self.is_done = defaultdict(int), set()
        self.forward_completed = self.ignores_count = False

    def save_inputs(self, args):
        self._plain = [None if isinstance(one, torch.Tensor) else one for one in args]
        self._at = [i for i, one in enumerate(args) if isinstance(one, torch.Tensor)]
        self._saver = _Inputs.apply(torch.empty((0,), requires_grad=True), *(args[i] for i in self._at))

    def inputs(self):
        made = list(self._plain)
        for at, tensor in zip(self._at, self._saver.grad_fn.saved_tensors):
            made[at] = tensor
        return made

    def pack(self, x):
        place = _Place()
        self.places.append(weakref.ref(place))
        with torch.no_grad():
            self.descriptions.append(self.describe(x))
        return place

    def pack_again(self, x, run):
        """A tensor that the second run saves."""
        x = x.detach() if x.requires_grad else x
        at = self.counts[run]
        self.counts[run] += 1
        if at >= len(self.places):
            if not self.forward_completed:
                # A backward inside of the first run: more will be saved in that.
                self.ignores_count = True
                return x
            raise CheckpointError("torch.utils.checkpoint: trying to save more tensors during recomputation than during the original "
                                  f"forward pass.\n{_TIP}")
        place = self.places[at]()
        # A backward inside of the function may have dropped it.
        if place is not None:
            place.tensors[run] = x
        if self.stops_early and self.counts[run] == len(self.places):
            raise _Enough
        return x

    def unpack(self, place, run):
        if run not in self.is_done:
            inputs = self.inputs()
            with contextlib.suppress(_Enough), saved_tensors_hooks(lambda x: self.pack_again(x, run), lambda x: x), torch.enable_grad():
                self.run_again(*inputs)
            self.is_done.add(run)
            self._check(run)
        found = place.tensors.get(run)
        if found is None:
            raise CheckpointError("torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. If you "
                                  "are calling ctx.saved_tensors in backward, make sure to do so only once. Otherwise please open an "
                                  "issue with details on your use case.")
        place.tensors[run] = None
        return found

    def _check(self, run):
        if self.ignores_count:
            return
        if len(self.places) != self.counts[run]:
            raise CheckpointError("torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                                  f"recomputation.\nNumber of tensors saved during forward: {len(self.places)}\n"
                                  f"Number of tensors saved during recomputation: {self.counts[run]}.\n{_TIP}")
        different = ""
        for at, reference in enumerate(self.places):
            place = reference()
            now = None if place is None else self.describe(place.tensors[run])
            if place is not None and self.descriptions[at] != now:
                different += f"tensor at position {at}:\nsaved metadata: {self.descriptions[at]}\nrecomputed metadata: {now}\n"
        if different:
            raise CheckpointError("torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
                                  f"during the forward pass.\n{different}.\n{_TIP}")


def hooks_of_forward(frame, group):
    """The hooks that are in force in the first run. `group`: gives what several backwards share, or None."""
    lone = iter(range(-2, -1 << 62, -1))

    def unpack(place):
        run = group()
        if run is None:
            run = torch._C._current_graph_task_id()
        # Outside of a backward each question is one of its own.
        run = next(lone) if run == -1 else run
        if frame.tell is None:
            return frame.unpack(place, run)
        try:
            return frame.unpack(place, run)
        except CheckpointError as error:
            return frame.tell(error)

    return saved_tensors_hooks(frame.pack, unpack)


_REPORT = """ \\
An error happened while unpacking tensors; dumping logs of latest computation
because you passed `debug=True` to `torch.utils.checkpoint.checkpoint()`.

Operations executed during the original forward:

{first}

Operations executed during recomputation:

{second}

 ERROR: Detected non-determinism while running activation checkpointing

 You are seeing this error because you passed `debug=True` to checkpoint and
 tensors to be saved during the original forward and differ between those saved
 during recomputation. This can happen if different operators were ran in the
 original forward and in the recomputation.
"""


def debug_contexts():
    """(a context_fn that writes down which ops both runs call, what raises an error with these)."""
    from torch._aten.steps import NoOp, aten_call, taken
    logs = {"first": [], "second": []}

    @contextlib.contextmanager
    def noting(log):
        def note(place, name, is_in_place, names, values, result):
            with contextlib.suppress(NoOp):
                _, schema, args, _ = aten_call(place, name, is_in_place, names, values)
                shown = ", ".join(f"{one.dtype}{list(one.shape)}" if isinstance(one, torch.Tensor) else repr(one) for one in args)
                log.append(f"{schema.name.replace('::', '.')}({shown})")

        del log[:]
        torch._C._record_ops(note, taken())
        try:
            yield
        finally:
            torch._C._record_ops_end()

    def tell(error):
        raise CheckpointError(_REPORT.format(first="\n".join(logs["first"]), second="\n".join(logs["second"]))) from error

    return lambda: (noting(logs["first"]), noting(logs["second"])), tell
