"""Starting ranks from the command line, which `nnscope run --nproc N FILE.py` does: refused.

Behaviour: torch/distributed/run.py."""


def main(args=None):
    raise NotImplementedError("torch.distributed.run: `nnscope run --nproc N FILE.py` starts the ranks of a program")
