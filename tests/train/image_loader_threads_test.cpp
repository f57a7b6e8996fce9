// nnscope.data.ImageLoader where there are threads: batches are prepared beside the program.
#include <gtest/gtest.h>

#include "tests/train/trained_program.h"

namespace nns::train {
namespace {

TEST(ImageLoaderWorkers, PrepareTheNextBatchesWhileAStepIsHeld) {
  tests::WatchedProgram program;
  EXPECT_EQ(program.run(R"(
import time
import torch
from nnscope.data import ImageLoader
images = torch.randint(0, 256, (53, 3, 6, 5), dtype=torch.uint8)
labels = torch.randint(0, 10, (53,), dtype=torch.uint8)
iterator = iter(ImageLoader(images, labels, 8, shuffle=True, workers=1, prefetch=3))
next(iterator)
# The step that uses it does not end before those behind it are there.
end = time.monotonic() + 60
while iterator.ready() < 3:
    assert time.monotonic() < end, f"{iterator.ready()} are prepared"
)"),
            "");
}

}  // namespace
}  // namespace nns::train
