"""Averages, also of compressed gradients.

Behaviour: torch/distributed/algorithms/ddp_comm_hooks/default_hooks.py."""
import torch
import torch.distributed as dist

__all__ = ["allreduce_hook", "fp16_compress_hook", "bf16_compress_hook", "fp16_compress_wrapper",
           "bf16_compress_wrapper"]


def _allreduce_fut(process_group, tensor):
    """A future of the average of a tensor, which is overwritten."""
    group = process_group if process_group is not None else dist.group.WORLD
    tensor.div_(group.size())
    return dist.all_reduce(tensor, group=group, async_op=True).get_future().then(lambda future: future.value()[0])


def allreduce_hook(process_group, bucket):
    """What DistributedDataParallel does without a hook."""
    return _allreduce_fut(process_group, bucket.buffer())


def _compress_hook(dtype, process_group, bucket):
    group = process_group if process_group is not None else dist.group.WORLD
    buffer = bucket.buffer()
    compressed = buffer.to(dtype).div_(group.size())

    def decompress(future):
        buffer.copy_(future.value()[0])
        return buffer

    return dist.all_reduce(compressed, group=group, async_op=True).get_future().then(decompress)


def fp16_compress_hook(process_group, bucket):
    """Communicates halves."""
    return _compress_hook(torch.float16, process_group, bucket)


def bf16_compress_hook(process_group, bucket):
    """Communicates bfloat16."""
    return _compress_hook(torch.bfloat16, process_group, bucket)


def _wrapper(dtype, hook):
    def wrapped(hook_state, bucket):
        bucket.set_buffer(bucket.buffer().to(dtype))
        future = hook(hook_state, bucket)

        def decompress(done):
            buffer = bucket.parameters()[0]
            value = done.value()
            return (value[0] if isinstance(value, list) else value).to(buffer.dtype)

        return future.then(decompress)

    return wrapped


def fp16_compress_wrapper(hook):
    """Another hook, on halves."""
    return _wrapper(torch.float16, hook)


def bf16_compress_wrapper(hook):
    """Another hook, on bfloat16."""
    return _wrapper(torch.bfloat16, hook)
