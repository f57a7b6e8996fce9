"""What a report of a problem tells of the machine. Behaviour: torch/utils/collect_env.py."""
import platform
import sys

import torch


def get_pretty_env_info():
    rows = [("PyTorch version", torch.__version__), ("OS", platform.system()), ("Python version", sys.version.split()[0]),
            ("Is CUDA available", torch.cuda.is_available()), ("CPU", platform.machine())]
    return "\n".join(f"{name}: {value}" for name, value in rows)


def main():
    print("Collecting environment information...")
    print(get_pretty_env_info())
