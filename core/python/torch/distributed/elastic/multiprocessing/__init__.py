"""Ranks as processes. Behaviour: torch/distributed/elastic/multiprocessing; nnscope starts none by it."""


def _refused(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"torch.distributed.elastic.multiprocessing.{name}: `nnscope run --nproc N` starts ranks")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


start_processes = _refused("start_processes")
