#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "core/summary/summary.h"
#include "native/cli/terminal.h"

namespace nns::cli {

/// What the reports tell beside the summary.
struct SummaryHeading {
  /// The expression that made the model.
  std::string call;
  /// "meta" or "cpu": where the call was carried out.
  std::string device;
};

/// Prints the summary for a person: the tree in columns down to `depth` levels below the model, and totals. Equal
/// siblings that are numbered one after the other are one line.
void print_summary(std::FILE* out, const summary::Summary& summary, const SummaryHeading& heading,
                   std::optional<std::uint32_t> depth, const Terminal& terminal);

/// The same as one JSON object; every module, down to `depth`.
void write_summary(std::FILE* out, const summary::Summary& summary, const SummaryHeading& heading,
                   std::optional<std::uint32_t> depth);

}  // namespace nns::cli
