#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/ops/moments.h"

namespace nns::train {

/// What a step's time went into.
enum class Phase : std::uint8_t { Data, Forward, Backward, Optimizer, Other, Watch, Count };
inline constexpr std::size_t kPhases = static_cast<std::size_t>(Phase::Count);

/// "forward", "program" (of Other).
constexpr std::string_view phase_name(Phase phase) {
  constexpr std::array<std::string_view, kPhases> kNames = {"data",      "forward", "backward",
                                                            "optimizer", "program", "watch"};
  return kNames[static_cast<std::size_t>(phase)];
}

/// What may be watched, as bits.
namespace subject {
inline constexpr std::uint32_t kActivations = 1, kOutputGradients = 2, kParameters = 4, kGradients = 8, kUpdates = 16,
                               kAttention = 32;
inline constexpr std::uint32_t kOfTensors = kParameters | kGradients | kUpdates;
inline constexpr std::uint32_t kOfModules = kActivations | kOutputGradients;
}  // namespace subject

/// What is wanted of one step.
struct StepPlan {
  bool times = false;     ///< of modules
  bool timeline = false;  ///< spans
  /// Whether all that each node of a walk backward gives is looked at for NaN and Inf. Otherwise all of it only where
  /// the op may make them of finite numbers (sqrt, division), and elsewhere a few numbers; on a GPU nothing.
  bool checks_gradients = false;
  /// Bits of `subject` for each module and tensor of the table; shorter: nothing of the rest.
  std::vector<std::uint8_t> modules, tensors;
  /// The same for histograms.
  std::vector<std::uint8_t> module_histograms, tensor_histograms;
  /// Of which modules (not 0) the weights of attention are kept; shorter: of none of the rest.
  std::vector<std::uint8_t> attention;
  /// Of which tensors all that touches them is told; shorter: of none of the rest.
  std::vector<std::uint8_t> histories;
  std::size_t bins = 64;
  std::uint64_t sampled = 8192;  ///< values of a histogram
};

struct ModuleTimes {
  std::uint32_t module = 0;
  std::uint32_t calls = 0;
  std::uint64_t forward_ns = 0, backward_ns = 0;  ///< with what is below it
  std::uint64_t output_bytes = 0;
};
struct FoundMoments {
  std::uint32_t of = 0;  ///< a module for activations and their gradients, else a tensor
  std::uint32_t subject = 0;
  ops::Moments moments;
};
/// What happened to a parameter, in order; hooks of a step stand before its gradient.
struct FoundTouch {
  enum class Kind : std::uint8_t { Cleared, Hook, Loaded, Gradient, Write };
  std::uint32_t tensor = 0;
  Kind kind = Kind::Write;
  /// Of the gradient, or of the change; NaN: not known.
  double norm = std::numeric_limits<double>::quiet_NaN(), absmax = std::numeric_limits<double>::quiet_NaN();
};
struct FoundHistogram {
  std::uint32_t of = 0;
  std::uint32_t subject = 0;
  std::uint64_t count = 0;
  ops::SampledHistogram histogram;
};
/// Of the first scaled_dot_product_attention of a module in a step.
struct FoundAttention {
  std::uint32_t module = 0;
  tensor::Ref<tensor::Tensor> weights;  ///< ops::TrainingObserver::attended
};
struct Span {
  enum class Kind : std::uint8_t { Phase, ModuleForward, ModuleBackward };
  std::uint64_t begin_ns = 0, end_ns = 0;  ///< from the beginning of the step
  std::uint32_t module = 0;
  Kind kind = Kind::Phase;
  Phase phase = Phase::Other;
  std::uint8_t depth = 0;
};

/// A line of the program; 0: it is not known.
struct SourcePlace {
  std::string file;
  std::uint32_t line = 0;
};

/// The first number of a step that is not finite.
struct NotFinite {
  bool is_nan = true;  ///< else infinite
  Phase phase = Phase::Forward;
  std::uint32_t module = UINT32_MAX;
  std::string path = {};  ///< of the module or parameter
  std::string op = {};    ///< empty: not known
  /// Whether it may also have been made by an op that came shortly before this one: not all numbers were looked at.
  bool is_op_about = false;
  SourcePlace place = {};  ///< that called the op in forward, or the optimiser
  int rank = -1;           ///< of several that train together; -1: this one
};

/// What was seen of one step.
struct StepReport {
  std::uint64_t step = 0;
  std::uint32_t table_version = 0;
  double loss = std::numeric_limits<double>::quiet_NaN();
  bool has_loss = false;
  std::vector<double> learning_rates;
  std::vector<std::uint32_t> learning_rate_of;  ///< the optimiser of each
  std::uint64_t samples = 0;
  std::array<std::uint64_t, kPhases> phase_ns{};
  double gradient_norm = std::numeric_limits<double>::quiet_NaN();
  std::vector<ModuleTimes> times;
  std::vector<FoundMoments> moments;
  std::vector<FoundHistogram> histograms;
  std::vector<FoundTouch> touches;
  std::vector<FoundAttention> attentions;
  std::vector<Span> spans;
  std::uint64_t spans_left_out = 0;
  bool is_finite = true;
  NotFinite not_finite;

  std::uint64_t total_ns() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t part : phase_ns) sum += part;
    return sum;
  }
};

}  // namespace nns::train
