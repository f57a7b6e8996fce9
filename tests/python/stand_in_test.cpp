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
