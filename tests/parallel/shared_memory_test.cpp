// Memory that processes of one machine share, and who finds out that it can.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "native/collectives/neighbours.h"
#include "native/collectives/shared_channels.h"
#include "native/collectives/tcp_mesh.h"
#include "tests/parallel/shared_store.h"

namespace nns::tests {
namespace {

using collectives::Neighbours;
using collectives::SharedChannels;
using collectives::SharedMemory;
using collectives::SharedMemoryPlace;

TEST(SharedMemory, AnotherProcessReadsAndWritesItWhileItHasNoName) {
  base::Result<std::unique_ptr<SharedMemory>> made = SharedMemory::make(100'000);
  ASSERT_TRUE(made.ok()) << made.error().message();
  const SharedMemoryPlace place = (*made)->place();
  const pid_t other = ::fork();
  if (other == 0) {
    const auto opened = SharedMemory::open(place);
    if (!opened.ok()) std::_Exit(1);
    (*opened)->bytes()[99'999] = std::byte{7};
    std::_Exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  EXPECT_EQ(status, 0);
  EXPECT_EQ((*made)->bytes()[99'999], std::byte{7});
}

TEST(SharedMemory, WhatIsNotThatMemoryIsRefused) {
  base::Result<std::unique_ptr<SharedMemory>> made = SharedMemory::make(4096);
  ASSERT_TRUE(made.ok());
  SharedMemoryPlace larger = (*made)->place(), another = larger, gone = larger, device = larger;
  larger.size *= 2;
  another.token += 2;
  device.file = STDERR_FILENO;
  EXPECT_FALSE(SharedMemory::open(larger).ok());
  EXPECT_FALSE(SharedMemory::open(another).ok());
  EXPECT_FALSE(SharedMemory::open(device).ok());
  made = SharedMemory::make(4096);
  gone.file = 4095;
  EXPECT_FALSE(SharedMemory::open(gone).ok());
}

TEST(SharedChannels, WhoFillsAChannelWaitsUntilTheOtherHasRead) {
  base::Result<std::unique_ptr<SharedMemory>> memory = SharedMemory::make(SharedChannels::memory_bytes(2));
  ASSERT_TRUE(memory.ok());
  base::Result<std::unique_ptr<SharedMemory>> same = SharedMemory::open((*memory)->place());
  ASSERT_TRUE(same.ok());
  SharedChannels one(*std::move(memory), 0, 2), two(*std::move(same), 1, 2);
  parallel::CollectiveSignature signature;
  signature.root = 1;
  std::vector<std::byte> bytes(SharedChannels::cell_bytes(2));
  std::uint8_t written = 0, read = 0;
  // Several times around, in steps that do not divide the number of cells.
  for (int round = 0; round < 40; ++round) {
    for (; one.can_write(1); ++written) {
      bytes.assign(written % 2 == 0 ? 8 : bytes.capacity(), std::byte{written});
      one.write(1, written, signature, bytes, bytes.size());
    }
    for (int i = 0; i < 7; ++i, ++read) {
      ASSERT_TRUE(two.can_read(0));
      const SharedChannels::Cell cell = two.front(0);
      EXPECT_EQ(cell.sequence, read);
      EXPECT_EQ(cell.signature, signature);
      EXPECT_EQ(cell.bytes.size(), cell.message_bytes);
      EXPECT_TRUE(std::all_of(cell.bytes.begin(), cell.bytes.end(), [&](std::byte b) { return b == std::byte{read}; }));
      two.pop(0);
    }
  }
  EXPECT_FALSE(one.can_read(1));
}

// Whether each of three ranks shares memory with all, where those of `wanting` want to.
std::vector<bool> meet(const std::vector<bool>& wanting) {
  SharedStore store;
  std::vector<std::uint8_t> shares(wanting.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < wanting.size(); ++rank) {
    threads.emplace_back([&, rank] {
      const auto size = static_cast<int>(wanting.size());
      const auto mesh =
          collectives::TcpMesh::join(std::make_shared<collectives::NetworkThread>(), store,
                                     {static_cast<int>(rank), size, "test", "127.0.0.1", std::chrono::seconds(60)});
      ASSERT_TRUE(mesh.ok());
      const auto found = Neighbours::meet(**mesh, wanting[rank], std::chrono::seconds(60));
      ASSERT_TRUE(found.ok()) << found.error().message();
      shares[rank] = found->share_memory({0, 1, 2}) ? 1 : 0;
      EXPECT_TRUE(found->share_memory({0, 1}));
    });
  }
  for (std::thread& one : threads) one.join();
  return {shares.begin(), shares.end()};
}

TEST(Neighbours, ShareMemoryIfAllWantTo) {
  EXPECT_EQ(meet({true, true, true}), std::vector<bool>(3, true));
  EXPECT_EQ(meet({true, true, false}), std::vector<bool>(3, false));
}

}  // namespace
}  // namespace nns::tests
