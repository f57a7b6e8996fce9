#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/live/commands.h"
#include "core/live/mirror.h"
#include "core/session/host.h"
#include "tests/support/files.h"

namespace nns::tests {

/// Sources by number, as a platform registers them.
class TestSources final : public session::SourceProvider {
 public:
  std::uint64_t add(std::shared_ptr<base::ByteSource> source) {
    sources_[++last_] = {std::move(source), std::make_shared<MemoryFileSet>()};
    return last_;
  }
  std::uint64_t add(const std::string& name, std::string_view bytes) {
    return add(base::make_memory_source(name, to_bytes(bytes)));
  }
  std::uint64_t add(const std::string& name, std::string_view bytes, std::shared_ptr<checkpoint::FileSet> siblings) {
    const std::uint64_t source = add(name, bytes);
    sources_[source].siblings = std::move(siblings);
    return source;
  }
  /// How often open() says "on its way" before each source is there.
  void delay(int times) { delay_ = times; }

  std::optional<base::Result<Opened>> open(std::uint64_t source, const std::string& name,
                                           const std::string& /*url*/) override {
    if (waited_[source]++ < delay_) return std::nullopt;
    const auto found = sources_.find(source);
    if (found == sources_.end()) {
      return base::Error{.found = "no such source", .expected = {}, .where = name, .offset = std::nullopt};
    }
    return found->second;
  }

 private:
  std::map<std::uint64_t, Opened> sources_;
  std::map<std::uint64_t, int> waited_;
  std::uint64_t last_ = 0;
  int delay_ = 0;
};

/// A Host and a viewer in one thread, joined by the queue.
class Link {
 public:
  explicit Link(std::vector<session::Sample> samples)
      : Link(session::Abilities{.samples = std::move(samples), .programs = nullptr, .first_document = 1}) {}
  explicit Link(session::Abilities abilities = {}) : sources(std::make_shared<TestSources>()) {
    auto [viewer_end, host_end] = live::make_queue({}, {});
    viewer = std::move(viewer_end);
    host = std::make_unique<session::Host>(std::move(host_end), sources, std::move(abilities));
    receive();
  }

  /// Takes over what the host sent; keeps each job message.
  void receive() {
    while (auto bytes = viewer->receive()) {
      const auto message = live::Message::verify(*bytes);
      ASSERT_TRUE(message.ok()) << message.error().message();
      if (const auto* job = message->as<live::wire::Job>()) states[job->request()].push_back(job->state());
      const auto applied = mirror.apply(std::move(*bytes));
      ASSERT_TRUE(applied.ok()) << applied.error().message();
    }
  }
  /// Lets the host work until nothing is left to do.
  void run() {
    while (host->run(base::Budget::unlimited()) || host->waiting()) {
    }
    receive();
  }
  void run_for(std::chrono::milliseconds slice) {
    host->run(base::Budget(slice));
    receive();
  }
  std::uint64_t open(const std::string& name, std::string_view bytes) {
    const std::uint64_t request = ++requests;
    viewer->send(live::open_source(request, sources->add(name, bytes), name, ""));
    return request;
  }
  /// The last message about a job; Running if there was none.
  live::wire::JobState state(std::uint64_t request) const {
    const auto found = states.find(request);
    return found == states.end() ? live::wire::JobState::Running : found->second.back();
  }

  std::shared_ptr<TestSources> sources;
  std::unique_ptr<live::Endpoint> viewer;
  std::unique_ptr<session::Host> host;
  live::Mirror mirror;
  std::map<std::uint64_t, std::vector<live::wire::JobState>> states;
  std::uint64_t requests = 0;
};

}  // namespace nns::tests
