#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "tests/ui/explorer.h"

namespace nns::tests {

/// How an explorer of a test looks. Its text is the same in every run, because names of tests are made of it.
struct Look {
  float width = 0;
  float height = 0;
  panels::ThemeChoice theme = panels::ThemeChoice::Dark;
};

inline std::string text_of(const Look& look) {
  const char* theme = look.theme == panels::ThemeChoice::Dark    ? "Dark"
                      : look.theme == panels::ThemeChoice::Light ? "Light"
                                                                 : "System";
  return std::to_string(static_cast<int>(look.width)) + "x" + std::to_string(static_cast<int>(look.height)) + theme;
}
inline void PrintTo(const Look& look, std::ostream* out) { *out << text_of(look); }

/// A test that runs large and small, dark and light: INSTANTIATE_TEST_SUITE_P(Looks, X, all_looks(), look_name).
inline auto all_looks() {
  using panels::ThemeChoice;
  return testing::Values(Look{1600, 1000, ThemeChoice::Dark}, Look{1600, 1000, ThemeChoice::Light},
                         Look{360, 740, ThemeChoice::Dark}, Look{360, 740, ThemeChoice::Light});
}
inline std::string look_name(const testing::TestParamInfo<Look>& look) { return text_of(look.param); }

}  // namespace nns::tests
