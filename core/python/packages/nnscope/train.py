"""For training programs: settings from the command line, metrics by name, checkpoints that go on to the same bits.

`nnscope train FILE.py` watches any program without this; with it a run can be taken up again. Where nothing of nnscope
is there (under PyTorch itself) this module is not either, so a program that is to run in both asks before:

    try:
        import nnscope.train as train
    except ImportError:
        train = None

Under `nnscope run` it is there and keeps nothing: settings are the given ones, checkpoints are not taken."""
import datetime
import os
import random
import time

import torch

try:
    import _training
except ImportError:
    _training = None

__all__ = ["EarlyStop", "Run", "autocast", "data", "device", "evaluation", "log", "parallel", "say", "settings", "share"]


class Settings:
    """The settings of a run as attributes."""

    def __init__(self, values):
        self.__dict__.update(values)

    def __repr__(self):
        return "Settings(" + ", ".join(f"{key}={value!r}" for key, value in self.__dict__.items()) + ")"


_WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def _typed(key, text, default):
    kind = type(default)
    try:
        if kind is bool:
            return _WORDS[text.lower()]
        if kind in (int, float):
            return kind(text)
    except (KeyError, ValueError):
        names = {bool: "true or false", int: "a whole number", float: "a number"}
        raise SystemExit(f"--set {key}={text}: {key} is {names[kind]}") from None
    return text


def settings(**defaults):
    """What can be chosen with `--set key=value`, with what it is otherwise; each value has the type of its default.

    Ends the program, with the keys that there are, if another one was chosen."""
    chosen = dict(defaults)
    for key, text in (_training.settings() if _training is not None else {}).items():
        if key not in defaults:
            known = "\n".join(f"  {name}={value}" for name, value in defaults.items())
            raise SystemExit(f"--set {key}={text}: there is no such setting. These are, with their defaults:\n{known}")
        chosen[key] = _typed(key, text, defaults[key])
    return Settings(chosen)


def data():
    """The path that `--data` names, or None."""
    return _training.data() if _training is not None else None


def device():
    """The name of the device to train on."""
    return _training.device() if _training is not None else "cpu"


def autocast(kind):
    """A block in which ops run in bfloat16 where PyTorch's autocast would: `kind` is "bf16", or "none" for no change."""
    if kind not in ("none", "bf16"):
        raise SystemExit(f"--set autocast={kind}: autocast is none or bf16")
    return torch.autocast(torch.device(device()).type, torch.bfloat16, enabled=kind == "bf16")


def log(step=None, **metrics):
    """Keeps numbers (or tensors with one) by name, at this step: the number of steps made so far if it is not given."""
    if _training is not None:
        for name, value in metrics.items():
            _training.log(name, value, step, False)


def evaluation(step=None, **metrics):
    """The same for what was measured on data that is not trained on."""
    if _training is not None:
        for name, value in metrics.items():
            _training.log(name, value, step, True)


def say(text):
    """A line in the log of the run, which is printed, too."""
    print(text)
    if _training is not None:
        _training.say(str(text))


# What parallel() made where several ranks train together.
_network = None


def parallel(model):
    """The model as several ranks train it together: a DistributedDataParallel of it, or, where this process is alone,
    the model itself. Made after Run; ranks are what `--nproc`, torchrun, MPI or Slurm started.

    Whatever every rank draws and decides is the same for all, but for what batch norm has seen: rank 0's counts."""
    global _network
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        return model
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel
    if not dist.is_initialized():
        is_on_gpu = next(model.parameters()).is_cuda
        # Ranks that share a GPU cannot meet there.
        own = torch.cuda.device_count() >= int(os.environ.get("LOCAL_WORLD_SIZE", size))
        backend = "cpu:gloo,cuda:nccl" if is_on_gpu and own and dist.is_nccl_available() else "gloo"
        # A rank that is paused keeps the others waiting; one that is gone or stands still is noticed before.
        dist.init_process_group(backend, timeout=datetime.timedelta(days=30))
    _network = DistributedDataParallel(model)
    from nnscope import _ranks
    _ranks.join()
    return _network


def share(*tensors):
    """What this rank trains on of a batch that all ranks have: as many items for each, the last ones begin anew with
    the first. Alone, or with fewer items than ranks: all."""
    count = len(tensors[0])
    if _network is not None:
        import torch.distributed as dist
        rank, size = dist.get_rank(), dist.get_world_size()
        each = -(-count // size)
        if count % size == 0:
            tensors = tuple(one[rank * each:(rank + 1) * each] for one in tensors)
        elif count > size:
            places = torch.arange(rank * each, (rank + 1) * each) % count
            tensors = tuple(one[places.to(one.device)] for one in tensors)
    return tensors if len(tensors) > 1 else tensors[0]


def _of_first(value):
    """The number that rank 0 has."""
    if _network is None:
        return value
    import torch.distributed as dist
    told = torch.tensor([float(value)], dtype=torch.float64)
    dist.broadcast(told, 0)
    return told.item()


class EarlyStop:
    """Says when a measure has not become better for `patience` looks; 0 never does. Give it to Run, so that it is kept."""

    def __init__(self, patience, larger_is_better=True):
        self.patience, self.larger_is_better = patience, larger_is_better
        self.best, self.looks = None, 0

    def is_over(self, value):
        value = _of_first(value)
        better = self.best is None or (value > self.best if self.larger_is_better else value < self.best)
        self.best, self.looks = (value, 0) if better else (self.best, self.looks + 1)
        return 0 < self.patience <= self.looks

    def state_dict(self):
        return {"best": self.best, "looks": self.looks}

    def load_state_dict(self, state):
        self.best, self.looks = state["best"], state["looks"]


class Run:
    """A training whose parts (whatever has state_dict and load_state_dict) are kept, with all that decides random
    numbers and where the loader was: a run that is taken up again goes on to the same bits on the CPU.

    Made after its parts; then the program walks epochs() and batches(), or steps(). A checkpoint is taken between two
    batches, where everything that belongs to one is done; after the last one of an epoch, when the epoch is over: what
    follows its batches belongs to it and needs their results, which no checkpoint holds."""

    def __init__(self, keep=3, **parts):
        self._parts, self._keep = parts, keep
        self._epoch, self._batch = 0, 0
        self._is_in_epoch = False
        self._loader_start = None
        self._generator = None
        self._resumed = None
        if _training is None:
            return
        _training.takes_checkpoints()
        if _training.resumed_file() is not None:
            self._load(_training.resumed_file())

    @property
    def is_resumed(self):
        return self._resumed is not None

    def epochs(self, count):
        """The numbers of the epochs that are still to be trained."""
        if _training is not None:
            _training.set_totals(0, count)
        for epoch in range(self._epoch, count):
            self._epoch, self._is_in_epoch = epoch, True
            yield epoch
            self._epoch, self._batch, self._is_in_epoch = epoch + 1, 0, False
            self._loader_start = self._random_state()
            if epoch + 1 < count:
                self._checkpoint_if_wanted()
        self.checkpoint()

    def batches(self, loader):
        """The batches of this epoch that are still to be trained on."""
        self._generator = getattr(loader, "generator", None)
        resumed, self._resumed = self._resumed, None
        skipped = 0
        if resumed is not None:
            skipped = resumed["batch"]
            start, own = resumed["loader"] or (resumed["torch"], None)
            torch.set_rng_state(start)
            if own is not None and self._generator is not None:
                self._generator.set_state(own)
            if skipped == 0:
                # Between two epochs: what the loader draws now comes after all that was drawn.
                _set_random_state(resumed)
                resumed = None
        self._loader_start = self._random_state()
        iterator = iter(loader)
        if hasattr(iterator, "skip"):
            iterator.skip(skipped)
        else:
            # Without workers what a batch draws is put right below: its indices are enough.
            skip = iterator._next_index if getattr(loader, "num_workers", 0) == 0 and hasattr(
                iterator, "_next_index") else iterator.__next__
            for _ in range(skipped):
                skip()
        if resumed is not None:
            _set_random_state(resumed)
        self._batch = skipped
        last = _length(loader) if self._is_in_epoch else None
        for batch in iterator:
            yield batch
            self._batch += 1
            self._keep_together()
            if self._batch != last:
                self._checkpoint_if_wanted()

    def steps(self, count):
        """The numbers of the steps that are still to be made."""
        if _training is not None:
            _training.set_totals(count, 0)
        if self._resumed is not None:
            _set_random_state(self._resumed)
            self._resumed = None
        for step in range(self._batch, count):
            yield step
            self._batch = step + 1
            self._keep_together()
            self._checkpoint_if_wanted()
        self.checkpoint()

    def _keep_together(self):
        """Several ranks: they tell each other of the step; where somebody changed a learning rate at rank 0, all take over
        what rank 0 has. It was changed while a step was made, so that parameters and what optimisers keep may differ,
        too."""
        if _network is None:
            return
        import torch.distributed as dist

        from nnscope import _ranks
        groups = [group for one in self._parts.values() for group in getattr(one, "param_groups", ())]
        if not _ranks.meet([float(group["lr"]) for group in groups]):
            return
        told = [{key: one.state_dict() for key, one in self._parts.items() if one is not None}]
        dist.broadcast_object_list(told, 0)
        if dist.get_rank() != 0:
            for key, state in told[0].items():
                self._parts[key].load_state_dict(state)

    def _random_state(self):
        """Of all and of the loader's own generator."""
        return torch.get_rng_state(), None if self._generator is None else self._generator.get_state()

    def _checkpoint_if_wanted(self):
        if _training is not None and _training.wants_checkpoint():
            self.checkpoint()

    def checkpoint(self):
        """Writes one now; tells the log, and nothing more, if that fails: the older ones are still there."""
        folder = _training.run_folder() if _training is not None else None
        if folder is None:
            return
        began = time.perf_counter()
        steps = _training.steps()
        name = f"checkpoints/step-{steps:09}.pt"
        part = name + ".part"
        state = {"format": "nnscope.train 1", "steps": steps, "epoch": self._epoch, "batch": self._batch,
                 "loader": self._loader_start, "torch": torch.get_rng_state(),
                 "cuda": torch._C._cuda_default_generator.get_state(), "python": random.getstate(),
                 "parts": {key: one.state_dict() for key, one in self._parts.items() if one is not None}}
        try:
            torch.save(state, os.path.join(folder, part))
        except (MemoryError, OSError, RuntimeError) as error:
            _training.checkpoint_failed(part, str(error))
            return
        _training.checkpoint_written(part, name, time.perf_counter() - began, self._keep)

    def _load(self, path):
        # Parts put what they keep where they are, which may be another device than then; random states stay here.
        state = torch.load(path, map_location="cpu")
        if not isinstance(state, dict) or state.get("format") != "nnscope.train 1":
            raise SystemExit(f"{path} is no checkpoint of a run of nnscope train")
        known = {key for key, one in self._parts.items() if one is not None}
        if set(state["parts"]) != known:
            raise SystemExit(f"{path} holds {', '.join(sorted(state['parts']))}; the program keeps "
                             f"{', '.join(sorted(known))}")
        for key, one in state["parts"].items():
            self._parts[key].load_state_dict(one)
        self._epoch, self._batch = state["epoch"], state["batch"]
        self._resumed = state
        _training.set_position(state["steps"], state["epoch"])


def _length(loader):
    """How many batches it has, or None where nobody knows."""
    try:
        return len(loader)
    except TypeError:
        return None


def _set_random_state(state):
    torch.set_rng_state(state["torch"])
    # Checkpoints of older versions have none.
    if "cuda" in state:
        torch._C._cuda_default_generator.set_state(state["cuda"])
    version, numbers, gauss = state["python"]
    random.setstate((version, tuple(numbers), gauss))
