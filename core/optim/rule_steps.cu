#include "core/optim/step_kernel.cuh"

// The optimisers of rule_formulas.h over many parameters in one launch.
namespace nns::optim {
namespace {

// A rule's flags are the same for all items of a launch.
template <class T>
struct RmspropOnDevice {
  static constexpr int kFirst = 1, kStates = 3;
  RmspropNumbers<T> numbers;
  bool has_decay, is_centered, has_momentum;
  __device__ RmspropOnDevice(const RmspropOptions& options, const RmspropScalars&)
      : numbers(options),
        has_decay(options.weight_decay != 0),
        is_centered(options.centered),
        has_momentum(options.momentum > 0) {}
  __device__ void operator()(T& x, T grad, T (&state)[kStates]) const {
    rmsprop_item<Plain<T>>(numbers, has_decay, is_centered, has_momentum, x, grad, state[0], state[1], state[2]);
  }
};

template <class T>
struct AdagradOnDevice {
  static constexpr int kFirst = 1, kStates = 1;
  AdagradNumbers<T> numbers;
  bool has_decay;
  __device__ AdagradOnDevice(const AdagradOptions& options, const AdagradScalars& scalars)
      : numbers(options, scalars), has_decay(options.weight_decay != 0) {}
  __device__ void operator()(T& x, T grad, T (&state)[kStates]) const {
    adagrad_item<Plain<T>>(numbers, has_decay, x, grad, state[0]);
  }
};

template <class T>
struct AdadeltaOnDevice {
  static constexpr int kFirst = 1, kStates = 2;
  AdadeltaNumbers<T> numbers;
  bool has_decay;
  __device__ AdadeltaOnDevice(const AdadeltaOptions& options, const AdadeltaScalars&)
      : numbers(options), has_decay(options.weight_decay != 0) {}
  __device__ void operator()(T& x, T grad, T (&state)[kStates]) const {
    adadelta_item<Plain<T>>(numbers, has_decay, x, grad, state[0], state[1]);
  }
};

template <class T>
struct AdamaxOnDevice {
  static constexpr int kFirst = 1, kStates = 2;
  AdamaxNumbers<T> numbers;
  bool has_decay;
  __device__ AdamaxOnDevice(const AdamaxOptions& options, const AdamaxScalars& scalars)
      : numbers(options, scalars), has_decay(options.weight_decay != 0) {}
  __device__ void operator()(T& x, T grad, T (&state)[kStates]) const {
    adamax_item<Plain<T>>(numbers, has_decay, x, grad, state[0], state[1]);
  }
};

template <class T>
struct AsgdOnDevice {
  static constexpr int kFirst = 3, kStates = 1;
  AsgdNumbers<T> numbers;
  bool has_decay, averages;
  __device__ AsgdOnDevice(const AsgdOptions& options, const AsgdScalars& scalars)
      : numbers(options, scalars), has_decay(options.weight_decay != 0), averages(scalars.mu != 1) {}
  __device__ void operator()(T& x, T grad, T (&state)[kStates]) const {
    asgd_item<Plain<T>>(numbers, has_decay, averages, x, grad, state[0]);
  }
};

template <class T>
struct NadamOnDevice {
  static constexpr int kFirst = 2, kStates = 2;
  NadamNumbers<T> numbers;
  bool adds_decay, shrinks;
  __device__ NadamOnDevice(const NadamOptions& options, const NadamScalars& scalars)
      : numbers(options, scalars),
        adds_decay(options.weight_decay != 0 && !options.decoupled),
        shrinks(options.weight_decay != 0 && options.decoupled) {}
  __device__ void operator()(T& x, T grad, T (&state)[kStates]) const {
    nadam_item<Plain<T>>(numbers, adds_decay, shrinks, x, grad, state[0], state[1]);
  }
};

template <class T>
struct RadamOnDevice {
  static constexpr int kFirst = 1, kStates = 2;
  RadamNumbers<T> numbers;
  bool adds_decay, shrinks, is_rectified;
  __device__ RadamOnDevice(const RadamOptions& options, const RadamScalars& scalars)
      : numbers(options, scalars),
        adds_decay(options.weight_decay != 0 && !options.decoupled),
        shrinks(options.weight_decay != 0 && options.decoupled),
        is_rectified(scalars.is_rectified) {}
  __device__ void operator()(T& x, T grad, T (&state)[kStates]) const {
    radam_item<Plain<T>>(numbers, adds_decay, shrinks, is_rectified, x, grad, state[0], state[1]);
  }
};

template <class T>
struct RpropOnDevice {
  static constexpr int kFirst = 1, kStates = 2;
  RpropNumbers<Plain<T>> numbers;
  __device__ RpropOnDevice(const RpropOptions& options, const RpropScalars&) : numbers(options) {}
  __device__ void operator()(T& x, T grad, T (&state)[kStates]) const {
    rprop_item<Plain<T>>(numbers, x, grad, state[0], state[1]);
  }
};

}  // namespace

#define NNS_DEVICE_STEP(rule, name)                                                                \
  void launch_step(const StepWork<rule##Options, rule##Scalars>& step, ops::StreamHandle stream) { \
    launch_step_kernel<rule##OnDevice>(step, stream);                                              \
  }
#include "core/optim/device_steps.def"
#undef NNS_DEVICE_STEP

}  // namespace nns::optim
