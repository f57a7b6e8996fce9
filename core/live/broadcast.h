#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/live/console_view.h"
#include "core/live/lane.h"
#include "core/live/message.h"
#include "core/live/training_view.h"

namespace nns::live {

/// A command that a viewer sent; `viewer` is its number.
struct ViewerCommand {
  std::uint64_t viewer = 0;
  Message message;
};

/// What a late viewer is told beside the newest values.
struct BroadcastLimits {
  LaneLimits lane{};
  /// Events that are kept for who comes later (a curve's last steps, the log's last lines).
  std::size_t kept_events = 2048;
  std::size_t kept_event_bytes = std::size_t{1} << 20U;
  std::size_t most_viewers = 256;
  /// Commands that wait to be carried out; of more than these the viewer is told that they were refused.
  std::size_t most_commands = 256;
  /// Steps that a late viewer is told of each training: of more the curve keeps its shape.
  std::size_t most_steps = 8192;
};

/// One stream for many viewers: who makes it (a training that runs) tells each message once and never waits for a
/// viewer; who comes late is told the newest value of everything and the last events, who is slow misses some events
/// and is told how many. Viewers that may not control only watch.
/// Threads: publish() and take_command() are for the maker's thread; the rest for threads of viewers; all may run at
/// once. `wake` is called on the maker's thread after something was told, `command_waits` on a viewer's after a command
/// came; neither with a lock held.
class Broadcast {
 public:
  explicit Broadcast(BroadcastLimits limits = {}) : limits_(limits), inbox_(limits.lane) {}
  Broadcast(const Broadcast&) = delete;
  Broadcast& operator=(const Broadcast&) = delete;

  /// Both before the first viewer; not changed while others call.
  void set_wake(std::function<void()> wake) { wake_ = std::move(wake); }
  void set_command_waits(std::function<void()> waits) { command_waits_ = std::move(waits); }

  // ---------------------------------------------------------------- who makes the stream

  /// Somebody watches (or records): statistics that cost are worth making.
  bool is_watched() const { return watching_.load(std::memory_order_relaxed) > 0; }
  /// The newest value of what `key` names.
  void publish(LatestKey key, Bytes message) { publish(Told{share(std::move(message)), key}); }
  /// A message of the protocol as a host sends it: what says the newest of something gets its key (latest_key()).
  void publish(Bytes message);
  /// Who comes later is not told of `key` any more.
  void forget(LatestKey key);
  /// The oldest command that was not taken. Controlling ones come only from viewers that may control.
  std::optional<ViewerCommand> take_command();
  /// Tells one viewer only: an answer to its command.
  void answer(std::uint64_t viewer, Bytes message);

  // ---------------------------------------------------------------- viewers

  /// A viewer from now on: what it is told first is a snapshot. nullopt: there are most_viewers already.
  /// `wake` is called, with no lock held, after distribute() put something into an empty lane.
  std::optional<std::uint64_t> join(bool may_control);
  void leave(std::uint64_t viewer);
  /// The next message for this viewer, or null. An EventsLeftOut comes before what follows a gap.
  SharedBytes take(std::uint64_t viewer);
  /// Takes over what a viewer sent. Errors: no message of the protocol, or none that a viewer sends: the connection is
  /// to be ended. What it may not do, and what there is no room for, is told to the viewer.
  base::Result<void> receive(std::uint64_t viewer, Bytes bytes);
  /// Numbers of the viewers for whom something waits. To be called from time to time also while nobody watches: what
  /// was told is remembered here, not where it is made.
  std::vector<std::uint64_t> ready();
  /// How many messages wait for a viewer.
  std::size_t waiting(std::uint64_t viewer) const;
  /// Viewers that left since the last call.
  std::vector<std::uint64_t> take_gone();
  /// What a viewer that comes now would be told: a recording's keyframe.
  std::vector<SharedBytes> snapshot();
  std::size_t viewers() const;

 private:
  struct Viewer {
    Lane lane;
    bool may_control = false;
  };
  static SharedBytes share(Bytes bytes) { return std::make_shared<const Bytes>(std::move(bytes)); }
  void publish(Told told);
  // With viewers_mutex_ held: moves what was told to the viewers.
  void distribute();
  std::optional<LatestKey> key_of_answer(const Bytes& bytes);
  void remember(const Told& told);
  std::vector<SharedBytes> snapshot_held() const;

  const BroadcastLimits limits_;
  std::function<void()> wake_;
  std::function<void()> command_waits_;
  std::atomic<std::size_t> watching_ = 0;

  // The maker waits for no more than the moment in which this is held.
  std::mutex inbox_mutex_;
  Lane inbox_;
  std::vector<LatestKey> forgotten_;
  std::deque<std::pair<std::uint64_t, SharedBytes>> answers_;
  std::deque<ViewerCommand> commands_;

  mutable std::mutex viewers_mutex_;
  std::map<std::uint64_t, Viewer> viewers_;
  std::uint64_t next_viewer_ = 1;
  // In the order in which each was first told.
  std::map<LatestKey, std::pair<std::uint64_t, SharedBytes>> newest_;
  std::uint64_t next_place_ = 0;
  std::deque<SharedBytes> kept_events_;
  std::size_t kept_bytes_ = 0;
  std::map<std::uint32_t, TrainingView> trainings_;  // by document
  std::map<std::uint32_t, ConsoleView> consoles_;    // by document
  std::vector<std::uint64_t> gone_;
};

/// Of what a message says the newest, or nullopt: it is an event.
std::optional<LatestKey> latest_key(const wire::Message& message);

/// Whether a message is one that a viewer sends, and whether it changes what it is sent to.
enum class CommandKind : std::uint8_t { None, Look, Control };
CommandKind command_kind(wire::Body body);

}  // namespace nns::live
