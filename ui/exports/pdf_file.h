#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ui/host/save_file.h"

namespace nns::exports {

/// The objects of a PDF file, written one after the other. Streams are not packed.
/// Behaviour: ISO 32000-1 (PDF 1.7), section 7.
class PdfFile {
 public:
  PdfFile() { out_ = "%PDF-1.7\n%\xE2\xE3\xCF\xD3\n"; }

  /// A number for an object that is written later.
  int reserve() {
    offsets_.push_back(0);
    return static_cast<int>(offsets_.size());
  }
  /// An object that is no stream.
  void object(int number, std::string_view body);
  /// `entries`: of its dictionary, but for the length.
  void stream(int number, std::string_view entries, std::string_view bytes);
  /// The table of all objects, and which of them is the catalog. Must hold: each reserved object was written.
  void end(int catalog);

  void flush(host::SaveFile& file);

 private:
  void begin(int number);

  std::string out_;
  std::uint64_t flushed_ = 0;
  std::vector<std::uint64_t> offsets_;  // of object number i + 1
};

/// Adds formatted text.
template <class... Values>
void put(std::string& out, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Values>(values)...);
}

}  // namespace nns::exports
