// nnscope.data.ImageLoader in programs: the same batches as a DataLoader, whoever prepares them.
#include <gtest/gtest.h>

#include "tests/train/trained_program.h"

namespace nns::train {
namespace {

using tests::WatchedProgram;

constexpr std::string_view kImages = R"(
import torch
from nnscope.data import ImageLoader
torch.manual_seed(3)
images = torch.randint(0, 256, (53, 3, 6, 5), dtype=torch.uint8)
labels = torch.randint(0, 10, (53,), dtype=torch.uint8)
MEAN, STD = (0.491, 0.482, 0.447), (0.247, 0.243, 0.262)
def loader(**options):
    torch.manual_seed(11)
    return ImageLoader(images, labels, 8, MEAN, STD, **options)
)";

std::string run(WatchedProgram& program, std::string_view rest) {
  return program.run(std::string(kImages) + std::string(rest));
}

TEST(ImageLoader, GivesTheBitsOfADataLoaderOverTheSameImages) {
  WatchedProgram program;
  EXPECT_EQ(run(program, R"(
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler
class Images(Dataset):
    def __len__(self):
        return len(labels)
    def __getitem__(self, index):
        mean, std = (torch.tensor(one).view(3, 1, 1) for one in (MEAN, STD))
        return (images[index].float() / 255 - mean) / std, labels[index].long()
data = Images()
torch.manual_seed(11)
wanted = list(DataLoader(data, batch_size=None, sampler=BatchSampler(RandomSampler(data), 8, False)))
after = torch.get_rng_state()
for workers in (0, 1, 3):
    found = list(loader(shuffle=True, workers=workers))
    assert len(found) == len(wanted) == 7
    for (x, y), (a, b) in zip(found, wanted):
        assert torch.equal(x, a) and torch.equal(y, b)
    assert torch.equal(torch.get_rng_state(), after), "what is drawn afterwards is the same, too"
)"),
            "");
}

TEST(ImageLoader, GivesTheSameBitsWhateverTheNumberOfWorkersAndHowFarAheadTheyAre) {
  WatchedProgram program;
  EXPECT_EQ(run(program, R"(
def batches(**options):
    return list(loader(shuffle=True, flip=True, crop=2, **options))
wanted = batches()
plain = list(loader(shuffle=True))
assert not torch.equal(wanted[0][0], plain[0][0])
for workers in (0, 1, 2, 5):
    for prefetch in (1, 2, 100):
        for (x, y), (a, b) in zip(batches(workers=workers, prefetch=prefetch), wanted, strict=True):
            assert torch.equal(x, a) and torch.equal(y, b)
)"),
            "");
}

TEST(ImageLoader, WithoutWorkersNothingIsPreparedBeforeItIsAskedFor) {
  WatchedProgram program;
  EXPECT_EQ(run(program, R"(
iterator = iter(loader(shuffle=True))
next(iterator)
assert iterator.ready() == 0
)"),
            "");
}

TEST(ImageLoader, WhatIsWrongInABatchIsRaisedInTheStepThatWouldUseIt) {
  WatchedProgram program;
  EXPECT_EQ(run(program, R"(
for workers in (0, 2):
    iterator = iter(loader(workers=workers, prefetch=6))
    iterator._order[20] = 53
    taken = 0
    try:
        for x, y in iterator:
            taken += 1
    except IndexError as error:
        assert "index 53" in str(error) and "image 20 of the epoch" in str(error), error
    assert taken == 2, taken
)"),
            "");
}

TEST(ImageLoader, GoesOnBehindTheBatchesThatAreSkipped) {
  WatchedProgram program;
  EXPECT_EQ(run(program, R"(
wanted = list(loader(shuffle=True, flip=True, crop=1))
for workers in (0, 2):
    iterator = iter(loader(shuffle=True, flip=True, crop=1, workers=workers))
    iterator.skip(5)
    rest = list(iterator)
    assert len(rest) == 2
    for (x, y), (a, b) in zip(rest, wanted[5:]):
        assert torch.equal(x, a) and torch.equal(y, b)
)"),
            "");
}

TEST(ImageLoader, IsDroppedAtAnyMomentAndOutlivesItsImages) {
  WatchedProgram program;
  EXPECT_EQ(run(program, R"(
for taken in range(4):
    source = images.clone()
    iterator = iter(ImageLoader(source, labels, 8, workers=3, prefetch=100))
    source.data = torch.zeros(1, dtype=torch.uint8)
    for _ in range(taken):
        next(iterator)
    del iterator, source
)"),
            "");
}

TEST(ImageLoader, RefusesSettingsThatMakeNoSenseByName) {
  WatchedProgram program;
  EXPECT_EQ(run(program, R"(
for options in ({"workers": -1}, {"prefetch": 0}, {"crop": -1}):
    name = next(iter(options))
    try:
        loader(**options)
        assert False, name
    except ValueError as error:
        assert str(error).startswith(name + "="), error
)"),
            "");
}

}  // namespace
}  // namespace nns::train
