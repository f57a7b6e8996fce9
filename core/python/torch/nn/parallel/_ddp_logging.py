"""What DistributedDataParallel tells of itself: _get_ddp_logging_data().

Behaviour: torch/csrc/distributed/c10d/logger.cpp."""
import os

import torch.distributed as dist

_DTYPE_NAMES = {"float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16"}


class Logger:
    """Facts of construction, and of the steps that are sampled: the first ten, then each hundredth."""

    def __init__(self, ddp, parameters, static_graph):
        self._reducer = ddp.reducer
        self.sample_rate = 100
        environment = os.environ.get
        dtypes = sorted({str(parameter.dtype).removeprefix("torch.") for parameter in parameters})
        self._data = {
            "world_size": dist.get_world_size(ddp.process_group),
            "rank": dist.get_rank(ddp.process_group),
            "iteration": 0,
            "is_multi_device_module": int(ddp.is_multi_device_module),
            "num_parameter_tensors": len(parameters),
            "total_parameter_size_bytes": sum(p.numel() * p.element_size() for p in parameters),
            "output_device": -1 if ddp.output_device is None else ddp.output_device,
            "broadcast_buffers": int(ddp.forward_sync_buffers),
            "bucket_cap_bytes": ddp.bucket_bytes_cap,
            "find_unused_parameters": int(ddp.find_unused_parameters),
            "gradient_as_bucket_view": int(ddp.gradient_as_bucket_view),
            "static_graph": int(static_graph),
            "has_sync_bn": int(any(type(one).__name__ == "SyncBatchNorm" for one in ddp.module.modules())),
            "backend_name": "gloo",
            "module_name": type(ddp.module).__name__,
            "dtypes": ", ".join(_DTYPE_NAMES.get(name, name) for name in dtypes),
            "device_ids": "" if ddp.device_ids is None else ", ".join(map(str, ddp.device_ids)),
            "bucket_sizes": self._sizes(),
            "master_addr": environment("MASTER_ADDR", "N/A"),
            "master_port": environment("MASTER_PORT", "N/A"),
            "torch_distributed_debug": environment("TORCH_DISTRIBUTED_DEBUG", "N/A"),
        }

    def _sizes(self):
        return ", ".join(str(size) for size, _ in self._reducer._buckets())

    def set_runtime_stats(self):
        """Before each forward whose backward will synchronise."""
        steps = self._reducer._iterations()
        if steps == 0 or steps > 10 and steps % self.sample_rate != 0:
            return
        data = self._data
        data["iteration"] = steps
        rebuilt = self._reducer._has_rebuilt_buckets()
        data["has_rebuilt_buckets"] = int(rebuilt)
        if rebuilt:
            data["rebuilt_bucket_sizes"] = self._sizes()
            data["rebuilt_per_bucket_param_indices"] = ", ".join(" ".join(map(str, indices))
                                                                 for _, indices in self._reducer._buckets())
        data["prev_iteration_grad_ready_order_indices"] = ", ".join(map(str, self._reducer._grad_ready_order()))

    def set_comm_hook(self, name):
        self._data["comm_hook"] = name

    def set_static_graph(self):
        self._data["static_graph"] = 1

    def data(self):
        return dict(self._data)
