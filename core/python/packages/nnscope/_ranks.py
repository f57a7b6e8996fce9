"""What the ranks of one training tell each other between two steps (core/train/rank_exchange.h).

Rank 0 is the one that is watched: losses, moments of activations and the time of a step are joined there by
collectives, so that a viewer of many ranks gets as much as one of a single rank. All ranks run the same collectives in
the same order, whatever one of them saw."""
import pickle

import torch
import torch.distributed as dist

try:
    import _training
except ImportError:
    _training = None

_PLAIN, _AS_PLANNED, _NEW_PLAN = range(3)


def join():
    """Called once the group is there."""
    if _training is not None:
        _training.join_ranks(dist.get_rank(), dist.get_world_size())


def meet(rates):
    """Joins what the ranks did in the step that is over. Whether their learning rates differ."""
    maxima = torch.tensor((_training.rank_maxima() if _training is not None else []) + rates + [-rate for rate in rates],
                          dtype=torch.float64)
    if len(maxima) == 0:
        return False
    dist.all_reduce(maxima, op=dist.ReduceOp.MAX)
    maxima = maxima.tolist()
    if _training is not None:
        _training.ranks_met()
        _join_step(*maxima[:2])
    highest, lowest = maxima[-2 * len(rates):-len(rates)], maxima[-len(rates):]
    return any(high != -low for high, low in zip(highest, lowest))


def _join_step(following, bad):
    sums = torch.tensor(_training.rank_sums(), dtype=torch.float64)
    dist.all_reduce(sums)
    if _training.is_detailed():
        _join_details()
    _training.take_rank_sums(sums.tolist())
    rank = _training.bad_rank(bad)
    if rank is not None:
        told = [_training.not_finite()]
        dist.broadcast_object_list(told, rank)
        if dist.get_rank() != rank:
            _training.take_not_finite(rank, told[0])
    _training.tell_joined_step()
    following = int(following)
    if following == _NEW_PLAN:
        told = [_training.rank_plan()]
        dist.broadcast_object_list(told, 0)
        _training.take_rank_plan(told[0])
    _training.begin_joined_step(following)


def _join_details():
    is_first = dist.get_rank() == 0
    sums, maxima = _training.rank_moments()
    if len(sums) > 0:
        dist.all_reduce(sums)
        dist.all_reduce(maxima, op=dist.ReduceOp.MAX)
        _training.take_rank_moments(sums, maxima)
    row = _training.rank_row()
    rows = [torch.empty_like(row) for _ in range(dist.get_world_size())] if is_first else None
    dist.gather(row, rows, dst=0)
    chosen = [_training.take_rank_rows(rows) if is_first else None]
    dist.broadcast_object_list(chosen, 0)
    for rank in chosen[0]:
        if rank == 0:
            if is_first:
                _training.take_rank_timeline(0, _training.rank_timeline())
        elif is_first:
            _training.take_rank_timeline(rank, _received(rank))
        elif rank == dist.get_rank():
            _send(_training.rank_timeline())


def _send(value):
    told = torch.frombuffer(bytearray(pickle.dumps(value)), dtype=torch.uint8)
    dist.send(torch.tensor([len(told)]), 0)
    dist.send(told, 0)


def _received(rank):
    size = torch.zeros(1, dtype=torch.int64)
    dist.recv(size, rank)
    told = torch.empty(int(size), dtype=torch.uint8)
    dist.recv(told, rank)
    return pickle.loads(bytes(told.tolist()))
