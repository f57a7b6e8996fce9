#include "native/collectives/mailbox.h"

#include <fmt/format.h>

#include "native/collectives/error.h"

namespace nns::collectives {

using parallel::CollectiveSignature;
using parallel::Deadline;
using parallel::ReceivedBytes;

void Mailbox::put(int from, const Key& key, const CollectiveSignature& signature, ReceivedBytes bytes) {
  {
    const std::lock_guard lock(mutex_);
    messages_[{from, key}].push_back({signature, std::move(bytes)});
  }
  changed_.notify_all();
}

void Mailbox::note_gone(int rank, const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    auto& place = gone_[static_cast<std::size_t>(rank)];
    if (!place) place = why;
  }
  changed_.notify_all();
}

void Mailbox::note_failure(int rank, std::uint64_t group, const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    failures_.try_emplace({group, rank}, why);
    has_failures_.store(true, std::memory_order_release);
  }
  changed_.notify_all();
}

std::optional<std::string> Mailbox::failure(std::uint64_t group, int except) const {
  const std::lock_guard lock(mutex_);
  return failure_text(group, except);
}

std::optional<std::string> Mailbox::gone(int rank) const {
  const std::lock_guard lock(mutex_);
  return gone_[static_cast<std::size_t>(rank)];
}

std::optional<std::string> Mailbox::failure_text(std::uint64_t group, int except) const {
  for (auto found = failures_.lower_bound({group, 0}); found != failures_.end(); ++found) {
    if (found->first.first != group) break;
    if (found->first.second != except) return fmt::format("rank {} stopped: {}", found->first.second, found->second);
  }
  return std::nullopt;
}

std::optional<ReceivedBytes> Mailbox::pop(int from, const Key& key) {
  const auto found = messages_.find({from, key});
  if (found == messages_.end()) return std::nullopt;
  ReceivedBytes bytes = std::move(found->second.front().bytes);
  found->second.pop_front();
  if (found->second.empty()) messages_.erase(found);
  return bytes;
}

// 1. What that rank sent under this number shows what it runs. 2. It, or another of the group, failed. 3. It is gone.
std::optional<std::string> Mailbox::trouble(int from, const Key& key, const CollectiveSignature& signature) const {
  const auto first = messages_.lower_bound({from, {key.group, key.sequence, 0}});
  if (first != messages_.end() && first->first.first == from && first->first.second.group == key.group &&
      first->first.second.sequence == key.sequence) {
    const CollectiveSignature& theirs = first->second.front().signature;
    if (!(theirs == signature)) {
      return fmt::format("rank {} runs {} as number {}, this rank {}", from, signature_text(theirs), key.sequence,
                         signature_text(signature));
    }
  }
  if (std::optional<std::string> why = failure_text(key.group, -1)) return why;
  const auto& gone = gone_[static_cast<std::size_t>(from)];
  if (gone) return fmt::format("rank {} is gone: {}", from, *gone);
  return std::nullopt;
}

base::Result<ReceivedBytes> Mailbox::take(int from, const Key& key, const CollectiveSignature& signature,
                                          Deadline deadline) {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto found = messages_.find({from, key});
    const bool fits = found != messages_.end() && found->second.front().signature == signature;
    if (fits) return *pop(from, key);
    if (const std::optional<std::string> why = trouble(from, key, signature)) return error(*why);
    if (std::chrono::steady_clock::now() >= deadline.at) {
      return error(fmt::format("rank {} sent nothing within {} ms", from, deadline.limit.count()));
    }
    changed_.wait_until(lock, deadline.at);
  }
}

base::Result<std::optional<Mailbox::Letter>> Mailbox::take_any(std::span<const int> ranks, const Key& key,
                                                               std::chrono::steady_clock::time_point until) {
  std::unique_lock lock(mutex_);
  while (true) {
    bool can_come = false;
    for (const int rank : ranks) {
      if (std::optional<ReceivedBytes> bytes = pop(rank, key)) {
        std::optional<Letter> letter(Letter{rank, *std::move(bytes)});
        return letter;
      }
      can_come = can_come || !gone_[static_cast<std::size_t>(rank)];
    }
    if (!can_come) {
      const int rank = ranks.empty() ? -1 : ranks[0];
      return error(ranks.size() == 1 ? fmt::format("rank {} is gone: {}", rank, *gone_[static_cast<std::size_t>(rank)])
                                     : std::string("all other ranks are gone"));
    }
    if (std::chrono::steady_clock::now() >= until) return std::optional<Letter>();
    changed_.wait_until(lock, until);
  }
}

}  // namespace nns::collectives
