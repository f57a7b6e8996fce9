"""Starting ranks from the command line, which `nnscope run --nproc N FILE.py` does: refused.

Behaviour: torch/distributed/launch.py."""


def main(args=None):
    raise NotImplementedError("torch.distributed.launch: `nnscope run --nproc N FILE.py` starts the ranks of a program")
