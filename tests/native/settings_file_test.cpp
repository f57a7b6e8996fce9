#include "native/host/settings_file.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/native/temp_folder.h"

namespace nns::tests {
namespace {

/// An environment variable that is as before afterwards.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    was_set_ = std::getenv(name) != nullptr;
    if (value == nullptr) {
      ::unsetenv(name);
    } else {
      ::setenv(name, value, 1);
    }
  }
  ~Variable() { was_set_ ? ::setenv(name_, before_.c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
  bool was_set_ = false;
};

TEST(SettingsFile, LiesWhereTheSystemWantsIt) {
  const Variable home("HOME", "/home/me");
  {
    const Variable config("XDG_CONFIG_HOME", nullptr);
    const Variable state("XDG_STATE_HOME", nullptr);
    EXPECT_EQ(host::settings_path(), "/home/me/.config/nnscope/settings");
    EXPECT_EQ(host::session_path(), "/home/me/.local/state/nnscope/session");
  }
  const Variable config("XDG_CONFIG_HOME", "/x/config");
  const Variable state("XDG_STATE_HOME", "relative");
  EXPECT_EQ(host::settings_path(), "/x/config/nnscope/settings");
  EXPECT_EQ(host::session_path(), "/home/me/.local/state/nnscope/session") << "a relative path counts as none";
  const Variable nowhere("HOME", nullptr);
  EXPECT_EQ(host::session_path(), "");
}

TEST(SettingsFile, ReadsBackWhatItWrote) {
  const TempFolder folder;
  const auto path = folder.path() / "made" / "session";
  const std::map<std::string, std::string> settings = {{"tab.open", "file=/a/b.pt&select=h.3"}, {"tab.window", "9x9"}};
  host::write_settings_file(path, settings);
  EXPECT_EQ(host::read_settings_file(path), settings);
  EXPECT_TRUE(host::read_settings_file(folder.path() / "none").empty());
  host::write_settings_file({}, settings);  // nowhere to keep them
}

}  // namespace
}  // namespace nns::tests
