# Names of torch that programs import beside those of its documentation.
import inspect

import torch
import torch.nn as nn
import torch.utils._pytree as pytree
from torch._guards import TracingContext, tracing
from torch._utils import _get_available_device_type, _get_device_module
from torch.distributed.checkpoint.state_dict import _init_optim_state
from torch.distributed.fsdp.fully_sharded_data_parallel import CPUOffload, MixedPrecision
from torch.distributed.pipelining import PipelineStage
from torch.distributed.rpc import RRef, rpc_sync
from torch.fx import traceback as fx_traceback
from torch.fx._lazy_graph_module import _make_graph_module
from torch.fx.graph_module import _assign_attr, _get_attr
from torch.jit.annotations import List
from torch.nn.attention import activate_flash_attention_impl, current_flash_attention_impl
from torch.nn.attention.flex_attention import AuxRequest, _mask_mod_signature, flex_attention
from torch.nn.modules.transformer import _get_activation_fn
from torch.utils._ordered_set import OrderedSet

print(_get_device_module("cpu") is torch.cpu, _get_activation_fn("gelu") is nn.functional.gelu, current_flash_attention_impl())
for use in (lambda: RRef(3), lambda: rpc_sync("a", len), lambda: PipelineStage(nn.Linear(1, 1), 0, 1, "cpu"),
            lambda: activate_flash_attention_impl("FA4")):
    try:
        use()
    except NotImplementedError as error:
        print(error)


class Stage(PipelineStage):
    def annotated(self, ref: RRef | None) -> List[int]:
        return []


class Point:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return self.x == other.x

    def __hash__(self):
        return hash(self.x)


pytree.register_constant(Point)
leaves, spec = pytree.tree_flatten([1, Point(2), {"a": 3}])
print(leaves, pytree.tree_unflatten([5, 6], spec)[1].x)
try:
    pytree.register_constant(type("Plain", (), {}))
except TypeError as error:
    print(error)

with tracing(TracingContext(None)) as context:
    print(TracingContext.get() is context)
print(TracingContext.try_get())

module = nn.Module()
_assign_attr(torch.ones(2), module, "a.b")
print(_get_attr(module, "a.b"), list(module.state_dict()))

net = nn.Linear(2, 1)
optimizer = torch.optim.Adam(net.parameters())
_init_optim_state(optimizer)
print(sorted(optimizer.state[net.weight]), net.weight.grad)

q = torch.arange(8.0).reshape(1, 1, 4, 2)
out, aux = flex_attention(q, q, q, return_aux=AuxRequest(lse=True, max_scores=True))
scores = q @ q.transpose(-2, -1) / 2 ** 0.5
print(torch.allclose(aux.lse, scores.logsumexp(-1)), torch.equal(aux.max_scores, scores.amax(-1)), out.shape)

with fx_traceback.annotate({"stage": 1}):
    traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
print([node.meta.get("custom") for node in traced.graph.nodes])

items = OrderedSet([3, 1, 2, 1])
items.add(0)
print(items, items | {7}, list(reversed(items)), items.pop(), 3 in items)

handle = torch.ops.profiler._record_function_enter("named")
torch.ops.profiler._record_function_exit(handle)

# Without an import of its own; modules whose logger nobody registered are named as they are.
import logging

torch._logging.set_logs(modules={"torch.nn": logging.INFO})
print(logging.getLogger("torch.nn").level, logging.getLogger("torch._dynamo").level)
torch._logging.set_logs()
