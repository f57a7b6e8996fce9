#pragma once

#include <functional>

#include "core/optim/tensor_steps.h"

// Not for callers of optim.
namespace nns::optim {

/// The objective at one point of a line: its value, its gradient, and its slope along the line.
struct LinePoint {
  double position = 0;
  double loss = 0;
  Ref<Tensor> gradient;
  double slope = 0;
};

struct LineSearchResult {
  LinePoint point;
  std::int64_t evaluations = 0;
};

/// Evaluates the objective at `position` of the line.
using EvaluateOnLine = std::function<PyResult<LinePoint>(double position)>;

/// A point that satisfies the strong Wolfe conditions, or the best of a bracket that grew too small or took too long.
/// `start` is the point at 0; `reach` is the largest item of the direction.
/// Behaviour: torch/optim/lbfgs.py, _strong_wolfe.
/// Differs: slopes are float64 here, where torch keeps them in the dtype of the parameters.
PyResult<LineSearchResult> strong_wolfe(const EvaluateOnLine& evaluate, const LinePoint& start, double position,
                                        double reach, double tolerance_change);

}  // namespace nns::optim
