#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/tensor/byte_pool.h"
#include "core/tensor/tensor.h"

namespace nns::tensor {

class CaptureMemory;

/// What a piece of a program computed on the CPU, kept so that it can be computed again on the same memory without the
/// program: no ops are called, no graph is made. The bodies and kernels that run again are those that ran.
/// It consists of actions (the body of one op, a copy, a step of an optimiser) and of launches (one kernel with its
/// arguments), in order. What a program reads out of tensors, decides by it or keeps outside of tensors is not seen:
/// what can be noticed of it makes the capture refused.
/// Threads: that of its interpreter; threads that share a kernel's work capture nothing.
/// Lifetime: keeps the memory of all that was computed. Tensors made meanwhile may outlive it.
class Capture {
 public:
  using Action = std::function<PyResult<void>()>;

  explicit Capture(Interpreter& interpreter);
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  /// The capture that is under way on this thread, or null.
  static Capture* current() { return current_; }

  /// Captures for as long as it lives. Must hold: no capture is under way.
  class Scope {
   public:
    explicit Scope(Capture& capture);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Capture& capture_;
  };

  /// Computes everything again, in order, up to the first error.
  PyResult<void> replay();

  /// Why it must not be replayed, or empty: the first reason that was noticed.
  const std::string& refusal() const { return refusal_; }
  void refuse(std::string_view why);
  /// The same where it is not known whether a capture is under way.
  static void refuse_current(std::string_view why) {
    if (current_ != nullptr) [[unlikely]]
      current_->refuse(why);
  }
  /// Values of a tensor reach the program: refused, but within an action, which reads them again.
  static void note_read() {
    if (current_ != nullptr && current_->depth_ == 0) [[unlikely]]
      current_->refuse("values of a tensor were read by the program (item(), a shape that depends on values)");
  }

  /// Whether every leaf has the .grad that the capture began with: the same tensor, or none.
  bool fits_gradients() const;
  /// Whether the tensors that were there before look at the memory that they looked at, ask for gradients as before,
  /// and have no hooks that a replay would not call.
  bool fits_tensors() const;
  /// Units: bytes that hold what was computed.
  std::size_t memory_bytes() const;
  /// How many actions and launches a replay runs.
  std::size_t size() const { return steps_.size(); }

  // For those that compute.

  /// Whether an action is under way: what happens now is part of it.
  bool is_inside() const { return depth_ > 0; }
  /// An action begins. `outputs` get their first values from it, `inputs` are all other tensors that it touches.
  void begin(std::span<const Tensor* const> outputs, std::span<const Tensor* const> inputs);
  /// It is done. Its launches are replayed if covers() was called meanwhile, otherwise what `make` gives.
  template <class Make>
  void end(const Make& make) {
    if (!finish()) add(make());
  }
  /// The launches of the action that is under way are all that it does.
  static void covers() {
    if (current_ != nullptr && current_->depth_ == 1) [[unlikely]]
      current_->is_covered_ = true;
  }
  /// Part of what the action does is in no launch: then it is replayed as a whole.
  static void has_gap() {
    if (current_ != nullptr) [[unlikely]]
      current_->has_gap_ = true;
  }
  /// Runs a kernel, now and (where its action covers()) with each replay. It holds pointers into tensors that were
  /// named to begin(), and plain numbers.
  template <class Kernel>
  static void launch(const Kernel& kernel) {
    kernel();
    if (current_ != nullptr) [[unlikely]]
      current_->keep(kernel);
  }

  /// Runs `run(tensors)` as one action, now and with each replay. Nothing is kept where an action is under way.
  template <class Run>
  PyResult<void> act(std::span<const Tensor* const> outputs, std::span<const Tensor* const> inputs, const Run& run) {
    std::vector<const Tensor*> all(outputs.begin(), outputs.end());
    all.insert(all.end(), inputs.begin(), inputs.end());
    if (is_inside()) {
      ++depth_;
      PyResult<void> done = run(all);
      --depth_;
      return done;
    }
    begin(outputs, inputs);
    PyResult<void> done = run(all);
    end([&] { return bound<Run>(all, run); });
    return done;
  }
  /// Runs `action` now and with each replay. Ops that it calls are part of it.
  PyResult<void> act(Action action);

  /// A tensor that looks at the same memory and holds nothing that was made in this capture alive.
  Ref<Tensor> alias(const Tensor& tensor);

  /// leaf.grad = grad, now and with each replay.
  void set_grad(Tensor& leaf, Ref<Tensor> grad);
  /// The same where it is not known whether a capture is under way.
  static void assign_grad(Tensor& leaf, Ref<Tensor> grad) {
    if (current_ != nullptr) [[unlikely]] {
      current_->set_grad(leaf, std::move(grad));
    } else {
      leaf.set_grad(std::move(grad));
    }
  }
  /// The .grad of a leaf decides what happens next.
  void note_grad(Tensor& leaf);
  /// A tensor was written in place outside of an action's own counting.
  void note_write(Tensor& target);

  /// Memory for numbers that launches read; it stays where it is.
  std::byte* constants(std::size_t bytes) { return static_cast<std::byte*>(room(bytes, kByteAlignment)); }
  /// A tensor that the program may give other data, which its views in this capture do not show.
  void watch(Tensor& tensor);
  /// The bytes of a new storage. Must hold: on the CPU, bytes > 0. Null: no memory, or it is not for the capture.
  std::shared_ptr<std::byte> take(std::size_t bytes);

 private:
  struct Step {
    /// False: an error lies in error_.
    bool (*run)(void* payload, Capture& capture) = nullptr;
    void* payload = nullptr;
  };
  // The .grad that a leaf had when the capture first asked, before it changed it.
  struct FirstGrad {
    Ref<Tensor> leaf;
    Ref<Tensor> grad;
    // Whether it matters: the capture did not set it first.
    bool is_read = true;
  };
  // A tensor that was there before, and where it lay.
  struct Outside {
    Ref<Tensor> tensor;
    std::byte* data = nullptr;
    bool requires_grad = false;
  };

  template <class Run>
  Action bound(std::span<const Tensor* const> tensors, const Run& run) {
    std::vector<Ref<Tensor>> kept;
    std::vector<const Tensor*> all;
    for (const Tensor* const one : tensors) all.push_back(kept.emplace_back(alias(*one)).get());
    return [kept = std::move(kept), all = std::move(all), run] { return run(std::span<const Tensor* const>(all)); };
  }
  template <class Kernel>
  void keep(const Kernel& kernel) {
    static_assert(std::is_trivially_copyable_v<Kernel> && std::is_trivially_destructible_v<Kernel>);
    if (depth_ == 0) return refuse("a kernel ran outside of the ops");
    void* const at = room(sizeof(Kernel), alignof(Kernel));
    ::new (at) Kernel(kernel);
    launches_.push_back({[](void* payload, Capture&) {
                           (*static_cast<const Kernel*>(payload))();
                           return true;
                         },
                         at});
  }
  void* room(std::size_t bytes, std::size_t alignment);
  void add(Action action);
  bool finish();
  void touch(const Tensor& tensor);
  void restore_if_made_by_host(const Tensor& tensor);
  void check_generator();

  static inline thread_local constinit Capture* current_ = nullptr;

  Interpreter& interpreter_;
  std::shared_ptr<CaptureMemory> memory_;
  std::vector<Step> steps_;
  // Those of the action that is under way.
  std::vector<Step> launches_;
  // The memory that it gives its first values.
  std::vector<const std::byte*> written_;
  std::deque<Action> actions_;
  std::vector<std::unique_ptr<std::byte[]>> rooms_;
  std::size_t room_used_ = 0, room_size_ = 0;
  std::vector<Outside> outside_;
  std::vector<FirstGrad> first_grads_;
  std::unordered_set<const Tensor*> known_outside_, known_leaves_;
  // Storages whose counts of writes go up with each replay.
  std::vector<Ref<Storage>> counted_;
  std::array<std::uint8_t, Generator::kStateBytes> generator_{};
  std::string refusal_;
  std::optional<object::PyError> error_;
  int depth_ = 0;
  bool is_covered_ = false, has_gap_ = false;
};

}  // namespace nns::tensor
