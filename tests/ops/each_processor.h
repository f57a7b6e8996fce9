#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>

namespace nns::tests {

#if (HWY_TARGETS & (HWY_TARGETS - 1)) == 0
/// WebAssembly: there is one kind, and nothing to choose.
template <class Check>
void on_each_processor(Check check) {
  check();
}
#else
/// Calls check() with the kernels of each kind of processor that this one can be, one after the other.
template <class Check>
void on_each_processor(Check check) {
  const std::int64_t all = hwy::SupportedTargets();
  for (std::int64_t rest = all; rest != 0; rest &= rest - 1) {
    const std::int64_t target = rest & -rest;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}
#endif

}  // namespace nns::tests
