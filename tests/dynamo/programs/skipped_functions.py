"""What is not followed: the texts of warnings, loggers and of `in` of a module that stands in graphs as one."""
import logging
import warnings

import torch
import torch.nn as nn

logger = logging.getLogger("demo")


def warned(x):
    warnings.warn("careful")
    return x + 1


def logged(x):
    logger.info("hello")
    return x + 1


class Asked(nn.Module):
    __name__ = "Asked"

    def __init__(self):
        super().__init__()
        self.acts = nn.ModuleDict({"relu": nn.ReLU()})

    def forward(self, x):
        return x + 1 if "relu" in self.acts else x


def show(function):
    torch._dynamo.reset()
    try:
        torch.compile(function, backend="eager", fullgraph=True)(torch.ones(1))
        print(function.__name__, "is traced")
    except torch._dynamo.exc.Unsupported as error:
        print(function.__name__, str(error).split("\n\nfrom user code")[0].split("  Developer debug")[0].strip())
        print([line.strip() for line in str(error).splitlines() if "https://meta" in line])


show(warned)
show(logged)
show(Asked())
with torch._dynamo.config.patch(inline_inbuilt_nn_modules=False):
    show(Asked())
