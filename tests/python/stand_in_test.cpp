// Imports of packages that are not here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/python/program.h"

namespace nns::tests {
namespace {

using testing::HasSubstr;

ProgramResult run(const std::string& source) { return run_python(source, {.uses_stand_ins = true}); }

TEST(StandIn, LetsAFileLoadThatNamesWhatIsNotThere) {
  const ProgramResult result = run(R"(
import torch.nn as nn
import pytorch_lightning as pl
from transformers.utils import WEIGHTS_NAME, hub as h
from wandb_images import *
import wandb.sdk.data_types

class Model(pl.LightningModule):
    def forward(self, x: h.Thing) -> "pl.Other":
        return x

@pl.utilities.rank_zero_only
def log(x):
    return x

print(WEIGHTS_NAME, h.cached_file, wandb.sdk.data_types)
print(isinstance(3, pl.LightningModule), issubclass(Model, nn.Module), Model.forward(None, 3))
)");
  EXPECT_EQ(result.error_type, "") << result.traceback;
  EXPECT_EQ(result.out,
            "<stand-in for transformers.utils.WEIGHTS_NAME> <stand-in for transformers.utils.hub.cached_file> "
            "<stand-in for wandb.sdk.data_types>\nFalse False 3\n");
  EXPECT_EQ(result.err,
            "program.py:3: no module pytorch_lightning: what comes from it stands in and raises where it is used\n"
            "program.py:4: no module transformers: what comes from it stands in and raises where it is used\n"
            "program.py:5: no module wandb_images: what comes from it stands in and raises where it is used\n"
            "program.py:6: no module wandb: what comes from it stands in and raises where it is used\n");
}

TEST(StandIn, RaisesWithItsNameWhereItIsUsed) {
  const ProgramResult result = run(R"(
import numba, scipy.linalg

class Child(numba.Base):
    pass

@numba.njit
def f(x):
    return x

for use in (lambda: numba.jit(f), lambda: scipy.linalg.eps + 1, lambda: 2 * scipy.pi, lambda: scipy.table[0],
            lambda: list(scipy.items), lambda: bool(scipy.flag), lambda: Child(), lambda: f(3)):
    try:
        use()
        print("no error")
    except ModuleNotFoundError as e:
        print(e.name, '|', e)
)");
  EXPECT_EQ(result.error_type, "") << result.traceback;
  EXPECT_EQ(result.out, R"(numba | No module named 'numba': numba.jit stands in for a part of it and cannot be called
scipy | No module named 'scipy': scipy.linalg.eps stands in for a part of it and cannot be used as a number
scipy | No module named 'scipy': scipy.pi stands in for a part of it and cannot be used as a number
scipy | No module named 'scipy': scipy.table stands in for a part of it and cannot be subscripted
scipy | No module named 'scipy': scipy.items stands in for a part of it and cannot be iterated over
scipy | No module named 'scipy': scipy.flag stands in for a part of it and cannot be tested
numba | No module named 'numba': numba.Base stands in for a part of it and cannot be made an instance of, which Child derives from
numba | No module named 'numba': numba.njit(f) stands in for a part of it and cannot be called
)");
}

TEST(StandIn, LoadsInDecoratorsWithArgumentsAndInAnnotations) {
  const ProgramResult result = run(R"(
from typing import Callable, Optional, Union
import torch.nn as nn
import labml as L
from abc import ABC, ABCMeta

class Configs(L.Configs):
    n: int = 3

@L.option(Configs.device)
def device(c: Configs):
    return 1

@L.registry.add(*[1], **{"a": 2})
class Made:
    pass

@L.a(3).b(k=4).c
def last():
    pass

def annotated(a: L.X | None, b: L.X | L.Y, c: None | L.X, d: Optional[L.X], e: list[L.X],
              f: L.Float[int, "b c"], g: Callable[[L.X], L.Y], h: Union[L.X, int, None], i: L.Gen[int]):
    pass

class First(L.Base, nn.Module): pass
class Mixed(nn.Module, L.Mixin): pass
class Abstract(L.Base, ABC): pass
class Other(L.Base, metaclass=ABCMeta): pass
class Two(L.A, L.B): pass

print(device, Made, last, Configs.device, Configs.n, Two.anything, issubclass(Two, L.A), issubclass(int, L.A))
print(isinstance(3, Union[L.A, int]), L.A is L.A, Mixed())
for use in (lambda: device(1), lambda: First(), lambda: Two(), lambda: L.flags | 3, lambda: Configs.device + 1):
    try:
        use()
        print("no error")
    except ModuleNotFoundError as e:
        print(e)
)");
  EXPECT_EQ(result.error_type, "") << result.traceback;
  EXPECT_EQ(
      result.out,
      R"(<stand-in for labml.option(...)(device)> <stand-in for labml.registry.add(...)(Made)> <stand-in for labml.a(...).b(...).c(last)> <stand-in for labml.Configs.device> 3 <stand-in for labml.A.anything> True False
True True Mixed()
No module named 'labml': labml.option(...)(device) stands in for a part of it and cannot be called
No module named 'labml': labml.Base stands in for a part of it and cannot be made an instance of, which First derives from
No module named 'labml': labml.A stands in for a part of it and cannot be made an instance of, which Two derives from
No module named 'labml': labml.flags stands in for a part of it and cannot be used as a number
No module named 'labml': labml.Configs.device stands in for a part of it and cannot be used as a number
)");
}

TEST(StandIn, HasAVersionThatIsToldAndNeverCompared) {
  const ProgramResult result = run(R"(
import timm
print(tuple(int(x) for x in timm.__version__.split('.')[:2]), f"{timm.__version__}")
timm.__version__ >= "0.3.2"
)");
  EXPECT_EQ(result.out, "(0, 0) <stand-in for timm.__version__>\n");
  EXPECT_EQ(result.error_message,
            "No module named 'timm': timm.__version__ stands in for a part of it and cannot be compared");
  EXPECT_THAT(result.err, HasSubstr("timm.__version__ reads as 0.0.0, and raises where it is compared\n"));
}

TEST(StandIn, OfAPartOfTorchSaysThatNnscopeLacksIt) {
  const ProgramResult result = run("import torch._inductor.config as c\nprint(c)\nc.fallback()\n");
  EXPECT_EQ(result.error_type, "NotImplementedError");
  EXPECT_EQ(result.error_message, "torch._inductor.config.fallback is not in nnscope and cannot be called");
}

TEST(StandIn, IsNotMadeWhereAProgramIsPreparedForTheAbsence) {
  const ProgramResult result = run(R"(
try:
    from flash_attn import flash_attn_func
except ImportError as e:
    print(type(e).__name__, e)

def late():
    import absent_too

late()
)");
  EXPECT_EQ(result.out, "ModuleNotFoundError No module named 'flash_attn'\n");
  EXPECT_EQ(result.error_type, "") << result.traceback;
  EXPECT_THAT(result.err, HasSubstr("program.py:8: no module absent_too"));
}

TEST(StandIn, IsNoSubstituteForWhatTorchAndTheProgramsOwnPackagesLack) {
  EXPECT_EQ(run("from torch import definitely_not_there\n").error_message,
            "cannot import name 'definitely_not_there' from 'torch' (unknown location)");
  EXPECT_EQ(run("import torch\ntorch.definitely_not_there\n").error_type, "AttributeError");
  EXPECT_EQ(run_python("import absent\n").error_message, "No module named 'absent'");
}

}  // namespace
}  // namespace nns::tests
