"""torch.__config__: how this was built. Behaviour: torch/__config__.py."""
import torch


def show():
    """A text for people: nnscope computes, with the behaviour of this PyTorch."""
    return f"nnscope, with the behaviour of PyTorch {torch.__version__}\n  - {torch.get_num_threads()} threads\n"


def parallel_info():
    return f"ATen/Parallel:\n\tat::get_num_threads() : {torch.get_num_threads()}\n" \
           f"\tat::get_num_interop_threads() : {torch.get_num_interop_threads()}\n"
