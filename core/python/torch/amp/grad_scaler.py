"""torch.amp.GradScaler: a loss is made larger before backward, so that no gradient of float16 is rounded to 0.

Behaviour: torch/amp/grad_scaler.py; aten/src/ATen/native/cuda/AmpKernels.cu, _amp_update_scale_.
"""
import inspect
import warnings
from collections import abc, defaultdict
from enum import Enum

import torch

__all__ = ["OptState", "GradScaler"]


class OptState(Enum):
    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _refresh_per_optimizer_state():
    return {"stage": OptState.READY, "found_inf_per_device": {}}


class _PerDevice:
    """Copies of a tensor, one for each device that asks."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.copies = {}

    def get(self, device):
        if device not in self.copies:
            self.copies[device] = self.tensor.to(device=device, non_blocking=True, copy=True)
        return self.copies[device]


class GradScaler:
    """scale(loss).backward(), step(optimizer), update(): a step whose gradients are not finite is left out."""

    def __init__(self, device="cuda", init_scale=2.0**16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000,
                 enabled=True):
        self._device = device
        self._enabled = enabled
        if device == "cuda" and enabled and not torch.cuda.is_available():
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
            self._enabled = False
        if not self._enabled:
            return
        assert growth_factor > 1.0, "The growth factor must be > 1.0."
        assert backoff_factor < 1.0, "The backoff factor must be < 1.0."
        self._init_scale = init_scale
        # Made where the first loss lies.
        self._scale = None
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._init_growth_tracker = 0
        self._growth_tracker = None
        self._per_optimizer_states = defaultdict(_refresh_per_optimizer_state)

    def _check_scale_growth_tracker(self, funcname):
        fix = "This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration."
        assert self._scale is not None, f"Attempted {funcname} but _scale is None.  {fix}"
        assert self._growth_tracker is not None, f"Attempted {funcname} but _growth_tracker is None.  {fix}"
        return self._scale, self._growth_tracker

    def _lazy_init_scale_growth_tracker(self, dev):
        assert self._growth_tracker is None, "_growth_tracker initialized before _scale"
        self._scale = torch.full((), self._init_scale, dtype=torch.float32, device=dev)
        self._growth_tracker = torch.full((), self._init_growth_tracker, dtype=torch.int32, device=dev)

    def scale(self, outputs):
        """The tensor, or all tensors of a list, times the scale."""
        if not self._enabled:
            return outputs
        scales = None

        def apply_scale(value):
            nonlocal scales
            if isinstance(value, torch.Tensor):
                if scales is None:
                    if self._scale is None:
                        self._lazy_init_scale_growth_tracker(value.device)
                    scales = _PerDevice(self._scale)
                return value * scales.get(value.device)
            if isinstance(value, abc.Iterable):
                scaled = map(apply_scale, value)
                return type(value)(scaled) if isinstance(value, (list, tuple)) else scaled
            raise ValueError("outputs must be a Tensor or an iterable of Tensors")

        return apply_scale(outputs)

    def _unscale_grads_(self, optimizer, inv_scale, found_inf, allow_fp16):
        inverses, found = _PerDevice(inv_scale), _PerDevice(found_inf)
        with torch.no_grad():
            for group in optimizer.param_groups:
                for param in group["params"]:
                    gradient = param.grad
                    if gradient is None:
                        continue
                    if not allow_fp16 and gradient.dtype == torch.float16:
                        raise ValueError("Attempting to unscale FP16 gradients.")
                    if gradient.is_sparse:
                        if gradient.dtype is torch.float16:
                            param.grad = gradient = gradient.coalesce()
                        gradient = gradient._values()
                    torch._C._amp_foreach_non_finite_check_and_unscale_(
                        [gradient], found.get(gradient.device), inverses.get(gradient.device))
        return found.copies

    def unscale_(self, optimizer):
        """Divides the gradients of the optimiser's parameters by the scale; step() does so where nobody did."""
        if not self._enabled:
            return
        self._check_scale_growth_tracker("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        # The reciprocal is rounded once.
        inv_scale = self._scale.double().reciprocal().float()
        found_inf = torch.full((), 0.0, dtype=torch.float32, device=self._scale.device)
        state["found_inf_per_device"] = self._unscale_grads_(optimizer, inv_scale, found_inf, False)
        state["stage"] = OptState.UNSCALED

    def step(self, optimizer, *args, return_found_inf=False, **kwargs):
        """optimizer.step(), unless a gradient is not finite."""
        if not self._enabled:
            made = optimizer.step(*args, **kwargs)
            return (made, False) if return_found_inf else made
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_scale_growth_tracker("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            made = self._step_of_scaling(optimizer, state, args, kwargs)
            state["stage"] = OptState.STEPPED
            return (made, False) if return_found_inf else made
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        assert len(state["found_inf_per_device"]) > 0, "No inf checks were recorded for this optimizer."
        is_bad = any(found.item() for found in state["found_inf_per_device"].values())
        made = None if is_bad else optimizer.step(*args, **kwargs)
        state["stage"] = OptState.STEPPED
        return (made, is_bad) if return_found_inf else made

    def _step_of_scaling(self, optimizer, state, args, kwargs):
        """The step of an optimizer that unscales by itself: by the scaler, or by its attributes grad_scale and found_inf."""
        if "grad_scaler" in inspect.signature(optimizer.step).parameters:
            warnings.warn("GradScaler is going to stop passing itself as a keyword argument to the passed optimizer. In the near "
                          "future GradScaler registers `grad_scale: Tensor` and `found_inf: Tensor` to the passed optimizer and let "
                          "the optimizer use them directly.", FutureWarning, stacklevel=3)
            return optimizer.step(*args, **{**kwargs, "grad_scaler": self})
        if state["stage"] is OptState.READY:
            self._check_inf_per_device(optimizer)
        scale = self._get_scale_async()
        assert scale is not None
        found = [one.to(scale.device, non_blocking=True) for one in state["found_inf_per_device"].values()]
        before = getattr(optimizer, "grad_scale", None)
        optimizer.grad_scale = None if state["stage"] is OptState.UNSCALED else scale * (1 if before is None else before)
        optimizer.found_inf = sum(found[1:], found[0])
        made = optimizer.step(*args, **kwargs)
        del optimizer.grad_scale
        del optimizer.found_inf
        return made

    def _check_inf_per_device(self, optimizer):
        scale, _ = self._check_scale_growth_tracker("_check_inf_per_device")
        one, found_inf = (torch.full((), value, dtype=torch.float32, device=scale.device) for value in (1.0, 0.0))
        state = self._per_optimizer_states[id(optimizer)]
        state["found_inf_per_device"] = self._unscale_grads_(optimizer, one, found_inf, True)
        return state["found_inf_per_device"]

    def update(self, new_scale=None):
        """Another scale: smaller after a step that was left out, larger after many that were not."""
        if not self._enabled:
            return
        scale, growth_tracker = self._check_scale_growth_tracker("update")
        if new_scale is None:
            found = [one.to(device=scale.device, non_blocking=True)
                     for state in self._per_optimizer_states.values()
                     for one in state["found_inf_per_device"].values()]
            assert len(found) > 0, "No inf checks were recorded prior to update."
            torch._C._amp_update_scale_(scale, growth_tracker, sum(found[1:], found[0]), self._growth_factor,
                                        self._backoff_factor, self._growth_interval)
        elif isinstance(new_scale, torch.Tensor):
            reason = ("new_scale should be a float or a 1-element torch.cuda.FloatTensor or                     "
                      "torch.FloatTensor with requires_grad=False.")
            assert new_scale.device.type == self._device, reason
            assert new_scale.numel() == 1, reason
            assert new_scale.requires_grad is False, reason
            scale.copy_(new_scale)
        else:
            scale.fill_(new_scale)
        self._per_optimizer_states = defaultdict(_refresh_per_optimizer_state)

    def _get_scale_async(self):
        return self._scale

    def get_scale(self):
        """The scale; 1.0 where nothing is scaled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self):
        return self._growth_factor

    def set_growth_factor(self, new_factor):
        self._growth_factor = new_factor

    def get_backoff_factor(self):
        return self._backoff_factor

    def set_backoff_factor(self, new_factor):
        self._backoff_factor = new_factor

    def get_growth_interval(self):
        return self._growth_interval

    def set_growth_interval(self, new_interval):
        self._growth_interval = new_interval

    def _get_growth_tracker(self):
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else self._growth_tracker.item()

    def is_enabled(self):
        return self._enabled

    def state_dict(self):
        if not self._enabled:
            return {}
        return {"scale": self.get_scale(), "growth_factor": self._growth_factor,
                "backoff_factor": self._backoff_factor, "growth_interval": self._growth_interval,
                "_growth_tracker": self._get_growth_tracker()}

    def load_state_dict(self, state_dict):
        if not self._enabled:
            return
        if len(state_dict) == 0:
            raise RuntimeError("The source state dict is empty, possibly because it was saved "
                               "from a disabled instance of GradScaler.")
        self._init_scale = state_dict["scale"]
        if self._scale is not None:
            self._scale.fill_(state_dict["scale"])
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._growth_tracker is not None:
            self._growth_tracker.fill_(state_dict["_growth_tracker"])

    def __getstate__(self):
        state = self.__dict__.copy()
        if self._enabled:
            assert len(self._per_optimizer_states) == 0, (
                "A GradScaler instance may only be pickled at the beginning "
                "of an iteration, or at the end after scaler.update().")
            state["_init_scale"] = self.get_scale()
            state["_init_growth_tracker"] = self._get_growth_tracker()
            state["_scale"] = None
            state["_growth_tracker"] = None
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)

    def _found_inf_per_device(self, optimizer):
        return self._per_optimizer_states[id(optimizer)]["found_inf_per_device"]
