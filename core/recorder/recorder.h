#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/events/channel.h"
#include "core/python/eval/execution_observer.h"
#include "core/python/eval/machine.h"
#include "core/recorder/objects.h"
#include "core/recorder/stored_slots.h"
#include "core/trace/trace.h"

/// From a running program to a Trace.
namespace nns::recorder {

/// Writes down what a program does: each statement, call, return and exception with the names that changed, each change
/// of an object that was seen, each event of a module.
/// Cost: about as much again as the program itself takes between two statements; see tests/bench.
/// Lifetime: the machine and the trace outlive it. Threads: one.
class Recorder final : public python::ExecutionObserver, public events::Observer {
 public:
  /// Begins at once.
  Recorder(python::Machine& machine, trace::Trace& trace);
  ~Recorder() override;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// The program wrote so many bytes to what is shown of its output.
  void on_output(std::size_t bytes) { trace_.write_output(bytes); }
  /// Ends the recording; what the last statement changed is in it.
  void end();

  void on_enter(const python::Frame& frame) override;
  void on_resume(const python::Frame& frame) override;
  void on_statement(const python::Frame& frame, std::uint32_t instruction) override;
  void on_return(const python::Frame& frame, const object::Value& value) override;
  void on_yield(const python::Frame& frame, const object::Value& value) override;
  void on_raise(const python::Frame& frame, const object::PyError& error) override;
  void on_leave(const python::Frame& frame) override;
  void on_name(const python::Frame& frame, object::Dict& names, object::Name name) override;
  void on_attribute(const object::Value& holder, object::Name name, std::size_t slot) override;
  void on_item(const object::Value& holder, const object::Value& key) override;
  void on_write(const object::Value& holder) override;
  void on_native_call(const object::Value& callee, std::span<const object::Value> positional,
                      std::span<const object::Keyword> keywords) override;
  void on_event(const events::Event& event) override;

 private:
  /// What a slot held when it was looked at last, in one word: a Shown, of an object its address. Two objects that
  /// follow each other at one address are never taken for one: the slot keeps the first alive until the second is
  /// there.
  using Seen = std::uint64_t;
  /// A code that ran; kept, so that no other comes to lie at its address.
  struct KnownCode {
    object::Ref<python::Code> code;
    trace::CodeId id;
    StoredSlots stored;
    bool has_cells = false;
  };
  struct Active {
    const python::Frame* frame = nullptr;  ///< null: a module's call
    trace::FrameId id = trace::kNone;
    std::size_t first_seen = 0;  ///< in seen_
    std::uint16_t depth = 0;     ///< frames below it and itself
    std::uint32_t instruction = 0;
    std::uint32_t first_slot = trace::kNone;  ///< of its trace::Frame
    const KnownCode* code = nullptr;
    /// What ran since it was looked at last did not begin at `instruction`.
    bool is_looked_at_whole = true;
  };
  /// What a function of C++ can have done to its arguments.
  enum class Effect : std::uint8_t { None, Appends, Pops, Inserts, Parameters, Any };

  static Seen seen(const object::Value& value);
  const KnownCode& code_of(const python::Code& code);
  Effect effect_of(const object::NativeFunction& function);
  std::uint64_t generator_id(const python::Frame& frame) const;
  std::uint32_t scope_of(object::Dict& names);
  /// The scope that `dict` is, or null.
  const std::uint32_t* scope_if_known(const object::Dict& dict) const;
  Active& active(const python::Frame& frame);
  Active& active_below(const python::Frame& frame);
  Active& add(const python::Frame& frame);
  /// `told` is called by the innermost frame, now.
  void set_caller(trace::Frame& told) const;
  /// Looks at what the frame can have stored since it was looked at last.
  void look_at_slots(const python::Frame& frame, Active& active);
  void look_at_all_slots(const python::Frame& frame, Active& active);
  void look_at_cells(const python::Frame& frame, const Active& active);
  void look_at_slot(const Active& active, std::uint32_t slot, const object::Value& value);
  bool is_same_long_int(const Active& active, std::uint32_t slot, const object::Value& value);
  void look_at_names(object::Dict& names, std::uint32_t scope);
  void push(trace::EventKind kind, const Active& active, std::uint32_t payload = trace::kNone);
  void push(trace::EventKind kind, const Active& active, std::uint16_t depth, std::uint32_t payload);
  std::uint16_t depth() const { return static_cast<std::uint16_t>(std::min<std::size_t>(stack_.size(), UINT16_MAX)); }
  void push_object_event(trace::EventKind kind, const trace::ObjectEvent& event);
  void stop();
  // Since when what an object holds now holds: since the event of that change, if there was one.
  trace::EventId since(const object::Value& holder) const {
    return changes_.empty() ? trace_.next() : since_change(holder);
  }
  trace::EventId since_change(const object::Value& holder) const;

  python::Machine& machine_;
  trace::Trace& trace_;
  Objects objects_;
  std::vector<Active> stack_;
  std::vector<Seen> seen_;
  std::unordered_map<const python::Code*, KnownCode> codes_;
  /// Those that were called last, by their addresses.
  static constexpr std::size_t kRecent = 256;
  std::array<const KnownCode*, kRecent> recent_codes_{};
  struct KnownEffect {
    std::uint64_t function = 0;  ///< its id
    Effect effect = Effect::Any;
  };
  std::array<KnownEffect, kRecent> recent_effects_;
  std::unordered_map<const python::Tree*, trace::FileId> files_;
  /// By the id of the dict. Those of programs are asked for early: most dicts have a higher id than any scope.
  std::unordered_map<std::uint64_t, std::uint32_t> scopes_;
  std::uint64_t highest_scope_id_ = 0;
  /// The one that was asked for last.
  std::uint64_t recent_scope_id_ = 0;
  std::uint32_t recent_scope_ = 0;
  /// Of frames of generators that are not on the stack, with what their slots held. One that is dropped asleep tells
  /// nothing of it, and the next may lie at the same address: only the id says whose frame it is (0: a thread's).
  struct Sleeping {
    std::uint64_t generator = 0;
    Active active;
    std::vector<Seen> seen;
  };
  std::unordered_map<const python::Frame*, Sleeping> sleeping_;
  /// Which modules told of changes since the last statement, each with its first event.
  struct Change {
    trace::ObjectId object;
    trace::EventId event;
  };
  std::vector<Change> changes_;
  std::uint64_t steps_when_full_ = 0;
  bool is_recording_ = false;

  struct EventWriter;
};

}  // namespace nns::recorder
