#pragma once

#include <memory>
#include <unordered_set>
#include <vector>

#include "core/optim/group_options.h"
#include "core/optim/number_format.h"
#include "core/optim/optimizer.h"
#include "core/optim/step_work.h"
#include "core/tensor/order.h"

// Not for callers of optim.
namespace nns::optim {

/// One tensor that an optimiser keeps for each parameter.
struct StateSlot {
  enum class Kind : std::uint8_t {
    /// One number, of the default dtype if that is float64, else float32.
    Scalar,
    /// As many items as the parameter has, of its dtype and with its strides.
    Like,
  };
  Name OptimLibrary::Names::*name;
  Kind kind = Kind::Like;
  double start = 0;
};

/// What an optimiser keeps, in the order of the keys in its state.
struct StateLayout {
  std::span<const StateSlot> slots;
  /// A slot that is missing in a state that is not empty is made, instead of being an error.
  bool makes_missing = false;
};

/// A tensor of the state, and where its items were when it was looked at.
struct StateTensor {
  Tensor* tensor = nullptr;
  std::byte* data = nullptr;
  /// Not dereferenced: only whether the tensor still looks at it.
  const tensor::Storage* storage = nullptr;
};

/// One parameter with all that its update reads and writes.
struct Lane {
  Ref<Tensor> param;
  std::byte* data = nullptr;
  /// Numbers: items, twice as many for complex dtypes.
  std::int64_t count = 0;
  const tensor::Storage* storage = nullptr;
  /// Bit i: state slot i was found; all bits: nobody looked yet.
  std::uint32_t slots = ~0U;
  /// Bit i: slot i is a Scalar.
  std::uint32_t scalars = 0;
  FormatId format = FormatId::Float32;
  /// The parameter and its state lie without gaps and in the same order.
  bool is_aligned = false;
  /// Bit i: slot i was made by the step that is under way.
  std::uint32_t fresh = 0;
  std::array<StateTensor, kMostStates> state;

  /// The number of a Scalar slot.
  double scalar(std::size_t slot) const;
  void set_scalar(std::size_t slot, double value);
  /// Must hold: all lie alike.
  Rows rows(const Tensor& grad) const {
    Rows made{data, grad.data(), {}};
    for (std::size_t i = 0; i < kMostStates; ++i) made.state[i] = state[i].data;
    return made;
  }
};

/// Whether two tensors have the same device, dtype, shape and order of items.
bool is_laid_out_alike(const Tensor& a, const Tensor& b);

/// What the fused optimisers remember from one step to the next: every parameter with its state found, so that a step
/// walks one list. Whatever a program changes (groups, state, a tensor's storage) is noticed, and looked up anew.
/// Lifetime: keeps the state's dicts alive until the next step.
class StepPlan {
 public:
  StepPlan() = default;
  ~StepPlan();
  StepPlan(const StepPlan&) = delete;
  StepPlan& operator=(const StepPlan&) = delete;

  /// Looks whether the lanes are still those of the optimiser's groups, and makes them anew if not.
  PyResult<void> update(Optimizer& self);

  struct Group {
    Dict* options = nullptr;
    std::span<Lane> lanes;
  };
  std::span<const Group> groups() const { return groups_; }

  /// Finds or makes the slots `wanted` of the lane's state; `starts` are the values of new ones.
  PyResult<void> find_state(Optimizer& self, Lane& lane, const StateLayout& layout, std::uint32_t wanted,
                            std::span<const double> starts);
  /// Whether the lane's pointers hold: nobody gave its tensors other data.
  static bool is_current(const Lane& lane, std::uint32_t wanted);
  /// Call when the step changed the state itself: no reason to look it up again.
  void accept_changes() { seen_changes_ = changes_; }

  void traverse(object::Visitor& visitor) const;

 private:
  void clear();
  void watch(Dict& dict);
  bool is_valid(Optimizer& self, const List& groups, const Dict* state) const;
  Ref<Tensor> make_like(const Tensor& param, double start);
  /// Memory for the many small tensors of a state: it lies together, as it is walked.
  std::byte* take_small(std::size_t bytes);

  std::vector<Lane> lanes_;
  std::vector<Group> groups_;
  std::vector<Ref<Dict>> watched_;
  std::unordered_set<const Dict*> watched_set_;
  Ref<Dict> state_;
  std::shared_ptr<std::byte[]> block_;
  std::size_t block_used_ = 0;
  std::uint64_t changes_ = 0;
  std::uint64_t seen_changes_ = 0;
};

/// Rows for a lane whose tensors do not lie alike or lie elsewhere: copies that go back when the update is done.
class CopiedRows {
 public:
  /// Errors: RuntimeError  the gradient does not fit the parameter.
  static PyResult<CopiedRows> of(const Lane& lane, const Tensor& grad, tensor::Device device);
  const Rows& rows() const { return rows_; }
  /// Writes the copies back.
  PyResult<void> finish(const Lane& lane);

 private:
  Rows rows_;
  Ref<Tensor> param_, grad_;
  std::array<Ref<Tensor>, kMostStates> states_;
};

}  // namespace nns::optim
