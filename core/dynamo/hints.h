#pragma once

namespace nns::dynamo::hints {

// Groups of hints that several breaks share. Behaviour: torch/_dynamo/graph_break_hints.py.
inline constexpr const char* kUserError =
    "Your code may result in an error when running in eager. Please double check that your code doesn't contain a "
    "similar "
    "error when actually running eager/uncompiled. You can do this by removing the `torch.compile` call, or by using "
    "`torch.compiler.set_stance(\"force_eager\")`.";
inline constexpr const char* kDynamoBug = "This is likely to be a Dynamo bug. Please report an issue to PyTorch.";
inline constexpr const char* kDifficult =
    "This graph break may be difficult to debug. Please report an issue to PyTorch for assistance.";
inline constexpr const char* kInferenceMode =
    "Avoid using `tensor.is_inference()` and `torch.is_inference_mode_enabled()` in your compile code. This is "
    "primarily "
    "used in conjunction with `torch.inference_mode`. Consider using `torch.no_grad` instead because `torch.no_grad` "
    "leads to same improvements as `inference_mode` when `torch.compile` is used.";
inline constexpr const char* kFundamental =
    "This graph break is fundamental - it is unlikely that Dynamo will ever be able to trace through your code. "
    "Consider "
    "finding a workaround.";
inline constexpr const char* kSupportable =
    "It may be possible to write Dynamo tracing rules for this code. Please report an issue to PyTorch if you "
    "encounter "
    "this graph break often and it is causing performance issues.";
inline constexpr const char* kCausedByEarlier =
    "This graph break may have been caused by an earlier graph break. Resolving the earlier graph break may resolve "
    "this "
    "one.";

}  // namespace nns::dynamo::hints
