"""Parameters that are gathered together, and whose gradients are averaged together.

Behaviour: torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py, _fsdp_param.py, _fsdp_collectives.py."""
import torch
from torch._C import _distributed_c10d as _c10d
from torch.distributed._work import _start
from torch.distributed.tensor._api import DTensorSpec, _chunks, _DTensorParameter, _wrap
from torch.distributed.tensor.placement_types import Replicate, Shard

SHARDED, POST_FORWARD, UNSHARDED = "sharded", "sharded as after forward", "unsharded"


class ShardedParameter:
    """A parameter of which each rank has a part of dimension 0, padded so that all are of one length.

    `sharded` (a DTensor) and `whole` (a leaf, the same object in every step) take turns in the modules' registries.
    `whole` has no items in between; what autograd keeps is the object, which has them again before backward."""

    def __init__(self, parameter, owners, group):
        self.owners, self.group, self.name = owners, group, owners[0][1]
        self.shape, self.requires_grad = parameter.shape, parameter.requires_grad
        self.row = parameter[0].numel() if parameter.size(0) > 0 else 0
        self.length = self.items_of(group.size)
        self.whole = self.buffer = self.post_forward = None
        self.accumulated = None
        begin, length = _chunks(self.shape[0], group.size)[group.rank]
        self._keep_part(parameter.detach().narrow(0, begin, length))
        placements = [Replicate()] * (group.mesh.ndim - 1) + [Shard(0)]
        self.spec = DTensorSpec(group.mesh, placements, self.shape)
        self.sharded = _wrap(self.part, self.spec, _DTensorParameter).requires_grad_(self.requires_grad)
        self.register(self.sharded)

    def items_of(self, count):
        """How many items each of `count` parts has, with padding."""
        return -(-self.shape[0] // count) * self.row

    def _keep_part(self, part):
        self.padded = torch.zeros(self.length, dtype=part.dtype, device=part.device)
        if not part.is_meta:
            self.padded[:part.numel()].copy_(part.reshape(-1))
        self.part = self.padded[:part.numel()].view(part.shape)

    def register(self, parameter):
        for module, name in self.owners:
            module._parameters[name] = parameter

    def wrap_converted(self):
        """Module._apply() makes a plain Parameter of a part where its bytes cannot be exchanged: on another device."""
        module, name = self.owners[0]
        registered = module._parameters[name]
        if type(registered) is torch.nn.Parameter and registered.shape == self.part.shape:
            registered.__class__ = _DTensorParameter
            registered._spec = self.spec

    def adopt(self):
        """Follows what was done to the sharded parameter: another dtype, other items, another object."""
        module, name = self.owners[0]
        registered = module._parameters[name]
        if registered is not self.sharded:
            if not isinstance(registered, _DTensorParameter) or not registered._spec.is_like(self.spec):
                raise RuntimeError(f"the sharded parameter {self.name} was replaced by one that is not sharded like it")
            self.sharded = registered
            self.register(registered)
        part = _c10d._part_here(self.sharded)
        if part.data_ptr() == self.part.data_ptr() and part.dtype == self.part.dtype and part.is_meta == self.part.is_meta:
            return
        if part.dtype != self.part.dtype:
            self.whole = self.buffer = None
        self._keep_part(part)
        self.sharded.data = self.part

    def make_room(self, dtype):
        """Memory for the whole parameter."""
        self.buffer = torch.empty(self.length * self.group.size, dtype=dtype, device=self.part.device)
        whole = self.buffer[:self.shape.numel()].view(self.shape)
        if self.whole is not None and self.whole.dtype == dtype:
            self.whole.data = whole
            return
        self.whole = torch.nn.Parameter(whole, requires_grad=self.requires_grad)
        if self.requires_grad:
            self.whole.register_post_accumulate_grad_hook(lambda _: self.group.on_gradient(self))

    def free(self):
        self.buffer = None
        self.whole.data = self.whole.new_empty(0)

    def keep_after_forward(self, mesh, count, place):
        """The part of a smaller group of ranks."""
        begin, length = _chunks(self.shape[0], count)[place]
        own = self.whole.detach().narrow(0, begin, length)
        self.post_forward = own.new_zeros(self.items_of(count))
        self.post_forward[:own.numel()].copy_(own.reshape(-1))
        spec = DTensorSpec(mesh, [Replicate(), Shard(0)], self.shape)
        self.register(_wrap(self.post_forward[:own.numel()].view(own.shape), spec, _DTensorParameter)
                      .requires_grad_(self.requires_grad))


class ParameterGroup:
    """What one call of fully_shard() manages. `mesh`: its last dimension shards, one before it replicates."""

    def __init__(self, parameters, mesh, reshard_after_forward, policy):
        self.mesh, self.policy = mesh, policy
        self.process_group = mesh.get_group(mesh.ndim - 1)
        self.replicas = mesh.get_group(0) if mesh.ndim == 2 else None
        self.size, self.rank = self.process_group.size(), self.process_group.rank()
        self.takes_turns = _c10d._takes_turns
        self.parameters = [ShardedParameter(parameter, owners, self) for parameter, owners in parameters]
        self.set_reshard_after_forward(reshard_after_forward)
        self.reshard_after_backward = self.reduce_grads = self.all_reduce_grads = True
        self.unshard_in_backward = True
        self.gradient_divide_factor = None
        self.state = SHARDED
        # What is being gathered: (work, tensor, how many ranks). Of ranks that take turns: what was gathered last.
        self.pending = self.kept = self.last = None
        # What is being averaged: (work, result, parameters).
        self.reducing = []
        self.arrived = set()
        self.awaits_gradients = False
        self.has_hooks = False

    def set_reshard_after_forward(self, wanted):
        """Behaviour: _get_post_forward_mesh_info."""
        if not isinstance(wanted, (bool, int)):
            raise ValueError("reshard_after_forward should be a bool or an int representing the "
                             f"group size to reshard to, not {wanted}")
        if not isinstance(wanted, bool):
            if wanted < 1 or wanted > self.size or self.size % wanted != 0:
                raise ValueError("If passing reshard_after_forward as an int, it should be a "
                                 f"factor of {self.size}, not {wanted}")
            wanted = {1: False, self.size: True}.get(wanted, wanted)
        self.reshard_after_forward = wanted
        if isinstance(wanted, bool):
            self.smaller = None
            return
        if self.replicas is not None:
            raise NotImplementedError("resharding to a smaller group on a mesh of two dimensions")
        from torch.distributed.device_mesh import DeviceMesh
        self.smaller = DeviceMesh(self.mesh.device_type, self.mesh.mesh.view(-1, wanted))

    def prepare(self, names):
        """Before the first forward. Errors: RuntimeError  parameters on meta. AssertionError  several dtypes."""
        for one in self.parameters:
            one.name = names.get(id(one.sharded), one.name)
            one.adopt()
        on_meta = [one.name for one in self.parameters if one.part.is_meta]
        if on_meta:
            raise RuntimeError("FSDP parameters should be materialized from meta device before training, but the "
                               f"following were still on meta device: {on_meta}\nFor example, call "
                               "module.to_empty(device) to materialize to device and call module.reset_parameters() on "
                               "each module to initialize values.")
        dtypes = {one.part.dtype for one in self.parameters}
        if len(dtypes) > 1:
            raise AssertionError(f"FSDP expects uniform original parameter dtype but got {dtypes}")
        if self.has_hooks:
            return
        self.has_hooks = True
        for module in {id(module): module for one in self.parameters for module, _ in one.owners}.values():
            module.register_state_dict_pre_hook(lambda *_: self.to_sharded())
            module.register_load_state_dict_pre_hook(lambda *_: self.to_sharded())

    # -------------------------------------------------------------------------------------------- parameters

    def unshard(self):
        """Begins to gather the parameters."""
        if self.pending is not None or self.state == UNSHARDED:
            return
        if self.kept is not None:
            self.pending, self.kept = self.kept, None
            return
        with torch.no_grad():
            if self.state == POST_FORWARD:
                group, own = self.smaller.get_group(1), [one.post_forward for one in self.parameters]
            else:
                for one in self.parameters:
                    one.adopt()
                group, own = self.process_group, [one.padded for one in self.parameters]
            flat = torch.cat(own).to(self.policy.param_dtype or own[0].dtype)
            gathered = flat.new_empty(group.size() * flat.numel())
            outputs = list(gathered.view(group.size(), -1).unbind(0)) if flat.numel() else [gathered] * group.size()
        work = _start(group, "all_gather", inputs=[flat], outputs=outputs, subject=self._subject("parameters"))
        self.pending = (work, gathered, group.size())

    def wait_for_unshard(self):
        """Registers the whole parameters."""
        if self.pending is None:
            return
        (work, gathered, count), self.pending = self.pending, None
        work.wait()
        with torch.no_grad():
            for one in self.parameters:
                one.make_room(gathered.dtype)
            _c10d._split_gathered(gathered, count, [one.buffer for one in self.parameters],
                                  [one.items_of(count) for one in self.parameters])
            for one in self.parameters:
                one.post_forward = None
                one.register(one.whole)
        self.state = UNSHARDED
        if self.takes_turns:
            self.last = (work, gathered, count)

    def to_sharded(self):
        """Registers the parts, and frees what was gathered."""
        if self.state == SHARDED:
            return
        for one in self.parameters:
            one.post_forward = None
            one.register(one.sharded)
            if self.state == UNSHARDED:
                one.free()
        self.state, self.kept = SHARDED, None

    def after_forward(self, expects_backward):
        if self.state != UNSHARDED or not self.reshard_after_forward:
            return
        if self.smaller is not None and not self.takes_turns:
            with torch.no_grad():
                for one in self.parameters:
                    one.keep_after_forward(self.smaller, *self._place_in_smaller())
                    one.free()
            self.state = POST_FORWARD
            return
        # Differs: ranks that take turns may wait for each other only once in backward, for the gradients; so they keep
        # what was gathered, beside the parts that are registered.
        kept = self.last if self.takes_turns and expects_backward else None
        self.to_sharded()
        self.kept = kept

    def _place_in_smaller(self):
        return self.smaller.size(1), self.smaller.get_local_rank(1)

    # -------------------------------------------------------------------------------------------- gradients

    def on_gradient(self, parameter):
        """A whole parameter has its gradient. The last begins the reduction, while backward goes on."""
        self.arrived.add(parameter)
        if self.awaits_gradients and len(self.arrived) == sum(one.requires_grad for one in self.parameters):
            self.post_backward()

    def before_backward(self):
        if not self.awaits_gradients:
            self.awaits_gradients = True
            self.arrived.clear()
        if self.unshard_in_backward:
            self.unshard()
            self.wait_for_unshard()

    def forget_backward(self):
        """Gradients that were under way are lost; those that arrived here, too."""
        for work, _, _ in self.reducing:
            work.wait()
        self.reducing = []
        self.awaits_gradients = False
        self.arrived.clear()
        for one in self.parameters:
            if one.whole is not None:
                one.whole.grad = None
        self.wait_for_unshard()
        self.to_sharded()

    def post_backward(self):
        self.awaits_gradients = False
        self.arrived.clear()
        self.last = None
        found, gradients = [], []
        with torch.no_grad():
            for one in self.parameters:
                gradient = None if one.whole is None else one.whole.grad
                if gradient is not None:
                    gradient, one.whole.grad = gradient.to(self.policy.reduce_dtype or gradient.dtype), None
                if one.accumulated is not None:
                    gradient = one.accumulated if gradient is None else one.accumulated + gradient
                one.accumulated = None if self.reduce_grads else gradient
                if gradient is not None:
                    found.append(one)
                    gradients.append(gradient)
            if self.reshard_after_backward:
                self.to_sharded()
            if found and self.reduce_grads:
                self._start_reduction(found, gradients)

    def _start_reduction(self, found, gradients):
        count = self.size * (1 if self.replicas is None else self.replicas.size())
        divisor = self.gradient_divide_factor or count
        packed = gradients[0].new_zeros(self.size, sum(one.length for one in found))
        begin = 0
        for one, gradient in zip(found, gradients):
            flat = gradient.reshape(-1)
            if flat.numel() != one.length * self.size:
                padded = flat.new_zeros(one.length * self.size)
                padded[:flat.numel()].copy_(flat)
                flat = padded
            torch.div(flat.view(self.size, -1), divisor, out=packed[:, begin:begin + one.length])
            begin += one.length
        result = packed.new_empty(begin)
        work = _start(self.process_group, "reduce_scatter", inputs=list(packed.unbind(0)), outputs=[result],
                      subject=self._subject("gradients"))
        self.reducing.append((work, result, found))

    def finish_backward(self):
        """The averages become the gradients of the parts."""
        reducing, self.reducing = self.reducing, []
        for work, result, found in reducing:
            work.wait()
            if self.replicas is not None and self.all_reduce_grads:
                _start(self.replicas, "all_reduce", outputs=[result], subject=self._subject("gradients")).wait()
            with torch.no_grad():
                begin = 0
                for one in found:
                    part = result[begin:begin + one.part.numel()].view(one.part.shape).to(one.part.dtype)
                    begin += one.length
                    if one.sharded.grad is None:
                        one.sharded.grad = _wrap(part, one.spec)
                    else:
                        _c10d._part_here(one.sharded.grad).add_(part)

    def _subject(self, what):
        return f"{what} {', '.join(one.name for one in self.parameters)}"
