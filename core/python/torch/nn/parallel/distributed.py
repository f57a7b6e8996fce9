"""A module in several processes, whose gradients are averaged.

Behaviour: torch/nn/parallel/distributed.py, class DistributedDataParallel; the reducer is core/parallel/reducer.h."""
import copy
import inspect
import os
import sys
import warnings
from contextlib import contextmanager

import torch
import torch.distributed as dist
from torch._C import _distributed_c10d as _c10d
from torch.autograd import Function
from torch.distributed.algorithms.join import Join, Joinable, JoinHook
from torch.nn import Module
from torch.nn.parallel._ddp_logging import Logger
from torch.nn.parallel.scatter_gather import gather, scatter_kwargs
from torch.nn.parameter import UninitializedParameter

__all__ = ["DistributedDataParallel"]

_MEGABYTE = 1024 * 1024


class _BucketCapacityConfig:
    """How large buckets become, in bytes: one cap, or one a bucket."""

    default_cap_mb = 25

    def __init__(self, cap_mb=None, cap_mb_list=None):
        if cap_mb is not None and cap_mb_list is not None:
            raise ValueError("bucket_cap_mb and bucket_cap_mb_list cannot both be given")
        self.is_default = cap_mb is None and not cap_mb_list
        self.cap_list = [int(one * _MEGABYTE) for one in cap_mb_list or []]
        self.cap = self.cap_list[-1] if self.cap_list else int((cap_mb or self.default_cap_mb) * _MEGABYTE)

    def limits(self):
        """Of the first bucket, of the second, ..."""
        if self.cap_list:
            return list(self.cap_list)
        return [dist._DEFAULT_FIRST_BUCKET_BYTES, self.cap] if self.is_default else [self.cap, self.cap]


def _find_tensors(value):
    """All tensors in a structure."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in _find_tensors(item)]
    if isinstance(value, dict):
        return [tensor for item in value.values() for tensor in _find_tensors(item)]
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        return [tensor for name in value.__dataclass_fields__ for tensor in _find_tensors(getattr(value, name))]
    return []


def _with_tensors(value, known):
    """The structure with other tensors in the place of those whose id is known."""
    if isinstance(value, torch.Tensor):
        return known.get(id(value), value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_with_tensors(item, known) for item in value))
    if isinstance(value, (list, tuple)):
        return type(value)(_with_tensors(item, known) for item in value)
    if isinstance(value, dict):
        made = copy.copy(value)
        for key, item in value.items():
            made[key] = _with_tensors(item, known)
        return made
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        made = copy.copy(value)
        for name in value.__dataclass_fields__:
            object.__setattr__(made, name, _with_tensors(getattr(value, name), known))
        return made
    return value


class _DDPSink(Function):
    """Passes outputs on unchanged. Those that the loss does not use get no gradient, but backward comes by, so that it
    reaches every parameter that they depend on."""

    @staticmethod
    def forward(ctx, ddp, *inputs):
        ctx.set_materialize_grads(False)
        return tuple(one.clone() if isinstance(one, torch.Tensor) else one for one in inputs)

    @staticmethod
    def backward(ctx, *grads):
        return None, *grads


class _DDPJoinHook(JoinHook):
    def __init__(self, ddp, divide_by_initial_world_size):
        ddp._divide_by_initial_world_size = divide_by_initial_world_size
        self.ddp = ddp
        super().__init__()

    def main_hook(self):
        """The collectives of a step of those that have data."""
        ddp = self.ddp
        ddp.reducer._rebuild_buckets()
        ddp._check_and_sync_module_buffers(is_joined=True)
        wants = ddp._check_global_requires_backward_grad_sync(is_joined_rank=True)
        ddp.require_forward_param_sync = bool(wants.item())
        if not ddp.require_forward_param_sync:
            return
        ddp._match_all_reduce_for_bwd_pass()
        if ddp.find_unused_parameters and not ddp.static_graph:
            ddp.reducer._all_reduce_used_parameters_as_none()
        ddp.reducer._push_all_rebuilt_params()

    def post_hook(self, is_last_joiner):
        """The model of a rank that had data to the end, for all."""
        self.ddp._sync_final_model(is_last_joiner)


class DistributedDataParallel(Module, Joinable):
    """Averages the gradients of `module` over all processes while backward runs."""

    _active_ddp_module = None

    def __init__(self, module, device_ids=None, output_device=None, dim=0, forward_sync_buffers=None, init_sync=True,
                 process_group=None, bucket_cap_mb=None, bucket_cap_mb_list=None, find_unused_parameters=False,
                 check_reduction=False, gradient_as_bucket_view=False, batched_grad_copy=False, static_graph=False,
                 delay_all_reduce_named_params=None, param_to_hook_all_reduce=None, mixed_precision=None,
                 device_mesh=None, skip_all_reduce_unused_params=False, broadcast_buffers=None):
        super().__init__()
        Joinable.__init__(self)
        self._use_python_reducer = False
        self.logger = None
        if device_mesh is not None or mixed_precision is not None or delay_all_reduce_named_params is not None:
            raise NotImplementedError("device_mesh, mixed_precision and delay_all_reduce_named_params are not supported")
        self.process_group = dist._get_default_group() if process_group is None else process_group
        self._delay_all_reduce_params = []
        self.parameters_to_ignore = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        self._module_parameters = [p for n, p in module.named_parameters() if n not in self.parameters_to_ignore]
        if not any(p.requires_grad for p in self._module_parameters):
            raise RuntimeError("DistributedDataParallel is not needed when a module doesn't have any parameters that "
                               "require a gradient.")
        if device_ids is not None and len(device_ids) > 1:
            raise ValueError("device_ids can only be None or contain a single element.")
        self.is_multi_device_module = len({p.device for p in self._module_parameters}) > 1
        types = {p.device.type for p in self._module_parameters}
        if len(types) != 1:
            raise ValueError("DistributedDataParallel's input module must be on the same type of devices, but input "
                             f"module parameters locate in {types}.")
        self.device_type = next(iter(types))
        if not device_ids or self.device_type == "cpu" or self.is_multi_device_module:
            if device_ids or output_device:
                raise ValueError("DistributedDataParallel device_ids and output_device arguments only work with "
                                 "single-device/multiple-device GPU modules or CPU modules, but got device_ids "
                                 f"{device_ids}, output_device {output_device}, and module parameters "
                                 f"{ {p.device for p in self._module_parameters} }.")
            self.device_ids = None
            self.output_device = None
        else:
            self.device_ids = [torch.device(one).index if isinstance(one, (str, torch.device)) else one
                               for one in device_ids]
            self.output_device = device_ids[0] if output_device is None else output_device
        self.static_graph = False
        self.dim = dim
        self.module = module
        self.device = next(iter(self._module_parameters)).device
        if broadcast_buffers is not None:
            warnings.warn("The `broadcast_buffers` argument is deprecated, use `forward_sync_buffers` instead.",
                          FutureWarning, stacklevel=2)
        if forward_sync_buffers is None:
            forward_sync_buffers = True if broadcast_buffers is None else broadcast_buffers
        self.forward_sync_buffers = forward_sync_buffers
        self.find_unused_parameters = find_unused_parameters
        self.require_backward_grad_sync = True
        self.require_forward_param_sync = True
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.batched_grad_copy = batched_grad_copy
        self.mixed_precision = None
        if any(isinstance(p, UninitializedParameter) for p in self._module_parameters):
            raise RuntimeError("Modules with uninitialized parameters can't be used with `DistributedDataParallel`. "
                               "Run a dummy forward pass to correctly initialize the modules")
        self.broadcast_bucket_size = 250 * _MEGABYTE
        self._bucket_config = _BucketCapacityConfig(bucket_cap_mb, bucket_cap_mb_list)
        self.bucket_bytes_cap = self._bucket_config.cap
        self.bucket_bytes_cap_list = self._bucket_config.cap_list
        self.bucket_bytes_cap_default = self._bucket_config.is_default
        self.use_side_stream_for_tensor_copies = os.environ.get("PYTORCH_DDP_USE_SIDE_STREAM", "1") == "1"
        self._delay_grad_buffer = None
        self._delay_grad_views = []
        self._delay_all_reduce_all_params = False
        self.skip_all_reduce_unused_params = skip_all_reduce_unused_params
        parameters, expect_sparse = self._build_params_for_reducer()
        if init_sync:
            # Rank 0 waits for nobody before the others have what it gives: ranks that take turns cannot be left in here.
            finish_verifying = _c10d._begin_verifying_params(self.process_group, parameters)
            self._sync_module_states(parameters)
            finish_verifying()
        self._make_reducer(parameters, expect_sparse, static_graph)
        self._comm_hooks = []
        self._has_rebuilt_buckets = False
        if static_graph:
            self._set_static_graph()
        self._lazy_init_ran = False
        self._accum_grad_hooks = []
        self._ddp_sink_clone = True

    @property
    def broadcast_buffers(self):
        """The old name of forward_sync_buffers."""
        return self.forward_sync_buffers

    @broadcast_buffers.setter
    def broadcast_buffers(self, value):
        self.forward_sync_buffers = value

    # -------------------------------------------------------------------------------------------- construction

    def _build_params_for_reducer(self):
        found, sparse, seen = [], [], set()
        for module_name, module in self.module.named_modules():
            is_sparse = isinstance(module, (torch.nn.Embedding, torch.nn.EmbeddingBag)) and module.sparse
            for name, parameter in module.named_parameters(recurse=False):
                full = f"{module_name}.{name}" if module_name else name
                if parameter.requires_grad and full not in self.parameters_to_ignore and parameter not in seen:
                    seen.add(parameter)
                    found.append(parameter)
                    sparse.append(is_sparse)
        self._assign_modules_buffers()
        return found, sparse

    def _assign_modules_buffers(self):
        kept = [(buffer, name) for name, buffer in self.module.named_buffers() if name not in self.parameters_to_ignore]
        self.modules_buffers = [buffer for buffer, _ in kept]
        self.named_module_buffers = {name: buffer for buffer, name in kept}

    def _sync_module_states(self, parameters):
        """Rank 0's parameters and buffers for all."""
        states = [p.detach() for n, p in self.module.named_parameters() if n not in self.parameters_to_ignore]
        states += [b.detach() for n, b in self.module.named_buffers() if n not in self.parameters_to_ignore]
        if states:
            dist._broadcast_coalesced(self.process_group, states, self.broadcast_bucket_size, 0)

    def _names_of(self, parameters):
        names = {}
        for name, parameter in self.module.named_parameters():
            if name not in self.parameters_to_ignore:
                names[parameter] = name
        return [names[parameter] for parameter in parameters]

    def _make_reducer(self, parameters, expect_sparse, static_graph):
        limits = self._bucket_config.limits()
        first = [sys.maxsize] if static_graph or not self.find_unused_parameters else limits
        buckets, bucket_limits = dist._compute_bucket_assignment_by_size(parameters, first, expect_sparse)
        shows_names = dist.get_debug_level() != "OFF"
        self.reducer = _c10d.Reducer(parameters, list(reversed(buckets)), self.process_group, expect_sparse, limits,
                                     self.find_unused_parameters, self.gradient_as_bucket_view,
                                     self._names_of(parameters), shows_names)
        self.logger = Logger(self, parameters, static_graph)

    def __getstate__(self):
        self._check_default_group()
        state = copy.copy(self.__dict__)
        for name in ("process_group", "reducer", "logger"):
            del state[name]
        state["broadcast_buffers"] = self.forward_sync_buffers
        return state

    def __setstate__(self, state):
        state = dict(state)
        synchronised = state.pop("broadcast_buffers", True)
        state.setdefault("forward_sync_buffers", synchronised)
        self.process_group = dist._get_default_group()
        super().__setstate__(state)
        self.__dict__.setdefault("require_forward_param_sync", True)
        self.__dict__.setdefault("require_backward_grad_sync", True)
        parameters, expect_sparse = self._build_params_for_reducer()
        self._make_reducer(parameters, expect_sparse, self.static_graph)
        if self.static_graph:
            self.reducer._set_static_graph()

    def _check_default_group(self):
        if self.process_group != dist._get_default_group():
            raise RuntimeError("DDP Pickling/Unpickling are only supported when using DDP with the default process "
                               "group. That is, when you have called init_process_group and have not passed "
                               "process_group argument to DDP constructor")

    # -------------------------------------------------------------------------------------------- a step

    @contextmanager
    def no_sync(self):
        """Gradients of forwards in here stay local, and are averaged with the next that is not."""
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def forward(self, *inputs, **kwargs):
        inputs, kwargs = self._pre_forward(*inputs, **kwargs)
        output = self.module(*inputs, **kwargs)
        return self._post_forward(output)

    def _pre_forward(self, *inputs, **kwargs):
        self._lazy_init_ran = True
        synchronises = torch.is_grad_enabled() and self.require_backward_grad_sync
        if synchronises:
            self.logger.set_runtime_stats()
            self.reducer.prepare_for_forward()
        work = Join.notify_join_context(self)
        if work:
            self.reducer._set_forward_pass_work_handle(work._native, self._divide_by_initial_world_size)
        # Only once, and only where a backward that synchronises came before.
        if torch.is_grad_enabled() and self.reducer._rebuild_buckets():
            self._has_rebuilt_buckets = True
        self._check_and_sync_module_buffers()
        if self._join_config.enable:
            self._check_global_requires_backward_grad_sync(is_joined_rank=False)
        if self.device_ids:
            moved_inputs, moved_kwargs = scatter_kwargs(inputs, kwargs, self.device_ids, self.dim)
            return (moved_inputs[0] if moved_inputs else ()), (moved_kwargs[0] if moved_kwargs else {})
        return inputs, kwargs

    def _post_forward(self, output):
        if not (torch.is_grad_enabled() and self.require_backward_grad_sync):
            self.require_forward_param_sync = False
            return output
        self.require_forward_param_sync = True
        finds_unused = self.find_unused_parameters and not self.static_graph
        self.reducer.prepare_for_backward(_find_tensors(output) if finds_unused else [])
        if not (finds_unused or self.static_graph and self.reducer._iterations() == 1):
            return output
        through = [one for one in _find_tensors(output) if one.requires_grad]
        if not through:
            return output
        passed = dict(zip(map(id, through), _DDPSink.apply(self, *through)))
        return _with_tensors(output, passed)

    def scatter(self, inputs, kwargs, device_ids):
        return scatter_kwargs(inputs, kwargs, device_ids, dim=self.dim)

    def gather(self, outputs, output_device):
        return gather(outputs, output_device, dim=self.dim)

    def train(self, mode=True):
        super().train(mode)
        return self

    def will_sync_module_buffers(self):
        return self.require_forward_param_sync and self.forward_sync_buffers and len(self.modules_buffers) > 0

    def _check_and_sync_module_buffers(self, is_joined=False):
        # With uneven inputs those of the highest rank that still has some count.
        if self.will_sync_module_buffers():
            self._sync_module_buffers(self._find_common_rank(dist.get_rank(self.process_group), not is_joined)
                                      if self._join_config.enable else 0)

    def _sync_module_buffers(self, authoritative_rank):
        with torch.no_grad():
            self._assign_modules_buffers()
            dist._broadcast_coalesced(self.process_group, self.modules_buffers, self.broadcast_bucket_size,
                                      authoritative_rank)

    # -------------------------------------------------------------------------------------------- uneven inputs

    def join(self, divide_by_initial_world_size=True, enable=True, throw_on_early_termination=False):
        """Lets ranks run out of data one after the other."""
        return Join([self], enable, throw_on_early_termination,
                    divide_by_initial_world_size=divide_by_initial_world_size)

    def join_hook(self, **kwargs):
        return _DDPJoinHook(self, divide_by_initial_world_size=kwargs.get("divide_by_initial_world_size", True))

    @property
    def join_device(self):
        return self.device

    @property
    def join_process_group(self):
        return self.process_group

    def _find_common_rank(self, rank, condition):
        """The highest rank that has the condition."""
        chosen = torch.tensor([rank if condition else -1], device=self.device)
        dist.all_reduce(chosen, op=dist.ReduceOp.MAX, group=self.process_group)
        if chosen.item() == -1:
            raise ValueError("BUG! Expected rank_cond to be true for at least one process. This indicates a bug in "
                             "PyTorch, please report an issue.")
        return chosen.item()

    def _check_global_requires_backward_grad_sync(self, is_joined_rank):
        """Whether anybody will communicate gradients in this step."""
        wants = (not is_joined_rank) and self.require_backward_grad_sync
        flag = torch.ones(1, device=self.device) if wants else torch.zeros(1, device=self.device)
        dist.all_reduce(flag, group=self.process_group)
        return flag

    def _match_all_reduce_for_bwd_pass(self):
        works = []
        for bucket in self.reducer._get_zeros_like_grad_buckets():
            if self._comm_hooks:
                hook, state = self._comm_hooks[0]
                works.append(hook(state, bucket))
            else:
                works.append(dist.all_reduce(bucket.buffer(), group=self.process_group, async_op=True))
        for work in works:
            work.wait()

    def _sync_final_model(self, is_last_joiner):
        rank = dist.get_rank(self.process_group)
        self._authoritative_rank = self._find_common_rank(rank, is_last_joiner)
        states = [p.detach() for p in self._module_parameters] + [b.detach() for b in self.modules_buffers]
        dist._broadcast_coalesced(self.process_group, states, self.broadcast_bucket_size, self._authoritative_rank)

    # -------------------------------------------------------------------------------------------- hooks

    def register_comm_hook(self, state, hook):
        """`hook(state, bucket)` communicates each bucket and returns a future of its gradients."""
        self._check_comm_hook(hook)
        self.reducer._register_comm_hook(state, hook)
        self.logger.set_comm_hook(hook.__name__)
        self._comm_hooks.append((hook, state))

    def _register_builtin_comm_hook(self, comm_hook_type):
        from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
        hook = {"ALLREDUCE": default_hooks.allreduce_hook,
                "FP16_COMPRESS": default_hooks.fp16_compress_hook}[getattr(comm_hook_type, "name", comm_hook_type)]
        self.reducer._register_comm_hook(self.process_group, hook)
        self.logger.set_comm_hook(hook.__name__)
        self._comm_hooks.append((hook, self.process_group))

    def _check_comm_hook(self, hook):
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        signature = inspect.signature(hook)
        bucket = signature.parameters["bucket"].annotation
        if bucket is not inspect.Parameter.empty and bucket is not dist.GradBucket:
            raise ValueError("Communication hook: bucket annotation should be dist.GradBucket.")
        returned = signature.return_annotation
        if returned is not inspect.Signature.empty and returned != torch.futures.Future[torch.Tensor] \
                and returned != torch.futures.Future[list[torch.Tensor]]:
            raise ValueError("Communication hook: return annotation should be torch.futures.Future[torch.Tensor].")

    @property
    def _distributed_rank(self):
        return dist.get_rank(self.process_group)

    @staticmethod
    def _set_params_and_buffers_to_ignore_for_model(module, params_and_buffers_to_ignore):
        """Leaves these names out; to be called before the module is wrapped."""
        module._ddp_params_and_buffers_to_ignore = params_and_buffers_to_ignore
        for name, parameter in module.named_parameters():
            if name in params_and_buffers_to_ignore:
                parameter._ddp_ignored = True
        for name, buffer in module.named_buffers():
            if name in params_and_buffers_to_ignore:
                buffer._ddp_ignored = True

    def _get_ddp_logging_data(self):
        return self.logger.data()

    def _set_ddp_runtime_logging_sample_rate(self, sample_rate):
        if sample_rate < 1:
            raise ValueError("DDP runtime logging sample rate should be equal or greater than 1")
        self.logger.sample_rate = sample_rate

    def _set_static_graph(self):
        """The same parameters are used, as often, in every step."""
        if self.static_graph:
            warnings.warn("You've set static_graph to be True, no need to set it again.")
            return
        self.static_graph = True
        self.reducer._set_static_graph()
        self.logger.set_static_graph()
        if self.find_unused_parameters:
            warnings.warn("You passed find_unused_parameters=true to DistributedDataParallel, `_set_static_graph` will "
                          "detect unused parameters automatically, so you do not need to set "
                          "find_unused_parameters=true, just be sure these unused parameters will not change during "
                          "training loop while calling `_set_static_graph`.")

    def _get_data_parallel_params(self, named_params=False):
        for name, parameter in self.module.named_parameters():
            if name not in self.parameters_to_ignore:
                yield (name, parameter) if named_params else parameter
