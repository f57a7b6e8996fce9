"""What the second run of a checkpoint has to find as the first did: random numbers, autocast, the device by default.
Behaviour: torch/utils/checkpoint.py."""
import contextlib
import warnings

import torch
from torch.utils import _pytree as pytree


class DefaultDeviceType:
    """The kind of device whose random numbers are kept where no tensor tells."""

    _default_device_type = None

    @staticmethod
    def set_device_type(device="cuda"):
        DefaultDeviceType._default_device_type = device

    @staticmethod
    def get_device_type():
        if not DefaultDeviceType._default_device_type:
            found = torch.accelerator.current_accelerator(True)
            DefaultDeviceType._default_device_type = found.type if found else "cpu"
        return DefaultDeviceType._default_device_type


def _device_type(args):
    kinds = [one.device.type for one in pytree.tree_leaves(args) if isinstance(one, torch.Tensor) and one.device.type != "cpu"]
    if len(set(kinds)) > 1:
        warnings.warn("Tensor arguments, excluding CPU tensors, are detected on at least two types of devices. Device state will only be "
                      "saved for devices of a single device type, and the remaining devices will be ignored. Consequently, if any "
                      "checkpointed functions involve randomness, this may result in incorrect gradients. (Note that if CUDA devices are "
                      "among the devices detected, it will be prioritized; otherwise, the first device encountered will be selected.)"
                      f"\nDevice types: {sorted(set(kinds))} first device type: {kinds[0]}", stacklevel=2)
    if not kinds:
        return DefaultDeviceType.get_device_type()
    return "cuda" if "cuda" in kinds else kinds[0]


def get_device_states(*args):
    """(the numbers of the devices on which tensors lie, the states of their generators)."""
    devices = [one.get_device() for one in pytree.tree_leaves(args)
               if isinstance(one, torch.Tensor) and one.device.type not in ("cpu", "meta")]
    return devices, [torch.cuda.get_rng_state(device) for device in devices]


def set_device_states(devices, states, *, device_type=None):
    """Sets the generators of devices."""
    if (device_type or DefaultDeviceType.get_device_type()) == "meta":
        return
    for device, state in zip(devices, states):
        torch.cuda.set_rng_state(state, device)


class Surroundings:
    """Of the first run, with such arguments; `keeps_rng`: also where its random numbers began."""

    def __init__(self, args, keeps_rng):
        self._keeps_rng = keeps_rng
        self._device_type = _device_type(args)
        self._autocasts = [(kind, torch.is_autocast_enabled(kind), torch.get_autocast_dtype(kind))
                           for kind in dict.fromkeys((self._device_type, "cpu")) if torch.amp.is_autocast_available(kind)]
        self._caches = torch.is_autocast_cache_enabled()
        self._device = torch.get_default_device()
        self._had_device = False
        if keeps_rng:
            self._state = torch.get_rng_state()
            self._had_device = self._device_type == "cuda" and torch.cuda.is_initialized()
            self._devices, self._device_states = get_device_states(*args) if self._had_device else ([], [])

    @contextlib.contextmanager
    def again(self):
        devices = self._devices if self._keeps_rng and self._had_device else []
        with torch.random.fork_rng(devices=devices, enabled=self._keeps_rng):
            if self._keeps_rng:
                torch.set_rng_state(self._state)
                if self._had_device:
                    set_device_states(self._devices, self._device_states, device_type=self._device_type)
            if torch.get_default_device() == self._device:
                yield
            else:
                with self._device:
                    yield

    @contextlib.contextmanager
    def autocast(self):
        with contextlib.ExitStack() as stack:
            for kind, is_enabled, dtype in self._autocasts:
                stack.enter_context(torch.amp.autocast(kind, enabled=is_enabled, dtype=dtype, cache_enabled=self._caches))
            yield

    def check_device(self):
        """Errors: RuntimeError  the first run was the first to use the device, so that it is not known where its numbers began."""
        if self._keeps_rng and not self._had_device and self._device_type == "cuda" and torch.cuda.is_initialized():
            raise RuntimeError("PyTorch's device state was initialized in the forward pass of a Checkpoint, which is not allowed. Please "
                               "open an issue if you need this feature.")
