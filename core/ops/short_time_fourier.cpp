#include <fmt/ranges.h>

#include <algorithm>

#include "core/object/str.h"
#include "core/ops/linalg.h"

// torch.stft and torch.istft: transforms of frames of a signal, and the signal of such.
// Behaviour: aten/src/ATen/native/SpectralOps.cpp; torch/functional.py.
namespace nns::ops {
namespace {

std::string shape_text(const Dims& shape) { return fmt::format("[{}]", fmt::join(shape.span(), ", ")); }
// "CPUFloatType".
std::string kind_text(const Tensor& tensor) {
  return fmt::format("{}{}Type", tensor.is_cuda() ? "CUDA" : "CPU", tensor::info(tensor.dtype()).scalar_name);
}
std::string optional_text(const Value& value) {
  if (value.is_none()) return "None";
  return value.is_bool() ? (value.as_bool() ? "1" : "0") : fmt::format("{}", value.as_int());
}

// What both are given, and how messages begin.
struct Frames {
  std::int64_t size = 0, step = 0, window_size = 0;
  Tensor* window = nullptr;
  std::string call;
};
Frames frames_of(const OpCall& call, std::string_view name) {
  Frames made;
  made.size = call.integer(1);
  made.step = call.is_none(2) ? made.size / 4 : call.integer(2);
  made.window_size = call.is_none(3) ? made.size : call.integer(3);
  made.window = call.tensor(4);
  const Tensor& self = call.required(0);
  made.call = fmt::format("{}({}{}, n_fft={}, hop_length={}, win_length={}, window={}", name, kind_text(self),
                          shape_text(self.shape()), made.size, made.step, made.window_size,
                          made.window == nullptr
                              ? "None"
                              : fmt::format("{}{{{}}}", kind_text(*made.window), shape_text(made.window->shape())));
  return made;
}

// The window as long as a frame: zeros stand on both sides; ones where none is given, and of it none where it is as
// long.
Term whole_window(OpCall& call, const Frames& frames, DType dtype) {
  Interpreter& in = call.interpreter;
  Term window = frames.window == nullptr
                    ? Term(tensor::ones(in, Dims({frames.window_size}), dtype, call.required(0).device()))
                    : Term(Ref<Tensor>(frames.window));
  if (frames.window_size == frames.size) return window;
  const std::int64_t left = (frames.size - frames.window_size) / 2;
  return apply(OpId::constant_pad_nd,
               {window, TermArgument(dims_value(in, Dims({left, frames.size - frames.window_size - left})))});
}

PyResult<void> check_stft(OpCall& call, const Frames& frames, bool returns_complex) {
  Interpreter& in = call.interpreter;
  const Tensor& self = call.required(0);
  const auto refused = [&](std::string_view text) {
    return object::runtime_error(in, "{}, normalized={}, onesided={}, return_complex={}) {}", frames.call,
                                 call.flag(7) ? 1 : 0, optional_text(call.args[8]), optional_text(call.args[9]), text);
  };
  if (!returns_complex) {
    if (call.is_none(9)) {
      return object::runtime_error(in,
                                   "stft requires the return_complex parameter be given for real inputs, and will "
                                   "further require that return_complex=True in a future PyTorch release.");
    }
    in.warn(
        object::ErrorKind::UserWarning,
        "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex tensors "
        "for all inputs, and return_complex=False will raise an error.\nNote: you can still call torch.view_as_real on "
        "the complex output to recover the old return format.");
  }
  if (!tensor::is_differentiable(self.dtype()))
    return refused(": expected a tensor of floating point or complex values");
  if (self.ndim() < 1 || self.ndim() > 2) return refused(": expected a 1D or 2D tensor");
  if (frames.step <= 0) {
    return refused(fmt::format(": expected hop_length > 0, but got hop_length={}", frames.step));
  }
  if (frames.window_size <= 0 || frames.window_size > frames.size) {
    return refused(fmt::format(": expected 0 < win_length <= n_fft, but got win_length={}", frames.window_size));
  }
  if (frames.window != nullptr && !(frames.window->shape() == Dims({frames.window_size}))) {
    return refused(
        fmt::format(": expected a 1D window tensor of size equal to win_length={}, but got window with size {}",
                    frames.window_size, shape_text(frames.window->shape())));
  }
  return {};
}

// A signal with its mirror image (or what else the mode says) at both ends.
Term centred(OpCall& call, const Term& x, std::int64_t frame) {
  const std::int64_t amount = frame / 2;
  const Term wide = apply(OpId::unsqueeze, {x, 0});
  const Term padded = apply(OpId::pad, {wide, TermArgument(dims_value(call.interpreter, Dims({amount, amount}))),
                                        TermArgument(call.args[6])});
  return apply(OpId::squeeze, {padded, 0});
}

PyResult<Value> stft_of(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& self = call.required(0);
  const Frames frames = frames_of(call, "stft");
  const bool is_complex =
      tensor::is_complex(self.dtype()) || (frames.window != nullptr && tensor::is_complex(frames.window->dtype()));
  const bool returns_complex = call.is_none(9) ? is_complex : call.flag(9);
  if (frames.window == nullptr) {
    in.warn(object::ErrorKind::UserWarning,
            "A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. "
            "Other windows such as torch.hann_window or torch.hamming_window can are recommended to reduce spectral "
            "leakage.To suppress this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, "
            "device=<device>)`.");
  }
  NNS_TRY(check_stft(call, frames, returns_complex));
  Term x = self.ndim() == 1 ? apply(OpId::unsqueeze, {term_at(call, 0), 0}) : term_at(call, 0);
  if (call.flag(5)) x = centred(call, x, frames.size);
  NNS_TRY(x.result());
  const std::int64_t length = x.tensor().shape()[1];
  if (frames.size <= 0 || frames.size > length) {
    return object::runtime_error(
        in, "{}, normalized={}, onesided={}, return_complex={}) : expected 0 < n_fft < {}, but got n_fft={}",
        frames.call, call.flag(7) ? 1 : 0, optional_text(call.args[8]), optional_text(call.args[9]), length,
        frames.window_size);
  }
  x = apply(OpId::unfold, {x, 1, frames.size, frames.step});
  if (frames.window != nullptr || frames.window_size < frames.size) {
    x = x * whole_window(call, frames, real_dtype_of(self.dtype()));
  }
  const bool onesided = call.is_none(8) ? !is_complex : call.flag(8);
  const Value dims = dims_value(in, Dims({2}));
  const std::int64_t normalization = call.flag(7) ? 1 : 0;
  if (is_complex && onesided) {
    return object::runtime_error(in, "Cannot have onesided output if window or input is complex");
  }
  Term made = apply(is_complex ? OpId::fft_c2c : OpId::fft_r2c,
                    {x, TermArgument(dims), normalization, is_complex ? true : onesided});
  made = apply(OpId::transpose, {made, 1, 2});
  if (self.ndim() == 1) made = apply(OpId::squeeze, {made, 0});
  return value_of(returns_complex ? made : apply(OpId::view_as_real, {made}));
}

PyResult<void> check_istft(OpCall& call, const Frames& frames) {
  Interpreter& in = call.interpreter;
  const Tensor& self = call.required(0);
  if (!tensor::is_complex(self.dtype())) {
    return object::runtime_error(in,
                                 "istft requires a complex-valued input tensor matching the output from stft with "
                                 "return_complex=True.");
  }
  const auto refused = [&](std::string_view text) {
    return object::runtime_error(in, "{}, center={}, normalized={}, onesided={}, length={}, return_complex={}) {}",
                                 frames.call, call.flag(5) ? 1 : 0, call.flag(6) ? 1 : 0, optional_text(call.args[7]),
                                 optional_text(call.args[8]), call.flag(9) ? 1 : 0, text);
  };
  if (self.ndim() != 2 && self.ndim() != 3) {
    return refused(fmt::format(": expected a tensor with 3 or 4 dimensions, but got {}", self.ndim() + 1));
  }
  if (self.numel() == 0) return refused(": input tensor cannot be empty.");
  const std::int64_t found = rows_of(self);
  const bool onesided = call.is_none(7) ? found != frames.size : call.flag(7);
  if (found != (onesided ? frames.size / 2 + 1 : frames.size)) {
    return refused(
        fmt::format(": expected the frequency dimension (3rd to the last) of the input tensor to match n_fft{} when "
                    "onesided={}, but got {}",
                    onesided ? " / 2 + 1" : "", onesided ? "True" : "False", found));
  }
  if (frames.step <= 0 || frames.step > frames.window_size) return refused(": expected 0 < hop_length <= win_length");
  if (frames.window_size <= 0 || frames.window_size > frames.size) {
    return refused(": expected 0 < win_length <= n_fft");
  }
  if (frames.window != nullptr && !(frames.window->shape() == Dims({frames.window_size}))) {
    return refused(": Invalid window shape. window has to be 1D and length of `win_length`");
  }
  if (call.flag(9) && onesided) {
    return object::runtime_error(in, "Cannot have onesided output if window or input is complex");
  }
  if (!call.flag(9) && frames.window != nullptr && tensor::is_complex(frames.window->dtype())) {
    return object::runtime_error(in, "Complex windows are incompatible with return_complex=False");
  }
  return {};
}

// The frames where they lie in the signal, added up.
Term overlapped(const Term& frames, std::int64_t batch, std::int64_t length, std::int64_t size, std::int64_t step) {
  if (!frames.ok()) return frames;
  return apply(OpId::unfold_backward,
               {frames, TermArgument(dims_value(frames.tensor().interpreter(), Dims({batch, length}))), 1, size, step});
}

PyResult<Value> istft_of(OpCall& call) {
  Interpreter& in = call.interpreter;
  const Tensor& self = call.required(0);
  const Frames frames = frames_of(call, "istft");
  if (frames.window == nullptr) {
    in.warn(
        object::ErrorKind::UserWarning,
        "A window was not provided. A rectangular window will be applied.Please provide the same window used by stft "
        "to make the inversion lossless.To suppress this warning and use a rectangular window, explicitly set "
        "`window=torch.ones(n_fft, device=<device>)`.");
  }
  NNS_TRY(check_istft(call, frames));
  const std::int64_t count = columns_of(self), whole = frames.size + frames.step * (count - 1);
  Term x = self.ndim() == 2 ? apply(OpId::unsqueeze, {term_at(call, 0), 0}) : term_at(call, 0);
  x = apply(OpId::transpose, {x, 1, 2});
  const Value dims = dims_value(in, Dims({2}));
  const std::int64_t normalization = call.flag(6) ? 1 : 2;
  if (call.flag(9)) {
    x = apply(OpId::fft_c2c, {x, TermArgument(dims), normalization, false});
  } else {
    x = apply(OpId::fft_c2r, {narrowed(x, 2, 0, frames.size / 2 + 1), TermArgument(dims), normalization, frames.size});
  }
  const Term window = whole_window(call, frames, real_dtype_of(self.dtype()));
  x = x * window;
  NNS_TRY(x.result());
  const std::int64_t batch = x.tensor().shape()[0];
  const Term spread =
      apply(OpId::expand, {square(window), TermArgument(dims_value(in, Dims({1, count, frames.size})))});
  const std::int64_t start = call.flag(5) ? frames.size / 2 : 0;
  const std::int64_t end =
      !call.is_none(8) ? start + call.integer(8) : (call.flag(5) ? whole - frames.size / 2 : whole);
  const auto kept = [&](const Term& line) {
    const std::int64_t from = std::min(start, whole);
    return narrowed(line, 1, from, std::max<std::int64_t>(std::min(end, whole) - from, 0));
  };
  const Term envelope = kept(overlapped(spread, 1, whole, frames.size, frames.step));
  if (!self.is_meta()) {
    note_reading("istft()");
    GradModeGuard no_grad(in, false);
    NNS_TRY_ASSIGN(const Ref<Tensor> least, apply(OpId::min, {apply(OpId::abs, {envelope})}).take());
    if (tensor::read_double(*least, least->offset()) < 1e-11) {
      return object::runtime_error(
          in,
          "{}, center={}, normalized={}, onesided={}, length={}, return_complex={}) window overlap add min: 1\n"
          "[ CPUBoolType{{}} ]",
          frames.call, call.flag(5) ? 1 : 0, call.flag(6) ? 1 : 0, optional_text(call.args[7]),
          optional_text(call.args[8]), call.flag(9) ? 1 : 0);
    }
  }
  Term made = kept(overlapped(x, batch, whole, frames.size, frames.step)) / envelope;
  if (self.ndim() == 2) made = apply(OpId::squeeze, {made, 0});
  if (end > whole) {
    in.warn(object::ErrorKind::UserWarning,
            "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. "
            "Please check your center and hop_length settings.");
    made = apply(OpId::constant_pad_nd, {made, TermArgument(dims_value(in, Dims({0, end - whole})))});
  }
  return value_of(made);
}

}  // namespace

template <>
OpBodies bodies<OpId::stft>() {
  return {.composite = stft_of};
}
template <>
OpBodies bodies<OpId::istft>() {
  return {.composite = istft_of};
}

}  // namespace nns::ops
