#include "core/optim/step_kernel.cuh"

// SGD and Adam over many parameters in one launch.
namespace nns::optim {
namespace {

template <class T>
struct SgdOnDevice {
  static constexpr int kFirst = 0, kStates = 1;
  SgdNumbers<T> numbers;
  bool has_decay, has_momentum, is_nesterov, is_first;
  __device__ SgdOnDevice(const SgdOptions& options, const SgdScalars& scalars)
      : numbers(options),
        has_decay(options.weight_decay != 0),
        has_momentum(options.momentum != 0),
        is_nesterov(options.nesterov),
        is_first(scalars.is_first) {}
  __device__ void operator()(T& x, T grad, T (&state)[kStates]) const {
    T by = sgd_gradient<Plain<T>>(numbers, has_decay, x, grad);
    if (has_momentum) by = sgd_direction<Plain<T>>(numbers, is_nesterov, is_first, by, state[0]);
    x += numbers.rate * by;
  }
};

template <class T>
struct AdamOnDevice {
  static constexpr int kFirst = 1, kStates = 3;
  AdamNumbers<T> numbers;
  bool adds_decay, shrinks, keeps_largest;
  __device__ AdamOnDevice(const AdamOptions& options, const AdamScalars& scalars)
      : numbers(options, scalars),
        adds_decay(options.weight_decay != 0 && !options.decoupled),
        shrinks(options.weight_decay != 0 && options.decoupled),
        keeps_largest(options.amsgrad) {}
  __device__ void operator()(T& x, T grad, T (&state)[kStates]) const {
    adam_item<Plain<T>>(numbers, adds_decay, shrinks, keeps_largest, x, grad, state[0], state[1], state[2]);
  }
};

}  // namespace

void launch_sgd(const StepWork<SgdOptions, SgdScalars>& step, ops::StreamHandle stream) {
  launch_step_kernel<SgdOnDevice>(step, stream);
}
void launch_adam(const StepWork<AdamOptions, AdamScalars>& step, ops::StreamHandle stream) {
  launch_step_kernel<AdamOnDevice>(step, stream);
}

}  // namespace nns::optim
