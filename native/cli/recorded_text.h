#pragma once

#include <string>
#include <string_view>

namespace nns::cli {

/// Texts as the recorded cases have them, which were made on another machine: the program's file is program.py, its
/// lines are <L>, addresses <addr>.
class RecordedText {
 public:
  /// `file`: the program as messages name it.
  explicit RecordedText(std::string file) : file_(std::move(file)) {}
  std::string operator()(std::string_view text) const;

 private:
  std::string file_;
};

}  // namespace nns::cli
