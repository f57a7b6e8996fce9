#pragma once

#include <algorithm>
#include <vector>

#include "core/ops/plain_numbers.h"

// Results each of whose items is a weighted sum of items of the input, one dimension after the other: padding by
// reflection and its like, and resizing. Not for callers of ops.
namespace nns::ops {

/// Along one dimension: which items of the input make item `i` of the result, with which weights.
struct AxisMap {
  struct Part {
    std::int64_t at = 0;
    double weight = 1;
  };
  std::int64_t in = 1;
  std::int64_t out = 1;
  std::vector<Part> parts;
  /// Where the parts of item `i` begin; one more than there are items.
  std::vector<std::size_t> starts{0};

  /// Adds the next item of the result.
  void add(std::initializer_list<Part> item) {
    parts.insert(parts.end(), item.begin(), item.end());
    starts.push_back(parts.size());
  }
  bool is_identity() const {
    if (in != out || parts.size() != static_cast<std::size_t>(out)) return false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].at != static_cast<std::int64_t>(i) || parts[i].weight != 1) return false;
    }
    return true;
  }
};

/// Maps for the last dimensions of a tensor, the first of them first.
using AxisMaps = std::vector<AxisMap>;

/// The maps of a call of a padding op that shows items of the input, and of its gradient.
AxisMaps padding_maps(const OpCall& call);
/// The same of a call of a resizing op, and whether what it gives is rounded to bytes.
AxisMaps resizing_maps(const OpCall& call);
bool resizing_rounds(const OpCall& call);
/// Errors: NotImplementedError  the dtype of the input is none for the op.
PyResult<void> check_padding_dtype(OpCall& call);
PyResult<void> check_resizing_dtype(OpCall& call);

template <class T>
T weight_as(double weight) {
  if constexpr (kIsComplex<T>)
    return T(static_cast<typename T::value_type>(weight));
  else
    return static_cast<T>(weight);
}

/// to (outer, out, inner) = the weighted sums of from (outer, in, inner).
template <class T>
void resample_axis(const AxisMap& map, std::int64_t outer, std::int64_t inner, const T* from, T* to) {
  for (std::int64_t o = 0; o < outer; ++o, from += map.in * inner, to += map.out * inner) {
    for (std::int64_t i = 0; i < map.out; ++i) {
      T* const row = to + i * inner;
      const std::size_t first = map.starts[static_cast<std::size_t>(i)];
      const std::size_t end = map.starts[static_cast<std::size_t>(i) + 1];
      std::fill_n(row, inner, T());
      for (std::size_t p = first; p < end; ++p) {
        const T weight = weight_as<T>(map.parts[p].weight);
        const T* const source = from + map.parts[p].at * inner;
        for (std::int64_t k = 0; k < inner; ++k) row[k] = wrapping_add(row[k], wrapping_mul(weight, source[k]));
      }
    }
  }
}

/// Its adjoint: to (outer, in, inner) += what each item of from (outer, out, inner) was made of.
template <class T>
void resample_axis_back(const AxisMap& map, std::int64_t outer, std::int64_t inner, const T* from, T* to) {
  std::fill_n(to, outer * map.in * inner, T());
  for (std::int64_t o = 0; o < outer; ++o, from += map.out * inner, to += map.in * inner) {
    for (std::int64_t i = 0; i < map.out; ++i) {
      const T* const row = from + i * inner;
      for (std::size_t p = map.starts[static_cast<std::size_t>(i)]; p < map.starts[static_cast<std::size_t>(i) + 1];
           ++p) {
        const T weight = weight_as<T>(map.parts[p].weight);
        T* const target = to + map.parts[p].at * inner;
        for (std::int64_t k = 0; k < inner; ++k) target[k] = wrapping_add(target[k], wrapping_mul(weight, row[k]));
      }
    }
  }
}

/// All dimensions, the last one first (the first one first for the adjoint). Must hold: the last dimensions of the
/// tensors have the sizes of the maps.
template <class T>
void resample(const AxisMaps& maps, const Tensor& in, const Tensor& out, bool back) {
  if (in.numel() == 0 || out.numel() == 0) return;
  const NumbersIn<T> from(in);
  const NumbersOut<T> to(out);
  std::vector<T> here(from.data(), from.data() + in.numel());
  std::vector<T> there;
  std::vector<std::int64_t> sizes;
  std::int64_t planes = in.numel();
  for (const AxisMap& map : maps) {
    sizes.push_back(back ? map.out : map.in);
    planes /= sizes.back();
  }
  for (std::size_t step = 0; step < maps.size(); ++step) {
    const std::size_t axis = back ? step : maps.size() - 1 - step;
    const AxisMap& map = maps[axis];
    if (map.is_identity()) continue;
    std::int64_t outer = planes;
    std::int64_t inner = 1;
    for (std::size_t i = 0; i < axis; ++i) outer *= sizes[i];
    for (std::size_t i = axis + 1; i < maps.size(); ++i) inner *= sizes[i];
    sizes[axis] = back ? map.in : map.out;
    there.resize(static_cast<std::size_t>(outer * sizes[axis] * inner));
    if (back) {
      resample_axis_back(map, outer, inner, here.data(), there.data());
    } else {
      resample_axis(map, outer, inner, here.data(), there.data());
    }
    std::swap(here, there);
  }
  std::copy_n(here.data(), out.numel(), to.data());
  to.store();
}

}  // namespace nns::ops
