#include "core/ops/element_loop.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/parallel.h"
#include "core/ops/element_trace.h"
#include "core/ops/formulas.h"
#include "core/ops/op.h"
#include "core/ops/result_moments.h"
#include "core/tensor/capture.h"

namespace nns::ops {
namespace {

// Numbers of one run where something is converted: few enough to stay in the first cache.
constexpr std::int64_t kBlock = 512;
constexpr std::size_t kLargestNumber = 16;
// Items that another thread is worth while for.
constexpr std::int64_t kPartOfThread = 32768;
// What is counted as it is written is so in parts that stay in the first cache.
constexpr std::int64_t kCounted = 4096;

// A block of equal numbers where a launch that is kept may read it.
const std::byte* kept_numbers(const std::byte* numbers, std::int64_t bytes) {
  tensor::Capture* const capture = tensor::Capture::current();
  if (capture == nullptr) return numbers;
  std::byte* const kept = capture->constants(static_cast<std::size_t>(bytes));
  std::copy_n(numbers, bytes, kept);
  return kept;
}

template <class T>
void fill_numbers(void* out, std::int64_t count, T value) {
  std::fill_n(static_cast<T*>(out), count, value);
}

}  // namespace

void Number::fill(Compute to, void* out, std::int64_t count) const {
  switch (to) {
    case Compute::Float:
      return fill_numbers(out, count, static_cast<float>(real));
    case Compute::Double:
      return fill_numbers(out, count, real);
    case Compute::Int64:
      return fill_numbers(out, count, as_int64());
    case Compute::UInt64:
      return fill_numbers(out, count, static_cast<std::uint64_t>(as_int64()));
    case Compute::Bool:
      return fill_numbers(out, count, !is_zero());
    case Compute::ComplexFloat:
      return fill_numbers(out, count, std::complex<float>(static_cast<float>(real), static_cast<float>(imaginary)));
    case Compute::ComplexDouble:
      return fill_numbers(out, count, std::complex<double>(real, imaginary));
  }
}

void ElementLoop::add(std::byte* data, const Dims& shape, const Dims& strides, std::int64_t item_bytes) {
  Dims bytes(shape_.size(), 0);
  const std::size_t missing = shape_.size() - shape.size();
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    bytes[missing + dim] = shape[dim] == 1 ? 0 : strides[dim] * item_bytes;
  }
  data_[count_] = data;
  strides_[count_] = std::move(bytes);
  ++count_;
}

void ElementLoop::add(const Tensor& tensor) {
  add(tensor.data(), tensor.shape(), tensor.strides(), tensor::item_bytes(tensor.dtype()));
}

void ElementLoop::arrange(bool keep_order) {
  outer_.clear();
  row_length_ = 0;
  row_count_ = 0;
  for (const std::int64_t size : shape_) {
    if (size == 0) return;
  }
  // The last dimension first; of those that matter.
  for (std::size_t dim = shape_.size(); dim-- > 0;) {
    if (shape_[dim] == 1) continue;
    LoopDim& added = outer_.emplace_back();
    added.size = shape_[dim];
    for (std::size_t i = 0; i < count_; ++i) added.strides[i] = strides_[i][dim];
  }
  // Small steps innermost. A step of 0 says nothing: there the next operand decides.
  const auto is_before = [this](const LoopDim& a, const LoopDim& b) {
    for (std::size_t i = 0; i < count_; ++i) {
      const std::int64_t left = std::abs(a.strides[i]);
      const std::int64_t right = std::abs(b.strides[i]);
      if (left != 0 && right != 0 && left != right) return left < right;
    }
    return false;
  };
  // By insertion: few dimensions, mostly in order, and the relation above need not be transitive.
  for (std::size_t i = 1; i < outer_.size() && !keep_order; ++i) {
    for (std::size_t k = i; k > 0 && is_before(outer_[k], outer_[k - 1]); --k) std::swap(outer_[k], outer_[k - 1]);
  }
  std::size_t kept = 0;
  for (std::size_t next = 1; next < outer_.size(); ++next) {
    LoopDim& inner = outer_[kept];
    bool continues = true;
    for (std::size_t i = 0; i < count_; ++i) {
      continues = continues && outer_[next].strides[i] == inner.strides[i] * inner.size;
    }
    if (continues) {
      inner.size *= outer_[next].size;
    } else {
      outer_[++kept] = outer_[next];
    }
  }
  if (!outer_.empty()) outer_.resize(kept + 1);
  row_length_ = 1;
  row_strides_ = {};
  if (!outer_.empty()) {
    row_length_ = outer_.front().size;
    row_strides_ = outer_.front().strides;
    outer_.erase(outer_.begin());
  }
  row_count_ = 1;
  for (const LoopDim& dim : outer_) row_count_ *= dim.size;
}

namespace {

// One row where nothing is converted, but for single items and numbers, which are spread over blocks.
struct DirectRow {
  /// What an input of the row is: items side by side, one item for all of them, or a number as kBlock equal ones.
  enum class Kind : std::uint8_t { Items, OneItem, Number };
  ElementRow row;
  std::array<Kind, ElementLoop::kMostOperands> kinds{};
  std::array<DType, ElementLoop::kMostOperands> dtypes{};
  std::size_t inputs = 0;
  bool is_spread = false;
  Compute in{};
  std::int64_t in_bytes = 0, out_bytes = 0;
  ElementKernel kernel = nullptr;
  ResultMoments* moments = nullptr;
  bool has_settings = false;
  Settings settings;

  void operator()() const {
    if (!is_spread && row.count >= 2 * kPartOfThread) {
      // The threads take a part of it each.
      base::run_ranges(row.count, kPartOfThread, kBlock,
                       [this](std::int64_t begin, std::int64_t end) { run(row, begin, end); });
      return;
    }
    if (!is_spread) return run(row, 0, row.count);
    alignas(64) std::byte buffers[ElementLoop::kMostOperands][kBlock * kLargestNumber];
    ElementRow spread = row;
    for (std::size_t i = 0; i < inputs; ++i) {
      if (kinds[i] != Kind::OneItem) continue;
      load_items(dtypes[i], static_cast<const std::byte*>(row.in[i]), 0, std::min(kBlock, row.count), in, buffers[i]);
      spread.in[i] = buffers[i];
    }
    for (std::int64_t begin = 0; begin < row.count; begin += kBlock)
      run(spread, begin, std::min(row.count, begin + kBlock));
  }

 private:
  void run(const ElementRow& whole, std::int64_t begin, std::int64_t end) const {
    if (moments == nullptr) [[likely]]
      return run_part(whole, begin, end);
    Moments found;
    for (; begin < end; begin += kCounted) {
      const std::int64_t count = std::min(kCounted, end - begin);
      run_part(whole, begin, begin + count);
      add_moments(found, static_cast<const float*>(whole.out) + begin, count);
    }
    moments->add(found);
  }
  void run_part(const ElementRow& whole, std::int64_t begin, std::int64_t end) const {
    ElementRow part = whole;
    part.count = end - begin;
    part.settings = has_settings ? &settings : nullptr;
    for (std::size_t i = 0; i < inputs; ++i) {
      if (kinds[i] == Kind::Items) part.in[i] = static_cast<const std::byte*>(whole.in[i]) + begin * in_bytes;
    }
    part.out = static_cast<std::byte*>(whole.out) + begin * out_bytes;
    kernel(part);
  }
};

PyResult<void> run_elements_now(const Tensor& out, std::span<const ElementInput> inputs, Compute in, Compute written,
                                ElementKernel kernel, const Settings* settings) {
  ElementLoop loop(out.shape());
  loop.add(out);
  // Which operand of the loop each input is; 0 for a number.
  std::array<std::size_t, ElementLoop::kMostOperands> operand{};
  std::size_t operands = 1;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].tensor == nullptr) continue;
    loop.add(*inputs[i].tensor);
    operand[i] = operands++;
  }
  loop.prepare();
  if (loop.row_length() == 0) return {};

  alignas(64) std::byte buffers[ElementLoop::kMostOperands][kBlock * kLargestNumber];
  const auto in_bytes = static_cast<std::int64_t>(compute_bytes(in));
  const auto out_bytes = static_cast<std::int64_t>(compute_bytes(written));
  const bool out_is_direct = compute_of(out.dtype()) == written &&
                             tensor::item_bytes(out.dtype()) == compute_bytes(written) &&
                             (loop.row_stride(0) == out_bytes || loop.row_length() == 1);
  bool all_direct = out_is_direct, is_row = out_is_direct && loop.row_count() == 1;
  std::array<bool, ElementLoop::kMostOperands> is_direct{};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].tensor == nullptr) {
      inputs[i].number.fill(in, buffers[i], std::min(kBlock, loop.row_length()));
    } else {
      const DType dtype = inputs[i].tensor->dtype();
      // A bool may be any byte in memory; in C++ only 0 and 1 are bools.
      is_direct[i] = in != Compute::Bool && compute_of(dtype) == in && tensor::item_bytes(dtype) == compute_bytes(in) &&
                     (loop.row_stride(operand[i]) == in_bytes || loop.row_length() == 1);
    }
    all_direct = all_direct && is_direct[i];
    is_row = is_row && (is_direct[i] || inputs[i].tensor == nullptr || loop.row_stride(operand[i]) == 0);
  }
  if (is_row) {
    DirectRow direct;
    direct.row.count = loop.row_length();
    direct.inputs = inputs.size();
    direct.in = in;
    direct.in_bytes = in_bytes;
    direct.out_bytes = out_bytes;
    direct.kernel = kernel;
    direct.moments = ResultMoments::of_elements(out);
    direct.has_settings = settings != nullptr;
    if (settings != nullptr) direct.settings = *settings;
    loop.for_each_row([&](std::span<std::byte* const> at) {
      direct.row.out = at[0];
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const bool is_number = inputs[i].tensor == nullptr;
        direct.kinds[i] = is_number      ? DirectRow::Kind::Number
                          : is_direct[i] ? DirectRow::Kind::Items
                                         : DirectRow::Kind::OneItem;
        direct.is_spread = direct.is_spread || direct.kinds[i] != DirectRow::Kind::Items;
        if (!is_number) direct.dtypes[i] = inputs[i].tensor->dtype();
        direct.row.in[i] =
            is_number ? kept_numbers(buffers[i], std::min(kBlock, loop.row_length()) * in_bytes) : at[operand[i]];
      }
    });
    tensor::Capture::launch(direct);
    return {};
  }
  tensor::Capture::has_gap();
  const std::int64_t step = all_direct ? loop.row_length() : kBlock;
  std::byte* const out_buffer = buffers[ElementLoop::kMostOperands - 1];
  // Of shorter rows counting would cost as much again as it does of all of them at the end.
  constexpr std::int64_t kLeastCounted = 128;
  const bool is_counted = out_is_direct && std::min(step, loop.row_length()) >= kLeastCounted;
  ResultMoments* const moments = is_counted ? ResultMoments::of_elements(out) : nullptr;

  loop.for_each_row([&](std::span<std::byte* const> at) {
    for (std::int64_t done = 0; done < loop.row_length(); done += step) {
      ElementRow row{};
      row.count = std::min(step, loop.row_length() - done);
      row.settings = settings;
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].tensor == nullptr) {
          row.in[i] = buffers[i];
          continue;
        }
        const std::int64_t stride = loop.row_stride(operand[i]);
        const std::byte* const first = at[operand[i]] + done * stride;
        if (is_direct[i]) {
          row.in[i] = first;
          continue;
        }
        // One item for a whole row is spread only once.
        if (stride != 0 || done == 0) load_items(inputs[i].tensor->dtype(), first, stride, row.count, in, buffers[i]);
        row.in[i] = buffers[i];
      }
      std::byte* const target = at[0] + done * loop.row_stride(0);
      row.out = out_is_direct ? target : out_buffer;
      kernel(row);
      if (moments != nullptr) [[unlikely]]
        moments->add(reinterpret_cast<const float*>(target), row.count);
      if (!out_is_direct) store_items(out.dtype(), target, loop.row_stride(0), row.count, written, out_buffer);
    }
  });
  return {};
}

}  // namespace

PyResult<void> run_elements(const Tensor& out, std::span<const ElementInput> inputs, Compute in, Compute written,
                            ElementKernel kernel, const Settings* settings) {
  if (out.is_cuda()) {
    return OpLibrary::of(out.interpreter()).cuda->run_elements({out, inputs, in, written, kernel, settings});
  }
  ElementTrace::note({out, inputs, in, written, kernel, settings});
  tensor::Capture* const capture = tensor::Capture::current();
  if (capture == nullptr || capture->is_inside()) [[likely]]
    return run_elements_now(out, inputs, in, written, kernel, settings);
  // Of its own, outside of an op: the fused gradient of one.
  const Tensor* const target = &out;
  std::vector<const Tensor*> sources;
  std::vector<ElementInput> given(inputs.begin(), inputs.end());
  for (const ElementInput& one : inputs) {
    if (one.tensor != nullptr) sources.push_back(one.tensor);
  }
  const std::optional<Settings> own = settings == nullptr ? std::nullopt : std::optional<Settings>(*settings);
  return capture->act({&target, 1}, sources, [=](std::span<const Tensor* const> tensors) {
    std::vector<ElementInput> all = given;
    std::size_t next = 1;
    for (ElementInput& one : all) {
      if (one.tensor != nullptr) one.tensor = tensors[next++];
    }
    PyResult<void> done = run_elements_now(*tensors[0], all, in, written, kernel, own ? &*own : nullptr);
    tensor::Capture::covers();
    return done;
  });
}

}  // namespace nns::ops
