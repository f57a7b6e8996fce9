"""When parameters are gathered and freed: hooks before and after forward, and on what it gives.

Behaviour: torch/distributed/fsdp/_fully_shard/_fsdp_state.py."""
import torch
from torch._C import _distributed_c10d as _c10d
from torch.nn.parallel.distributed import _find_tensors, _with_tensors


class _Shared:
    """What all states below one root have in common."""

    def __init__(self):
        self.states = []
        self.forward_root = None
        # Groups in the order in which their forwards ended.
        self.forward_order = []
        self.has_queued_end = False
        self.is_last_backward = True


class FSDPState:
    """What fully_shard() keeps of a module, or of several that share a group."""

    def __init__(self, modules, policy, decides_reshard):
        self.modules, self.policy = modules, policy
        # Nobody said whether to reshard after forward: the root does not.
        self.decides_reshard = decides_reshard
        self.group = None
        self.is_root = None
        self.shared = _Shared()
        self.forward_prefetch, self.backward_prefetch = [], None
        self.is_in_backward = False
        self.running = set()
        for module in modules:
            module.register_forward_pre_hook(self.pre_forward, prepend=True, with_kwargs=True)
            module.register_forward_hook(self.post_forward)

    # -------------------------------------------------------------------------------------------- the tree of states

    def lazy_init(self):
        """Whose forward runs first is the root of what lies below it."""
        if self.is_root is not None:
            return
        self.is_root = True
        if len(self.modules) > 1:
            raise RuntimeError(f"FSDP requires a single root module but got {self.modules}")
        root = self.modules[0]
        states = []
        for name, module in root.named_modules():
            state = state_of(module)
            if state is None or state in states:
                continue
            if module is not root:
                if state.is_root is not None:
                    raise RuntimeError(f"FSDP state has already been lazily initialized for {name}\nFSDP requires "
                                       "running forward through the root module first")
                state.is_root = False
            states.append(state)
        if self.decides_reshard and self.group is not None:
            self.group.set_reshard_after_forward(False)
        self.shared.states = states
        names = {id(parameter): name for name, parameter in root.named_parameters()}
        for state in states:
            state.shared = self.shared
            if state.group is not None:
                state.group.prepare(names)

    def groups_below(self):
        """Of this state's modules and all below them, in order."""
        below = {id(module) for root in self.modules for module in root.modules()}
        return [state.group for state in self.shared.states
                if state.group is not None and any(id(module) in below for module in state.modules)]

    # -------------------------------------------------------------------------------------------- forward

    def pre_forward(self, module, args, kwargs):
        if len(self.modules) > 1:
            is_first = not self.running
            if is_first:
                self.running = set(self.modules)
            if not is_first:
                return self._cast_inputs(args, kwargs)
        if self.is_in_backward and not _c10d._is_in_backward():
            self._forget_backward()
        if self.is_in_backward:
            # Activations are computed again within backward.
            if self.group is not None:
                self.group.unshard()
                self.group.wait_for_unshard()
            return args, kwargs
        self.lazy_init()
        if self.shared.forward_root is None or self.is_root:
            self._begin_forward()
        args, kwargs = self._cast_inputs(args, kwargs)
        if self.group is not None:
            self.group.unshard()
            self.group.wait_for_unshard()
        for state in self.forward_prefetch:
            if state.group is not None:
                state.group.unshard()
        return args, kwargs

    def _forget_backward(self):
        """After a backward that did not end well."""
        for state in self.shared.states:
            state.is_in_backward = False
            if state.group is not None:
                state.group.forget_backward()
        self.shared.forward_order.clear()

    def _begin_forward(self):
        self.shared.forward_root = self
        self.shared.has_queued_end = False
        groups = self.groups_below()
        for group in groups:
            # Since they were gathered, an optimiser may have made a step.
            group.kept = None
        if groups and groups[0].takes_turns:
            # One forward may wait for the others only once.
            for group in groups:
                group.unshard()
            for group in reversed(groups):
                if group.pending is not None:
                    group.pending[0].wait()

    def _cast_inputs(self, args, kwargs):
        dtype = self.policy.param_dtype
        if dtype is None or not self.policy.cast_forward_inputs:
            return args, kwargs
        return _cast(args, dtype), _cast(kwargs, dtype)

    def post_forward(self, module, args, output):
        if len(self.modules) > 1:
            self.running.discard(module)
        if not self.is_in_backward:
            if self.group is not None and not self.running:
                self.group.after_forward(torch.is_grad_enabled())
                if torch.is_grad_enabled() and self.group not in self.shared.forward_order:
                    self.shared.forward_order.append(self.group)
            for tensor in _find_tensors(output):
                if tensor.requires_grad:
                    tensor.register_hook(self.before_backward)
            if self.shared.forward_root is self:
                self.shared.forward_root = None
        return output if self.policy.output_dtype is None else _cast(output, self.policy.output_dtype)

    # -------------------------------------------------------------------------------------------- backward

    def before_backward(self, gradient):
        if not self.shared.has_queued_end:
            self.shared.has_queued_end = True
            _c10d._queue_callback(self.end_backward)
        self.is_in_backward = True
        if self.group is not None:
            self.group.before_backward()
            self._prefetch()

    def _prefetch(self):
        """Begins to gather the group that backward comes to next."""
        if self.group.takes_turns:
            return
        if self.backward_prefetch is not None:
            ahead = [state.group for state in self.backward_prefetch if state.group is not None]
        else:
            order = self.shared.forward_order
            at = order.index(self.group) if self.group in order else 0
            ahead = order[at - 1:at] if at > 0 else []
        for group in ahead:
            if group.unshard_in_backward and not group.awaits_gradients:
                group.unshard()

    def end_backward(self):
        """Groups whose gradients did not all arrive, and the averages of all."""
        shared = self.shared
        shared.has_queued_end = False
        for state in reversed(shared.states):
            if state.group is not None and (state.group.awaits_gradients or state.group.pending is not None):
                state.group.wait_for_unshard()
                state.group.post_backward()
            state.is_in_backward = False
        if not shared.is_last_backward:
            return
        for state in reversed(shared.states):
            if state.group is not None:
                state.group.finish_backward()
        shared.forward_order.clear()


def _cast(value, dtype):
    """A structure whose floating-point tensors have the dtype."""
    known = {id(one): one.to(dtype) for one in _find_tensors(value) if one.is_floating_point()}
    return _with_tensors(value, known)


def state_of(module):
    """What fully_shard() keeps of the module itself; None: it was not applied to it."""
    return module.__dict__.get("__composable_api_state_key", {}).get("fully_shard")
