"""What a loader sets on pipes: shuffling, seeds, and each worker's share.

Behaviour: torch/utils/data/dataloader.py, _share_dist_seed and _sharding_worker_init_fn."""
import torch


def _settings():
    # It knows the pipes, and those know loaders.
    from torch.utils.data import graph_settings
    return graph_settings


def _kinds():
    from torch.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe
    return IterDataPipe, MapDataPipe


def is_ordered_pipe(dataset):
    return isinstance(dataset, _kinds()[0])


def _ranks():
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_world_size(), distributed.get_rank()
    return 1, 0


def shuffled(dataset, shuffle):
    return dataset if shuffle is None else _settings().apply_shuffle_settings(dataset, shuffle=shuffle)


def shared_seed(generator):
    """One number for an epoch, that of rank 0."""
    seed = torch.empty((), dtype=torch.int64).random_(generator=generator)
    if _ranks()[0] > 1:
        torch.distributed.broadcast(seed, src=0)
    return seed.item()


def seeded(dataset, seed):
    numbers = torch.Generator()
    numbers.manual_seed(seed)
    return _settings().apply_random_seed(dataset, numbers)


def shard(dataset, num_workers, worker_id):
    """Ranks share first, then the workers of each."""
    if isinstance(dataset, _kinds()):
        world_size, rank = _ranks()
        _settings().apply_sharding(dataset, num_workers * world_size, worker_id * world_size + rank)
