#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/autograd/removable_handle.h"
#include "core/checkpoint/object_description.h"
#include "core/events/channel.h"
#include "core/live/message.h"
#include "core/train/module_table.h"

namespace nns::session {

/// The hooks of a training's modules as they are now, how often each ran since somebody looks, and hooks that viewers
/// add. Costs nothing while nobody looks.
/// Threads: that of the interpreter. Lifetime: within the interpreter's.
class HookWatch final : public events::Observer {
 public:
  explicit HookWatch(std::uint32_t document) : document_(document) {}
  ~HookWatch() override;
  HookWatch(const HookWatch&) = delete;
  HookWatch& operator=(const HookWatch&) = delete;

  /// Begins to look at these modules of the table; none: ends.
  void look_at(const train::ModuleTable& table, std::vector<std::uint32_t> modules);
  bool is_looking() const { return !modules_.empty(); }
  /// Registers a hook that notes what passes and changes nothing.
  /// Errors: there is no such module; what registering it raises.
  base::Result<void> add(const train::ModuleTable& table, std::uint32_t module, live::wire::HookPoint point);
  /// Errors: no such hook is on that module, or the program registered it.
  base::Result<void> remove(const train::ModuleTable& table, std::uint32_t module, std::uint64_t id);

  /// Whether there may be something to tell.
  bool is_due() const;
  /// The hooks, if they are others than were told, or ran.
  std::optional<live::Bytes> tell(const train::ModuleTable& table, std::uint64_t step);
  /// Tells them again, also if nothing changes.
  void forget_told() {
    is_told_ = false;
    is_changed_ = true;
  }

  // events::Observer
  void on_event(const events::Event& event) override;

 private:
  using Clock = std::chrono::steady_clock;
  /// What passed through a hook the last time.
  struct Seen {
    std::string text;
    Clock::time_point at;
    std::uint64_t calls = 0;
  };
  struct Added {
    object::Ref<nn::Module> module;
    object::Ref<autograd::RemovableHandle> handle;
    std::shared_ptr<Seen> seen;
  };
  struct Row {
    std::uint32_t module = 0;
    checkpoint::HookRow hook;
    std::uint64_t calls = UINT64_MAX;  ///< as TrainingHook.calls
    std::string seen = {};
    bool is_added = false;
    friend bool operator==(const Row&, const Row&) = default;
  };
  void stop();

  std::uint32_t document_;
  std::vector<std::uint32_t> modules_;
  events::Channel* channel_ = nullptr;  ///< that is observed
  std::unordered_map<std::int64_t, std::uint64_t> calls_;
  std::map<std::uint64_t, Added> added_;
  bool is_changed_ = false;
  Clock::time_point looked_;
  std::vector<Row> told_;
  bool is_told_ = false;
};

}  // namespace nns::session
