"""The names that TORCH_LOGS and set_logs() know. Behaviour: torch/_logging/_registrations.py.

Messages come of those in _relay.py; the others belong to parts of PyTorch that are not here (Inductor, AOTAutograd, ...) and can be
asked for all the same, as scripts do.
"""
from torch._logging._internal import register_artifact, register_log

for _alias, _names in (
        ("dynamo", ["torch._dynamo"]),
        ("fake_tensor", ["torch._subclasses.fake_tensor"]),
        ("aot", ["torch._functorch.aot_autograd", "torch._functorch._aot_autograd"]),
        ("autograd", "torch.autograd"),
        ("inductor", ["torch._inductor", "torch._inductor.cudagraph_trees"]),
        ("cutlass", ["torch._inductor.codegen.cutlass", "torch._inductor.kernel.cutlass"]),
        ("cudagraphs", "torch._inductor.cudagraph_trees"),
        ("dynamic", ["torch.fx.experimental.symbolic_shapes", "torch.fx.experimental.sym_node",
                     "torch.fx.experimental.recording"]),
        ("torch", "torch"),
        ("distributed", ["torch.distributed", "torch._dynamo.backends.distributed", "torch.nn.parallel.distributed"]),
        ("c10d", ["torch.distributed.distributed_c10d", "torch.distributed.rendezvous"]),
        ("ddp", ["torch.nn.parallel.distributed", "torch._dynamo.backends.distributed"]),
        ("pp", ["torch.distributed.pipelining"]),
        ("fsdp", ["torch.distributed.fsdp", "torch.distributed._composable.fsdp"]),
        ("dtensor", ["torch.distributed._tensor", "torch.distributed.tensor"]),
        ("onnx", "torch.onnx"),
        ("export", ["torch._dynamo", "torch.export", "torch._export", "torch.fx.experimental.symbolic_shapes",
                    "torch.fx.experimental.sym_node", "torch.fx.experimental.recording"])):
    register_log(_alias, _names)

for _name in ("guards", "verbose_guards", "graph", "graph_code", "graph_code_verbose", "graph_sizes", "aot_graphs",
              "aot_joint_graph", "aot_graphs_effects", "pre_grad_graphs", "post_grad_graphs", "inductor_metrics",
              "compiled_autograd", "ddp_graphs", "recompiles", "graph_breaks", "side_effects", "not_implemented",
              "cudagraphs", "cudagraph_static_inputs", "hierarchical_compile", "graph_region_expansion", "annotation",
              "caching", "trace_source", "trace_call", "trace_shape_events", "cond", "dynamo_graph_bytecode"):
    register_artifact(_name)
for _name in ("bytecode", "compiled_autograd_verbose", "output_code", "kernel_code", "schedule", "perf_hints",
              "onnx_diagnostics", "recompiles_verbose", "fusion", "loop_ordering", "overlap", "sym_node",
              "compute_dependencies", "benchmarking", "autotuning", "ir_pre_fusion", "ir_post_fusion", "trace_bytecode",
              "node_runtime_estimation"):
    register_artifact(_name, off_by_default=True)
register_artifact("custom_format_test_artifact", log_format="")
