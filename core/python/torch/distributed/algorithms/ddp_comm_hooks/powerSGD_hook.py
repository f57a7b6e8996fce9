"""Gradients as products of two thin matrices.

Behaviour: torch/distributed/algorithms/ddp_comm_hooks/powerSGD_hook.py.
Source: Vogels, Karimireddy, Jaggi, PowerSGD: practical low-rank gradient compression (2019)."""
import logging
import math

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks

__all__ = ["PowerSGDState", "powerSGD_hook", "batched_powerSGD_hook"]

logger = logging.getLogger(__name__)


def _orthogonalize(matrix, epsilon=0):
    """Makes the columns of a matrix orthonormal, one after the other."""
    for i in range(matrix.shape[1]):
        column = matrix[:, i:i + 1]
        norm = column.norm()
        column.div_(norm + epsilon if epsilon else norm)
        if i + 1 < matrix.shape[1]:
            rest = matrix[:, i + 1:]
            rest.sub_(column @ (column.t() @ rest))


class PowerSGDState:
    """How far gradients are compressed, and what was left out so far."""

    def __init__(self, process_group, matrix_approximation_rank=1, start_powerSGD_iter=1000, min_compression_rate=2,
                 use_error_feedback=True, warm_start=True, orthogonalization_epsilon=0, random_seed=0,
                 compression_stats_logging_frequency=10000, batch_tensors_with_same_shape=False):
        if (use_error_feedback or warm_start) and start_powerSGD_iter <= 1:
            raise ValueError("Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is enabled, "
                             "because PowerSGD can only be applied after the first two iterations in DDP.")
        self.process_group = process_group
        self.matrix_approximation_rank = matrix_approximation_rank
        self.start_powerSGD_iter = start_powerSGD_iter
        self.min_compression_rate = min_compression_rate
        self.use_error_feedback = use_error_feedback
        self.warm_start = warm_start
        self.orthogonalization_epsilon = orthogonalization_epsilon
        self.generator = torch.Generator()
        self.generator.manual_seed(random_seed)
        self.compression_stats_logging_frequency = max(1, compression_stats_logging_frequency)
        self.batch_tensors_with_same_shape = batch_tensors_with_same_shape
        self.total_numel_before_compression = self.total_numel_after_compression = 0
        self.next_stats_report = 0
        self.iter = 0
        self.error_dict = {}
        self.p_memory_dict = {}
        self.q_memory_dict = {}

    def maybe_increase_iter(self, bucket):
        if bucket.is_last():
            self.iter += 1

    def compression_stats(self):
        """(numbers before over numbers after, before, after) of all that was communicated."""
        after = self.total_numel_after_compression
        return (self.total_numel_before_compression / after if after > 0 else 0, self.total_numel_before_compression,
                after)

    def _count(self, bucket, before, after):
        self.total_numel_before_compression += before
        self.total_numel_after_compression += after
        if bucket.is_last() and self.iter >= self.next_stats_report:
            self.next_stats_report = self.iter + self.compression_stats_logging_frequency
            logger.info("Compression stats: iter %s, total before compression %s, total after compression %s, rate %s",
                        self.iter, *self.compression_stats()[1:], self.compression_stats()[0])

    def _first_q(self, columns, rank, dtype):
        return torch.randn(columns, rank, generator=self.generator, dtype=torch.float32).to(dtype)

    def _with_error(self, index, flat):
        """What the step before left out is added. Gives a copy to find what this one leaves out, or None."""
        if not self.use_error_feedback:
            return None
        if index in self.error_dict:
            flat.add_(self.error_dict[index])
        else:
            self.error_dict[index] = torch.zeros_like(flat)
        return flat.clone()

    def pays(self, matrix):
        """Whether the two factors are enough smaller than the matrix."""
        rows, columns = matrix.shape
        rank = min(rows, columns, self.matrix_approximation_rank)
        return (rows + columns) * rank * self.min_compression_rate < rows * columns


def powerSGD_hook(state, bucket):
    """Averages the factors of each gradient that has two axes or more; those that gain nothing are averaged as they
    are. What the factors leave out is added to the gradient of the next step."""
    group = state.process_group if state.process_group is not None else dist.group.WORLD
    size = group.size()
    flat = bucket.buffer()
    if state.iter < state.start_powerSGD_iter:
        state.maybe_increase_iter(bucket)
        return default_hooks._allreduce_fut(group, flat)
    index = bucket.index()
    before = state._with_error(index, flat)
    small, large = [], []
    for gradient in bucket.gradients():
        matrix = gradient.view(gradient.shape[0], -1) if gradient.dim() > 0 else gradient.view(1, 1)
        (large if state.pays(matrix) else small).append(gradient)
    works = [dist.all_reduce(gradient, group=group, async_op=True) for gradient in small]
    factors = []
    for number, gradient in enumerate(large):
        matrix = gradient.view(gradient.shape[0], -1)
        rank = min(*matrix.shape, state.matrix_approximation_rank)
        key = (index, number)
        if not (state.warm_start and key in state.q_memory_dict):
            state.q_memory_dict[key] = state._first_q(matrix.shape[1], rank, matrix.dtype)
        q = state.q_memory_dict[key]
        _orthogonalize(q, state.orthogonalization_epsilon)
        p = matrix @ q
        factors.append((matrix, p, q, dist.all_reduce(p, group=group, async_op=True)))
    after = sum(one.numel() for one in small) + sum(p.numel() + q.numel() for _, p, q, _ in factors)
    state._count(bucket, flat.numel(), after)

    def finish():
        for work in works:
            work.wait()
        for gradient in small:
            gradient.div_(size)
        second = []
        for matrix, p, q, work in factors:
            work.wait()
            _orthogonalize(p, state.orthogonalization_epsilon)
            torch.matmul(matrix.t(), p, out=q)
            second.append(dist.all_reduce(q, group=group, async_op=True))
        for (matrix, p, q, _), work in zip(factors, second):
            work.wait()
            q.div_(size)
            matrix.copy_(p @ q.t())
        if state.use_error_feedback:
            state.error_dict[index] = before - flat
        state.maybe_increase_iter(bucket)
        return flat

    future = torch.futures.Future()
    future._wait_for = finish
    return future


def batched_powerSGD_hook(state, bucket):
    """Averages the factors of one square matrix, which is all that a bucket holds, filled up with zeros."""
    group = state.process_group if state.process_group is not None else dist.group.WORLD
    size = group.size()
    flat = bucket.buffer()
    if state.iter < state.start_powerSGD_iter:
        state.maybe_increase_iter(bucket)
        return default_hooks._allreduce_fut(group, flat)
    index, count = bucket.index(), flat.numel()
    side = math.ceil(math.sqrt(count))
    whole = flat.new_zeros(side * side)
    whole[:count] = flat
    before = state._with_error(index, whole)
    matrix = whole.view(side, side)
    rank = min(side, state.matrix_approximation_rank)
    if not (state.warm_start and index in state.q_memory_dict):
        state.q_memory_dict[index] = state._first_q(side, rank, flat.dtype)
    q = state.q_memory_dict[index]
    _orthogonalize(q, state.orthogonalization_epsilon)
    p = matrix @ q
    state._count(bucket, count, p.numel() + q.numel())
    first = dist.all_reduce(p, group=group, async_op=True)

    def finish():
        first.wait()
        _orthogonalize(p, state.orthogonalization_epsilon)
        torch.matmul(matrix.t(), p, out=q)
        dist.all_reduce(q, group=group)
        q.div_(size)
        torch.matmul(p, q.t(), out=matrix)
        if state.use_error_feedback:
            state.error_dict[index] = before - whole
        flat.copy_(whole[:count])
        state.maybe_increase_iter(bucket)
        return flat

    future = torch.futures.Future()
    future._wait_for = finish
    return future
