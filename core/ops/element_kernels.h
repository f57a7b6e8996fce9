#pragma once

#include <cstdint>
#include <limits>

#include "core/ops/element_loop.h"
#include "core/ops/formulas.h"
#include "core/ops/op.h"
#include "core/ops/promotion.h"

// How the files of elementwise ops make rows of kernels from one formula. Not for callers of ops.
namespace nns::ops {

/// A kernel for each type that an op is computed in; null where it has none.
using KernelTable = std::array<ElementKernel, kComputes>;

template <class T>
constexpr Compute compute_for() {
  if constexpr (std::is_same_v<T, float>) return Compute::Float;
  if constexpr (std::is_same_v<T, double>) return Compute::Double;
  if constexpr (std::is_same_v<T, std::int64_t>) return Compute::Int64;
  if constexpr (std::is_same_v<T, std::uint64_t>) return Compute::UInt64;
  if constexpr (std::is_same_v<T, bool>) return Compute::Bool;
  if constexpr (std::is_same_v<T, ComplexFloat>) return Compute::ComplexFloat;
  return Compute::ComplexDouble;
}

template <class Formula, class T, std::size_t... I>
void formula_row(const ElementRow& row, std::index_sequence<I...>) {
  using Out = decltype(Formula::at(((void)I, T())...));
  Out* const out = row.output<Out>();
  const std::array<const T*, sizeof...(I)> in = {row.input<T>(I)...};
  for (std::int64_t i = 0; i < row.count; ++i) out[i] = Formula::at(in[I][i]...);
}
template <class Formula, class T, std::size_t... I>
void formula_row_with_settings(const ElementRow& row, std::index_sequence<I...>) {
  const Settings& settings = *static_cast<const Settings*>(row.settings);
  using Out = decltype(Formula::at(settings, ((void)I, T())...));
  Out* const out = row.output<Out>();
  const std::array<const T*, sizeof...(I)> in = {row.input<T>(I)...};
  for (std::int64_t i = 0; i < row.count; ++i) out[i] = Formula::at(settings, in[I][i]...);
}

/// The kernel of a formula for floats where there is a better one than its loop; float_rows.h says so with
/// NNS_FLOAT_ROW(Add, add), a row of vector_rows.h.
template <class Formula>
constexpr ElementKernel float_row_of(const Formula*) {
  return nullptr;
}
#define NNS_FLOAT_ROW(formula, name) \
  [[maybe_unused]] constexpr ElementKernel float_row_of(const formula*) { return vectors::name##_row; }

/// The table with that kernel.
template <class Formula>
constexpr KernelTable with_float_row(KernelTable table) {
  constexpr ElementKernel kRow = float_row_of(static_cast<const Formula*>(nullptr));
  ElementKernel& of_floats = table[static_cast<std::size_t>(Compute::Float)];
  if (kRow != nullptr && of_floats != nullptr) of_floats = kRow;
  return table;
}

/// The row of a formula in numbers of type T: the same function wherever it is named, so that it tells which formula
/// it is. The second takes settings.
template <class Formula, class T, std::size_t inputs>
void element_row(const ElementRow& row) {
  formula_row<Formula, T>(row, std::make_index_sequence<inputs>());
}
template <class Formula, class T, std::size_t inputs>
void element_row_with_settings(const ElementRow& row) {
  formula_row_with_settings<Formula, T>(row, std::make_index_sequence<inputs>());
}

/// Formula::at(x...) with `inputs` inputs, for each of the types.
template <class Formula, std::size_t inputs, class... Types>
constexpr KernelTable kernels_of() {
  KernelTable table{};
  ((table[static_cast<std::size_t>(compute_for<Types>())] = &element_row<Formula, Types, inputs>), ...);
  return with_float_row<Formula>(table);
}
/// Formula::at(settings, x...).
template <class Formula, std::size_t inputs, class... Types>
constexpr KernelTable kernels_with_settings() {
  KernelTable table{};
  ((table[static_cast<std::size_t>(compute_for<Types>())] = &element_row_with_settings<Formula, Types, inputs>), ...);
  return with_float_row<Formula>(table);
}

/// The kernels of `first`, and those of `second` where it has none.
constexpr KernelTable merged(KernelTable first, const KernelTable& second) {
  for (std::size_t i = 0; i < kComputes; ++i) {
    if (first[i] == nullptr) first[i] = second[i];
  }
  return first;
}

/// Errors: NotImplementedError  the op has no kernel for the dtype: "\"exp\" not implemented for 'Bool'".
PyResult<void> find_kernel(const OpCall& call, const KernelTable& table, DType dtype, ElementKernel& kernel);

/// Shape and dtype of argument 0 (a view of it would have other strides).
PyResult<void> same_shape(OpCall& call);
/// The same, integers as the default floating dtype.
PyResult<void> floating_shape(OpCall& call);
/// The same shape, bools.
PyResult<void> bool_shape(OpCall& call);
/// Runs `table` over argument 0.
PyResult<void> run_unary(OpCall& call, const KernelTable& table, Compute written, const Settings* settings = nullptr);
/// An argument that may be a number.
ElementInput element_input(const OpCall& call, std::size_t i);

}  // namespace nns::ops
