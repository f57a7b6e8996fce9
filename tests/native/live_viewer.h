#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "core/live/mirror.h"
#include "native/server/live_client.h"

namespace nns::tests {

/// Asks again and again; what it said last.
inline bool becomes_true(const std::function<bool()>& what, int milliseconds = 60'000) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (std::chrono::steady_clock::now() < end) {
    if (what()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return what();
}

/// A viewer over a socket: a client and what it knows.
struct LiveViewer {
  explicit LiveViewer(server::LiveAddress address) : client(std::move(address), {}) {}
  void follow() {
    while (auto bytes = client.receive()) {
      const auto applied = mirror.apply(std::move(*bytes));
      EXPECT_TRUE(applied.ok()) << applied.error().message();
    }
  }
  bool waits_for(const std::function<bool()>& what, int milliseconds = 60'000) {
    return becomes_true(
        [&] {
          follow();
          return what();
        },
        milliseconds);
  }
  server::LiveClient client;
  live::Mirror mirror;
};

}  // namespace nns::tests
